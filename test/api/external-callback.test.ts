import { expect } from 'vitest'
import { startLogin } from '../../server/domain/login/provider.js'
import { deleteDatabase } from '../../server/domain/management/delete-database.js'
import { sweepDatabase } from '../../server/domain/sweep/sweep.js'
import { auditRecords } from '../support/audit.js'
import { appUrl, elsewhere, outcome } from '../support/codes.js'
import { addConnection, clientId, it } from '../support/external.js'
import { newVerifier } from '../support/login-mail.js'
import { rotateKeys, setDatabase } from '../support/operator-changes.js'

it('leads the browser back to the app with a code, and stores what the provider has said', async ({
  external,
  provider,
}) => {
  const { url, login } = await external.started()
  const { response, target, result } = await external.callback(provider.authorize(url))
  expect([response.statusCode, target]).toEqual([303, `${appUrl}/login`])
  expect(result.code).toMatch(new RegExp(`^${login}\\.`))
  expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  expect(await external.attempts()).toMatchObject([
    {
      id: login,
      kind: 'external',
      connection: 'acme',
      claims: {
        issuer: provider.issuer,
        subject: 'ada',
        email: 'ada@example.com',
        emailProof: 'verified',
        preferredName: 'Ada',
        locale: null,
      },
    },
  ])
})

it('leads the browser to the provider with state, nonce and PKCE', async ({
  external,
  provider,
  app,
  usher,
}) => {
  const { url, state, nonce, login, expiresAt } = (await external.start()).json()
  expect(url.startsWith(`${provider.issuer}/authorize?`)).toBe(true)
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: `${usher.config.baseUrl}/workspaces/${app.workspaceSlug}/databases/${app.databaseName}/connections/acme/callback`,
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  })
  const hinted = (await external.start({ loginHint: 'ada@acme.example' })).json()
  expect(new URL(hinted.url).searchParams.get('login_hint')).toBe('ada@acme.example')
  expect(state).toContain('.')
  expect(login).toMatch(/^[\da-f-]{36}$/)
  expect(Date.parse(expiresAt) - app.clock.now).toBe(600_000)
})

it('lists the enabled connections with their titles, in the order in which they were added', async ({
  external,
  provider: { issuer },
  clock,
}) => {
  clock.now += 1_000
  await external.add({ name: 'staff', issuer, options: { title: 'Staff login' } })
  await external.add({ name: 'old', issuer, isEnabled: false })
  clock.now += 1_000
  await external.add({ name: 'github', preset: 'github', issuer })
  expect((await external.list()).json()).toEqual({
    connections: [
      { name: 'acme', title: 'OpenID Connect', preset: 'oidc' },
      { name: 'staff', title: 'Staff login', preset: 'oidc' },
      { name: 'github', title: 'GitHub', preset: 'github' },
    ],
  })
  for (const connection of ['old', 'none'])
    expect(outcome(await external.start({ connection }))).toEqual([404, 'connection_not_found'])
})

it('accepts a login once: a replayed callback returns an error', async ({ external, provider }) => {
  const { url, login } = await external.started()
  const callback = provider.authorize(url)
  const [first, second] = await Promise.all([external.callback(callback), external.callback(callback)])
  const results = [first.result, second.result]
  expect(results).toContainEqual({ error: 'code_invalid', login })
  expect(results.filter(({ code }) => code)).toHaveLength(1)
  expect((await external.callback(provider.authorize(url))).result.error).toBe('code_invalid')
  expect(provider.exchanges).toHaveLength(1)
})

it('keeps the row of a finished login until its state has expired', async ({
  external,
  provider,
  usher,
  app,
  clock,
}) => {
  const { url, login } = await external.started()
  await external.callback(provider.authorize(url))
  // It was finished at the start, and could be repeated for 30 seconds.
  const where = { databaseId_id: { databaseId: app.id, id: login } }
  await usher.store.prisma.loginAttempt.update({ where, data: { expiresAt: new Date(clock.now + 30_000) } })
  clock.now += 599_000
  const log = { level: 'silent', child: () => log, info: () => undefined, warn: () => undefined }
  const running = { log, stopped: new AbortController().signal, pause: async () => undefined }
  await sweepDatabase(usher.context, app.id, running)
  expect((await external.callback(provider.authorize(url))).result.error).toBe('code_invalid')
  expect(provider.exchanges).toHaveLength(1)
})

it('rejects a code of the provider that was issued for another login', async ({ external, provider }) => {
  const [hers, his] = [await external.started(), await external.started()]
  const injected = provider.authorize(hers.url)
  injected.searchParams.set('code', provider.authorize(his.url).searchParams.get('code') ?? '')
  expect((await external.callback(injected)).result).toEqual({ error: 'code_invalid', login: hers.login })
})

it('rejects a code of another login by its nonce, if the provider does not know PKCE', async ({
  external,
  provider,
}) => {
  const [hers, his] = [await external.started(), await external.started()]
  const injected = provider.authorize(hers.url)
  const withoutPkce = new URL(his.url)
  withoutPkce.searchParams.delete('code_challenge')
  injected.searchParams.set('code', provider.authorize(withoutPkce.href).searchParams.get('code') ?? '')
  expect((await external.callback(injected)).result).toEqual({ error: 'provider_invalid', login: hers.login })
})

it('rejects the return of one provider at the callback of another connection', async ({
  external,
  provider,
}) => {
  await external.add({ name: 'other', issuer: provider.issuer })
  const { url } = await external.started()
  const callback = provider.authorize(url)
  callback.pathname = callback.pathname.replace('/acme/', '/other/')
  const { response } = await external.callback(callback)
  expect([response.statusCode, provider.exchanges.length]).toEqual([400, 0])
})

it.for([
  ['is missing although the provider sends it', undefined, 'provider_invalid'],
  ['is that of another provider', 'https://other.example.com', 'provider_invalid'],
  ['is right', '', undefined],
] as const)(
  'compares iss of RFC 9207 with the provider when it %s',
  async ([, iss, error], { external, provider }) => {
    provider.lies = { discovery: { authorization_response_iss_parameter_supported: true } }
    const { url } = await external.started()
    const callback = provider.authorize(url)
    if (iss !== undefined) callback.searchParams.set('iss', iss || provider.issuer)
    expect((await external.callback(callback)).result.error).toBe(error)
  },
)

it('returns access_denied when the person cancels, and other errors of the provider', async ({
  external,
  provider,
}) => {
  const errors = {
    access_denied: 'access_denied',
    server_error: 'provider_unavailable',
    other: 'provider_invalid',
  }
  for (const [sent, error] of Object.entries(errors)) {
    const { url, login } = await external.started()
    const callback = provider.authorize(url)
    callback.searchParams.delete('code')
    callback.searchParams.set('error', sent)
    expect((await external.callback(callback)).result).toEqual({ error, login })
  }
  expect(await external.attempts()).toEqual([])
})

it('rejects a parameter that the provider has sent twice', async ({ external, provider }) => {
  const { url } = await external.started()
  const callback = provider.authorize(url)
  callback.searchParams.append('code', 'another')
  expect((await external.callback(callback)).result.error).toBe('provider_invalid')
  callback.searchParams.append('state', 'another')
  expect((await external.callback(callback)).response.statusCode).toBe(400)
})

it('rejects a login that has expired or whose connection was disabled meanwhile', async ({
  external,
  provider,
  clock,
}) => {
  const [late, disabled] = [await external.started(), await external.started()]
  clock.now += 600_000
  expect((await external.callback(provider.authorize(late.url))).result.error).toBe('code_invalid')
  clock.now -= 600_000
  await external.add({ issuer: provider.issuer, isEnabled: false })
  const { result } = await external.callback(provider.authorize(disabled.url))
  expect(result).toEqual({ error: 'connection_not_found', login: disabled.login })
  expect(await external.attempts()).toEqual([])
})

it('returns to an address with letters of any script', async ({ external, usher, app, provider }) => {
  await setDatabase(usher.store, app, { loginRedirects: ['https://例え.example/ログイン'] })
  usher.clock.cacheAhead += 6_000
  const { target } = await external.callback(provider.authorize((await external.started()).url))
  expect(new URL(target)).toEqual(new URL('https://例え.example/ログイン'))
})

it('lets a login return that was started before the secret of the database was rotated', async ({
  external,
  usher,
  app,
  provider,
  clock,
}) => {
  const before = await external.started()
  const operation = { store: usher.store, now: new Date(clock.now) }
  await rotateKeys(operation, app, 60)
  clock.now += 61_000
  usher.clock.cacheAhead += 6_000
  const after = await external.started()
  expect(await usher.store.prisma.databaseSecret.count({ where: { databaseId: app.id } })).toBe(2)
  for (const { url } of [before, after])
    expect((await external.callback(provider.authorize(url))).result.code).toBeDefined()
})

it.for([
  ['/workspaces/none/databases/none/connections/acme/callback?state=a', 404],
  ['/workspaces/No%20slug/databases/app/connections/acme/callback', 404],
  ['/connections/acme/callback', 404],
] as const)('returns no redirect for %s', async ([url, status], { usher }) => {
  const { statusCode, headers } = await usher.inject({ method: 'GET', url })
  expect([statusCode, headers.location]).toEqual([status, undefined])
})

it('shows a page without a redirect when the state is not one of the database', async ({
  external,
  provider,
  usher,
}) => {
  const callback = provider.authorize((await external.started()).url)
  const state = callback.searchParams.get('state') ?? ''
  const [payload = '', mac] = state.split('.')
  const forged = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const withRedirect = Buffer.from(JSON.stringify({ ...forged, redirectUrl: 'https://evil.example' }))
  const states = [
    '',
    'none',
    payload,
    `${state}.`,
    `${state}x`,
    `${withRedirect.toString('base64url')}.${mac}`,
  ]
  for (const each of states) {
    callback.searchParams.set('state', each)
    const { response } = await external.callback(callback)
    expect([response.statusCode, response.headers.location]).toEqual([400, undefined])
    expect(response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none';style-src 'sha256-[^']+';frame/),
    })
    expect(response.body).toContain('Login is not valid')
  }
  expect(provider.exchanges).toEqual([])
  expect(usher.logged()).not.toContain(state)
})

it('counts forged callbacks as failures of the network', async ({ external, usher, app, provider }) => {
  await usher.store.prisma.database.update({ where: { id: app.id }, data: { networkFailuresPerHour: 3 } })
  usher.clock.cacheAhead += 6_000
  const [from, callback] = [elsewhere(), provider.authorize((await external.started()).url)]
  const forged = new URL(callback)
  forged.searchParams.set('state', 'forged')
  const statuses = []
  for (let time = 0; time < 5; time++)
    statuses.push((await external.callback(forged, from)).response.statusCode)
  expect(statuses).toEqual([400, 400, 400, 429, 429])
  expect((await external.callback(callback, from)).result.error).toBe('too_many_attempts')
  expect((await external.callback(callback)).result.code).toBeDefined()
})

it('counts codes that the provider rejects, so that guesses store few rows', async ({
  external,
  usher,
  app,
  provider,
}) => {
  await usher.store.prisma.database.update({ where: { id: app.id }, data: { networkFailuresPerHour: 3 } })
  usher.clock.cacheAhead += 6_000
  const [from, results] = [elsewhere(), []] as [string, unknown[]]
  for (let time = 0; time < 5; time++) {
    const callback = provider.authorize((await external.started()).url)
    callback.searchParams.set('code', 'guessed')
    results.push((await external.callback(callback, from)).result.error)
  }
  expect(results).toEqual([...Array(3).fill('code_invalid'), ...Array(2).fill('too_many_attempts')])
  expect(await external.attempts()).toHaveLength(3)
})

it('reads the form that a provider posts, and nothing else', async ({ external, provider, usher }) => {
  const callback = provider.authorize((await external.started()).url)
  for (const type of ['application/json', 'text/plain']) {
    const headers = { 'content-type': type }
    const request = {
      method: 'POST' as const,
      url: callback.pathname,
      payload: callback.search.slice(1),
      headers,
    }
    expect((await usher.inject(request)).statusCode).toBe(415)
  }
  const tooLong = new URL(callback)
  tooLong.searchParams.set('user', 'x'.repeat(17_000))
  expect((await external.postCallback(tooLong)).response.statusCode).toBe(413)
  const head = await usher.inject({ method: 'HEAD', url: callback.pathname + callback.search })
  expect(head.statusCode).toBe(405)
  const { response, result } = await external.postCallback(callback)
  expect([response.statusCode, Object.keys(result)]).toEqual([303, ['code']])
})

it.for([
  ['https://evil.example/login', []],
  [`${appUrl}/login/`, []],
  [`${appUrl}/login?next=https://evil.example`, []],
  [`${appUrl}/login#`, []],
  [`${appUrl}/login`, ['https://other.example.com/']],
  ['https://other.example.com', ['https://other.example.com/']],
  ['https://other.example.com.evil.example/', ['https://other.example.com/']],
  ['https://user@other.example.com/', ['https://other.example.com/']],
  ['javascript:alert(1)', []],
  ['//evil.example', []],
  ['http://127.0.0.1:4000/other', ['http://127.0.0.1/login']],
  ['http://127.0.0.1.evil.example:4000/login', ['http://127.0.0.1/login']],
  ['http://127.0.0.1:4000@evil.example/login', ['http://127.0.0.1/login']],
  ['http://127.0.0.1:99999/login', ['http://127.0.0.1/login']],
  ['http://localhost:65536/login', ['http://localhost:5173/login']],
  ['http://[::1]:000080/login', ['http://[::1]:1/login']],
  ['http://localhost:4000', ['http://localhost:5173/login']],
  ['https://localhost:4000/login', ['https://localhost/login']],
  ['com.example.app:/other', ['com.example.app:/login']],
] as const)(
  'rejects the redirect URL %s if the list is %j',
  async ([redirectUrl, list], { external, usher, app }) => {
    await setDatabase(usher.store, app, { loginRedirects: [...list] })
    usher.clock.cacheAhead += 6_000
    const response = await external.start({ redirectUrl })
    expect(outcome(response)).toEqual([400, 'validation_failed'])
    expect(response.json().errors).toMatchObject([{ path: 'redirectUrl' }])
  },
)

it.for([
  ['https://other.example.com/a?b=c', ['https://other.example.com/a?b=c']],
  ['http://127.0.0.1:4000/login', ['http://127.0.0.1/login']],
  ['http://[::1]:4000/login', ['http://[::1]:1/login']],
  ['http://localhost:65535/login', ['http://localhost/login']],
  ['com.example.app:/login', [`${appUrl}/login`, 'com.example.app:/login']],
  [null, ['com.example.app:/login', `${appUrl}/login`]],
] as const)(
  'returns to the redirect URL %s if the list is %j',
  async ([redirectUrl, list], { external, usher, app, provider }) => {
    await setDatabase(usher.store, app, { loginRedirects: [...list] })
    usher.clock.cacheAhead += 6_000
    const { url } = (await external.start({ redirectUrl })).json()
    expect((await external.callback(provider.authorize(url))).target).toBe(redirectUrl ?? list[0])
  },
)

it('needs a redirect URL of a database without app, and does not return to one that was removed', async ({
  external,
  usher,
  app,
  provider,
}) => {
  const { url } = await external.started()
  await setDatabase(usher.store, app, { appUrl: null })
  usher.clock.cacheAhead += 6_000
  const response = await external.start()
  expect(response.json().errors[0].detail).toContain('neither login redirects nor an app URL')
  expect((await external.callback(provider.authorize(url))).response.statusCode).toBe(400)
})

it('stores nothing for 10,000 logins that are started and never return', async ({ external, usher, app }) => {
  const database = await usher.context.findDatabase(app)
  const body = { connection: 'acme', challenge: newVerifier().challenge }
  const request = { database, body, caller: {}, actor: { kind: 'visitor' } } as unknown as Parameters<
    typeof startLogin
  >[1]
  const ids = new Set<string>()
  for (let count = 0; count < 10_000; count++) ids.add((await startLogin(usher.context, request)).login)
  expect([ids.size, await external.attempts()]).toEqual([10_000, []])
})

it('returns 404 if the database was deleted while the person was at the provider', async ({
  external,
  usher,
  provider,
}) => {
  const database = await usher.newDatabase()
  await setDatabase(usher.store, database, { appUrl })
  await addConnection(usher, database, { issuer: provider.issuer })
  const { url } = (
    await usher.send({
      method: 'POST',
      url: `${database.users}/login/start`,
      payload: { connection: 'acme', challenge: newVerifier().challenge },
    })
  ).json()
  await deleteDatabase(usher.store, database)
  const { response } = await external.callback(provider.authorize(url))
  expect([response.statusCode, response.body]).toEqual([404, expect.stringContaining('Database not found')])
})

it('audits a failed login with its connection, and logs the reason without the code', async ({
  external,
  usher,
  app,
  provider,
}) => {
  usher.forgetLog()
  provider.lies = { claims: { aud: 'another-client' } }
  const callback = provider.authorize((await external.started()).url)
  await external.callback(callback)
  expect(auditRecords(usher)).toMatchObject([
    { audit: 'login.failed', databaseId: app.id, connection: 'acme', way: 'external' },
  ])
  expect(usher.logged()).toContain('unexpected \\"aud\\" claim value')
  expect(usher.logged()).not.toContain(callback.searchParams.get('code'))
})
