import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createClient } from '@usher/sdk'
import { createManagementClient } from '@usher/sdk/management'
import { type StartOptions, startUsher, type TestDatabase } from '@usher/server/testing'
import { createVerifier } from '@usher/verify'
import { expect, it as test } from 'vitest'

const it = test
  .extend('options', { scope: 'file' }, { dns: (name) => records.get(name) ?? [] } as StartOptions)
  .extend('usher', { scope: 'file' }, async ({ options }, { onCleanup }) => {
    const usher = await startUsher(options)
    onCleanup(usher.stop)
    return usher
  })

/** The texts of TXT records by name. */
const records = new Map<string, string[]>()

/** `it` with a database that has single sign-on, and a tenant. */
const inTenant = it.extend('tenant', async ({ usher }) => {
  const database = await usher.createDatabase({ singleSignOn: true })
  const management = createManagementClient({ ...database, apiKey: await usher.createApiKey(database) })
  const { data } = await management.addTenant({ name: 'Engines' })
  return { database, management, id: data?.id ?? expect.fail() }
})

const people = [
  { name: 'Ada Lovelace', email: 'ada@example.com' },
  { name: 'Grace', email: 'grace@example.com', emailVerified: false },
  { name: 'Nobody', claims: { locale: 'de' } },
]

const acmePeople = [
  { name: 'Ada', email: 'ada@acme.example' },
  { name: 'Guest', email: 'guest@elsewhere.example' },
]

/** Starts a login at a connection. */
async function start(database: TestDatabase, connection: string) {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const client = createClient(database)
  const { data, error } = await client.startLogin({ connection, challenge })
  if (error) throw error
  const finish = (code = '') => client.finishLogin({ code, verifier })
  return { client, finish, ...data }
}

it.for(['google', 'apple', 'microsoft', 'github', 'gitlab', 'acme'])(
  'people log in with a provider that is named %s',
  async (connection, { usher }) => {
    const database = await usher.createDatabase({ workspace: connection })
    const provider = await usher.addProvider({ ...database, connection, people })
    const { client, url, login, finish } = await start(database, connection)
    const [redirect, code] = (await provider.logIn(url, 'Ada Lovelace')).split('#code=')
    expect(redirect).toBe('https://app.example.com/login')
    expect((await finish(code)).data?.isNewUser).toBe(true)
    expect((await client.me()).data).toMatchObject({
      email: 'ada@example.com',
      preferredName: 'Ada Lovelace',
    })
    expect(await provider.cancel(url)).toBe(`${redirect}#error=access_denied&login=${login}`)
  },
)

it('an address that the provider has not verified proves nothing, unless one of a trusted provider does', async ({
  usher,
}) => {
  const results = async (options: { trustEmail?: boolean }) => {
    const database = await usher.createDatabase({ workspace: 'trust', loginMail: 'code' })
    const known = createClient(database)
    const created = await known.createUser({ email: 'ada@example.com', password: 'correct horse battery' })
    const provider = await usher.addProvider({ ...database, connection: 'google', people, ...options })
    const codes = people.map(async ({ name }) => {
      const { url, finish } = await start(database, 'google')
      const [, code] = (await provider.logIn(url, name)).split('#code=')
      const { data, error } = await finish(code)
      return error?.code ?? data?.id
    })
    return (await Promise.all(codes)).map((result) => (result === created.data?.id ? 'linked' : result))
  }
  expect(await results({})).toEqual(['email_not_proven', 'email_not_proven', 'email_not_proven'])
  expect(await results({ trustEmail: true })).toEqual(['linked', 'email_not_proven', 'email_not_proven'])
})

it('shows people, follows a hint, and rejects a foreign redirect and a wrong PKCE verifier', async ({
  usher,
}) => {
  const database = await usher.createDatabase()
  const { issuer } = await usher.addProvider({
    ...database,
    connection: 'acme',
    title: 'A<b>',
    people: [{ name: '<i>', email: 'i@example.com' }],
  })
  const { url } = await start(database, 'acme')
  const open = (changes: Record<string, string>) => {
    const changed = new URL(url)
    for (const [name, value] of Object.entries(changes)) changed.searchParams.set(name, value)
    return fetch(changed, { redirect: 'manual' })
  }
  const page = await (await open({})).text()
  expect(page).toContain('<h1>Log in with A&#60;b&#62;</h1>')
  expect(page).toContain('>&#60;i&#62;</a> i@example.com')
  expect((await open({ redirect_uri: 'https://evil.example' })).status).toBe(400)
  expect((await open({ client_id: 'other' })).status).toBe(400)

  const chosen = await open({ login_hint: 'i@example.com' })
  const code = new URL(chosen.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const query = new URL(url).searchParams
  const form = { code, client_id: 'usher', redirect_uri: query.get('redirect_uri') ?? '', code_verifier: 'x' }
  const discovered = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()
  const response = await fetch(discovered.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  expect([response.status, await response.json()]).toEqual([400, { error: 'invalid_grant' }])
})

it('stops with the server', async () => {
  const usher = await startUsher()
  const { issuer } = await usher.addProvider({ connection: 'google', people })
  expect((await fetch(issuer)).status).toBe(404)
  await usher.stop()
  await expect(fetch(issuer)).rejects.toThrow(TypeError)
})

it.for([
  ['connection', { connection: 'Google', people }],
  ['preset', { connection: 'a', preset: 'constructor', people }],
  ['people', { connection: 'a', people: [] }],
  ['people', { connection: 'a', people: [people[0], people[0]] }],
  ['emailVerified', { connection: 'a', people: [{ name: 'Ada', emailVerified: 'yes' }] }],
  ['secret', { connection: 'a', people, secret: 'a' }],
  ['Database', { connection: 'a', people, database: 'other' }],
] as const)('throws a TypeError that names %s', async ([name, options], { usher }) => {
  const added = usher.addProvider(options as never)
  await expect(added).rejects.toThrow(TypeError)
  await expect(added).rejects.toThrow(new RegExp(`^addProvider: .*\\b${name}\\b`, 's'))
})

it('throws a TypeError for a connection that exists, and for a person it does not know', async ({
  usher,
}) => {
  const database = await usher.createDatabase()
  const provider = await usher.addProvider({ ...database, connection: 'a', people })
  await expect(usher.addProvider({ ...database, connection: 'a', people })).rejects.toThrow(
    /^addProvider: Connection a already exists in/,
  )
  const { url } = await start(database, 'a')
  await expect(provider.logIn(url, 'Eve')).rejects.toThrow('The provider has no person "Eve".')
  await expect(provider.logIn(`${url}&client_id=b`, 'Ada')).rejects.toThrow(TypeError)
})

inTenant(
  'people log in with the provider of a tenant, which opens only the tenant',
  async ({ usher, tenant: { database, id } }) => {
    const domains = ['Acme.example']
    const provider = await usher.addTenantProvider({ ...database, tenant: id, domains, people: acmePeople })
    const { connection } = provider
    const routed = await createClient(database).routeLogin({ email: 'ada@acme.example' })
    expect(routed.data).toEqual({ connection: { id: connection, title: 'OpenID Connect' } })
    const { client, url, login, finish } = await start(database, connection)
    const [redirect, code] = (await provider.logIn(url, 'ada@acme.example')).split('#code=')
    expect((await finish(code)).data?.tenants).toEqual([id])
    expect((await createVerifier(database).verify(client.token)).error?.code).toBe('own_login_required')
    const verifier = createVerifier({ ...database, tenantSessions: 'accept' })
    expect((await verifier.verify(client.token)).data).toMatchObject({
      tenants: [id],
      claims: { account: false },
    })
    expect(await provider.cancel(url)).toBe(`${redirect}#error=access_denied&login=${login}`)

    const guest = await start(database, connection)
    const refused = (await provider.logIn(guest.url, 'Guest')).split('#code=')[1]
    expect((await guest.finish(refused)).error?.code).toBe('not_member')
  },
)

inTenant(
  'a tenant proves a domain by a record of a test, and keeps those of its provider',
  async ({ usher, tenant: { database, id, management } }) => {
    const provider = { ...database, tenant: id, domains: ['acme.example'], people: acmePeople, title: 'Acme' }
    await usher.addTenantProvider(provider)
    const check = (domain: string) => management.checkSsoDomain(id, domain)
    expect((await check('acme.example')).data?.state).toBe('proven')
    const added = await management.addSsoDomain(id, { domain: 'other.example' })
    expect((await check('other.example')).error?.code).toBe('domain_unproven')
    const { name = '', value = '' } = added.data?.record ?? {}
    records.set(name, [value])
    expect((await check('other.example')).data?.state).toBe('proven')
    await usher.addTenantProvider({ ...provider, domains: ['acme.example', 'other.example'] })
    const { data } = await management.sso(id)
    expect(data?.connections.map(({ title }) => title)).toEqual(['Acme', 'Acme'])
  },
)

inTenant(
  'says what a provider of a tenant lacks',
  async ({ usher, tenant: { database, id, management } }) => {
    const domains = ['taken.example']
    await usher.addTenantProvider({ ...database, tenant: id, domains, people })
    const other = (await management.addTenant({ name: 'Other' })).data?.id ?? ''
    for (const [options, message] of [
      [
        { workspace: 'demo', database: 'app' },
        /^addTenantProvider: demo\/app has no single sign-on\. .*singleSignOn: true/,
      ],
      [{ tenant: randomUUID() }, /^addTenantProvider: Tenant .* does not exist in /],
      [{ tenant: other, domains }, /^addTenantProvider: Another tenant has proven taken\.example\.$/],
      [{ domains: ['https://acme.example'] }, /^addTenantProvider: domains must be a domain, not a URL/],
      [{ tenant: 'Engines' }, /^addTenantProvider: tenant: /],
      [{ people: [] }, /^addTenantProvider: people: /],
    ] as const) {
      const added = usher.addTenantProvider({ ...database, tenant: id, people, ...options } as never)
      await expect(added).rejects.toThrow(TypeError)
      await expect(added).rejects.toThrow(message)
    }
    await expect(startUsher({ dns: 'none' as never })).rejects.toThrow('startUsher: dns: must be a function')
  },
)
