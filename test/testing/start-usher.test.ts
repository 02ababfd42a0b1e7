import { createClient } from '@usher/sdk'
import { createManagementClient } from '@usher/sdk/management'
import { type StartOptions, startUsher } from '@usher/server/testing'
import { createVerifier } from '@usher/verify'
import { expect, it as test, vi } from 'vitest'
import { password, validUser } from '../support/app.js'

const it = test
  .extend('options', { scope: 'file' }, {} as StartOptions)
  .extend('usher', { scope: 'file' }, async ({ options }, { onCleanup }) => {
    const usher = await startUsher(options)
    onCleanup(usher.stop)
    return usher
  })

it('signs up, logs in and reads the user', async ({ usher }) => {
  const client = createClient(usher)
  const body = validUser({ newTenant: 'Engines' })
  expect((await client.createUser(body)).data?.tenants).toHaveLength(1)
  expect((await client.login({ email: body.email, password })).error).toBeUndefined()
  expect((await client.me()).data?.email).toBe(body.email)
})

it('moves its clock forward, and that of a verifier', async ({ usher }) => {
  const client = createClient(usher)
  await client.createUser(validUser())
  const { verify } = createVerifier(usher)
  const before = usher.now()
  usher.advanceSeconds(3590)
  expect((await verify(client.token)).error).toBeUndefined()
  usher.advanceSeconds(10)
  expect(usher.now() - before).toBeGreaterThanOrEqual(3_600_000)
  expect((await verify(client.token)).error?.code).toBe('token_expired')
  expect((await client.me()).error?.code).toBe('token_expired')
})

it('creates databases with settings', async ({ usher }) => {
  const strict = createClient(await usher.createDatabase({ workspace: 'acme', passwordPolicy: 'nist' }))
  const { error } = await strict.createUser(validUser({ password: 'short, 14 here' }))
  expect(error?.errors[0]).toMatchObject({ path: 'password', min: 15 })

  const database = await usher.createDatabase({
    workspace: 'acme',
    database: 'brief',
    signingAlgorithm: 'EdDSA',
    tokenMaxAgeSeconds: 60,
    claims: { role: 'authenticated' },
    sessionIdle: 600,
    accountOperations: true,
  })
  expect(database).toEqual({ baseUrl: usher.baseUrl, workspace: 'acme', database: 'brief' })
  const client = createClient(database)
  expect((await client.createUser(validUser())).data?.token.maxAge).toBe(60)
  const { data } = await createVerifier({ ...database, now: usher.now }).verify(client.token)
  expect(data?.claims).toMatchObject({ role: 'authenticated' })
  expect((await client.openSession()).data?.refreshToken.maxAge).toBeLessThanOrEqual(600)
})

it('creates API keys with scopes for the databases', async ({ usher }) => {
  const database = await usher.createDatabase({ eventsKept: 1 })
  const scopes: ['users:read'] = ['users:read']
  const reader = createManagementClient({
    ...database,
    apiKey: await usher.createApiKey({ ...database, scopes }),
  })
  expect((await reader.listUsers()).data?.users).toEqual([])
  expect((await reader.addUser({ email: 'ada@example.com' })).error?.code).toBe('insufficient_scope')
  const first = createManagementClient({ ...usher, apiKey: await usher.createApiKey() })
  expect((await first.addTenant({ name: 'Engines' })).error).toBeUndefined()
  const other = { ...database, database: 'other' }
  await expect(usher.createApiKey(other)).rejects.toThrow(/^createApiKey: .*does not exist/)
})

it('returns the mails to an address, in order', async ({ usher }) => {
  const client = createClient(usher)
  const { email } = validUser()
  const mail = usher.mailTo(email)
  await client.createUser({ email, password })
  await client.requestPasswordReset({ email })
  expect((await mail).html).toContain('https://app.example.com/reset-password#code=')
  await client.requestEmailVerification()
  const { text } = await usher.mailTo(email)
  const [, code = ''] = text.match(/https:\/\/app\.example\.com\/verify-email#code=(\S+)/) ?? []
  expect((await client.verifyEmail({ code })).data).toEqual({ email })
})

it('applies settings, and reads no environment variables', async ({ onTestFinished }) => {
  vi.stubEnv('DATABASE_URL', 'postgresql://postgres@127.0.0.1:1/usher')
  const usher = await startUsher({ database: 'other', settings: { TOKEN_MAX_AGE: '120', DOCS: 'off' } })
  onTestFinished(usher.stop)
  expect(usher.database).toBe('other')
  expect((await createClient(usher).createUser(validUser())).data?.token.maxAge).toBe(120)
  expect((await fetch(`${usher.baseUrl}/docs`)).status).toBe(404)
})

it('starts servers that share neither users nor keys', async ({ usher, onTestFinished }) => {
  const other = await startUsher()
  onTestFinished(other.stop)
  const client = createClient(usher)
  const body = validUser()
  await client.createUser(body)
  expect((await createClient(other).login({ email: body.email, password })).error?.code).toBe(
    'invalid_credentials',
  )
  expect((await createVerifier({ ...usher, baseUrl: other.baseUrl }).verify(client.token)).error?.code).toBe(
    'token_invalid',
  )
})

it('closes its port when it is stopped, also twice', async () => {
  const { baseUrl, stop } = await startUsher()
  expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200)
  await Promise.all([stop(), stop()])
  await stop()
  await expect(fetch(`${baseUrl}/readyz`)).rejects.toThrow(TypeError)
})

it.each([
  ['port', { port: 3000 }],
  ['workspace', { workspace: 'a b' }],
  ['database', { database: '' }],
  ['passwordPolicy', { passwordPolicy: 'strong' }],
  ['signingAlgorithm', { signingAlgorithm: 'none' }],
  ['tokenMaxAgeSeconds', { tokenMaxAgeSeconds: 59 }],
  ['networkFailuresPerHour', { networkFailuresPerHour: -1 }],
  ['mailsPerHour', { mailsPerHour: -1 }],
  ['signUpsPerHour', { signUpsPerHour: -1 }],
  ['sessionMax', { sessionMax: 1 }],
  ['webhookUrl', { webhookUrl: 'https://hooks.example.com' }],
  ['claims', { claims: ['role'] }],
  ['claims', { claims: { iss: 'me' } }],
  ['appUrl', { appUrl: 'app.example.com' }],
  ['settings', { settings: { TOKEN_MAXAGE: '60' } }],
  ['settings', { settings: { DATABASE_URL: 'postgresql://localhost/usher' } }],
  ['settings', { settings: { MANAGEMENT_PORT: '3001' } }],
  ['TOKEN_MAX_AGE', { settings: { TOKEN_MAX_AGE: '1' } }],
  ['TOKEN_MAX_AGE', { settings: { TOKEN_MAX_AGE: 60 } }],
  ['PASSWORD_BLOCKLIST_FILE', { settings: { PASSWORD_BLOCKLIST_FILE: '/no/such/file' } }],
])('throws a TypeError that names %s: %j', async (name, options) => {
  const start = startUsher(options as never)
  await expect(start).rejects.toThrow(TypeError)
  await expect(start).rejects.toThrow(new RegExp(`^startUsher: .*\\b${name}\\b`, 's'))
})

it('throws a TypeError for a taken database and for invalid seconds', async ({ usher }) => {
  await expect(usher.createDatabase({ database: 'app' })).rejects.toThrow(
    new TypeError('createDatabase: Database demo/app already exists.'),
  )
  for (const seconds of [-1, Number.NaN, Number.POSITIVE_INFINITY, '60' as never]) {
    expect(() => usher.advanceSeconds(seconds)).toThrow(/^advanceSeconds: seconds must be/)
  }
})
