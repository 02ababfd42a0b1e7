import { randomUUID } from 'node:crypto'
import { isProblemCode, operatorRightOf, problems, type RouteMetadata } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import { type OperatorAction, operatorContract } from '@usher/contract/operator'
import { describe, expect } from 'vitest'
import { adviceFor } from '../../server/console/problems.js'
import { createDatabase } from '../../server/domain/management/databases.js'
import { requireMatch } from '../../server/domain/management/etag.js'
import { findSetupLink } from '../../server/domain/operators/first-operator.js'
import { startApp } from '../support/app.js'
import { it as consoleTest, type LoggedInOperator, openConsole } from '../support/console.js'
import { startLyingProvider } from '../support/lying-provider.js'
import { openTestStore } from '../support/store.js'

const it = consoleTest
  .extend('provider', { scope: 'file' }, async ({ storeKind: _ }, { onCleanup }) => {
    const provider = await startLyingProvider()
    onCleanup(provider.close)
    return provider
  })
  .extend('settings', { scope: 'file' }, ({ provider }) => ({ PRIVATE_ISSUERS: provider.origin }))
  .extend('owner', { scope: 'file' }, ({ console }) => console.owner())
  .extend('app', { scope: 'file' }, async ({ usher, owner }) => {
    await owner.send('POST', '/operator/workspaces', { slug: 'acme' })
    await owner.send('POST', '/operator/workspaces/acme/databases', { name: 'app' })
    const operations = usher.client('acme', 'app')
    const database = await usher.context.findDatabase({ workspaceSlug: 'acme', databaseName: 'app' })
    return {
      ...operations,
      id: database.id,
      path: '/operator/workspaces/acme/databases/app',
      management: '/workspaces/acme/databases/app/management',
    }
  })
  .extend('connections', { scope: 'file' }, async ({ usher, owner, app, provider }) => {
    const confirmed = { 'usher-confirmation': await owner.confirm() }
    const settings = { appUrl: 'https://a.example' }
    await owner.send('PATCH', `${app.path}/settings`, { settings }, confirmed)
    usher.clock.cacheAhead += 6_000
    const path = `${app.path}/connections`
    const { issuer } = provider
    const given = { name: 'acme', issuer: `${issuer}/`, clientId: 'usher-client', secret: 'client secret' }
    return {
      list: async () => (await owner.send('GET', path)).json(),
      get: (name: string) => owner.send('GET', `${path}/${name}`),
      add: (body: object) => owner.send('POST', path, { ...given, ...body }, confirmed),
      change: (name: string, body: object, headers = {}) =>
        owner.send('PATCH', `${path}/${name}`, body, { ...confirmed, ...headers }),
      check: (name: string) => owner.send('POST', `${path}/${name}/check`),
      remove: (name: string) => owner.send('DELETE', `${path}/${name}`, undefined, confirmed),
      /** Returns the names of those that users see. */
      async offered() {
        usher.clock.cacheAhead += 6_000
        const response = await usher.inject({
          method: 'GET',
          url: app.users.replace(/users$/, 'connections'),
        })
        return response.json().connections.map((each: { name: string; title: string }) => each.title)
      },
    }
  })

const codeOf = (response: { statusCode: number; json: () => { code?: string } }) =>
  response.statusCode < 300 ? response.statusCode : response.json().code

describe('the first operator', () => {
  it('is created once, also by two requests at the same time', async ({ usher }) => {
    const store = await openTestStore(usher.store.settings ? 'postgres' : 'embedded')
    const other = await startApp(store)
    const console = await openConsole(other)
    const info = async () => (await other.inject({ method: 'GET', url: '/operator/console' })).json()
    expect(await info()).toMatchObject({ workspace: 'usher', database: 'operators', hasOperators: false })
    expect(await findSetupLink(other.context)).toMatch(/^http:\/\/localhost:3000\/console\/setup#code=/)
    const code = await console.setupCode()
    expect(codeOf(await console.createFirst('ada@example.com', `${code}x`))).toBe('code_invalid')
    expect(codeOf(await console.createFirst('not an address', code))).toBe('validation_failed')
    const both = await Promise.all([
      console.createFirst('ada@example.com', code),
      console.createFirst('grace@example.com', code),
    ])
    expect(both.map(codeOf).sort()).toEqual([201, 'code_invalid'])
    expect(both.find(({ statusCode }) => statusCode === 201)?.json().rights).toEqual([
      { workspace: null, role: 'owner' },
    ])
    expect(codeOf(await console.createFirst('third@example.com', code))).toBe('code_invalid')
    expect(await info()).toMatchObject({ hasOperators: true })
    expect(await findSetupLink(other.context)).toBeUndefined()
    await other.close()
    await store.close()
  })

  it('needs a code that is at most 24 hours old', async () => {
    const store = await openTestStore('postgres')
    const other = await startApp(store)
    const console = await openConsole(other)
    const code = await console.setupCode()
    other.clock.now += 24 * 3_600_000 + 1
    expect(codeOf(await console.createFirst('ada@example.com', code))).toBe('code_invalid')
    await other.close()
    await store.close()
  })

  it('has a database with another name if a customer has that name', async () => {
    const store = await openTestStore('postgres')
    const other = await startApp(store)
    await other.newDatabase('standard', 'usher')
    const now = new Date(other.clock.now)
    await createDatabase({ store, now }, { workspaceSlug: 'usher', databaseName: 'operators' }, {})
    const console = await openConsole(other)
    expect(console.database).toMatchObject({ databaseName: 'operators-2', isOperators: true })
    await other.close()
    await store.close()
  })
})

it('a token of one factor is rejected, and the log-in after it demands a second factor', async ({
  usher,
  console,
  owner,
}) => {
  const headers = { 'usher-confirmation': await owner.confirm() }
  const body = { email: 'new@example.com', workspace: null, role: 'member' }
  const added = await owner.send('POST', '/operator/operators', body, headers)
  const code = String(added.json().link).split('#code=')[1]
  const reset = await console.post('password-reset/confirm', { code, newPassword: 'a long enough one' })
  const authorization = `Bearer ${reset.json().token.jwt}`
  const me = await usher.inject({ method: 'GET', url: '/operator/me', headers: { authorization } })
  expect(codeOf(me)).toBe('token_invalid')
  const login = await console.post('login', { email: body.email, password: 'a long enough one' })
  expect(codeOf(login)).toBe('enrolment_required')
})

it('the installation keeps an owner', async ({ owner }) => {
  const confirmed = async () => ({ 'usher-confirmation': await owner.confirm() })
  const path = `/operator/operators/${owner.id}`
  const change = { workspace: null, role: 'admin' }
  const refused = [
    await owner.send('PATCH', path, change, await confirmed()),
    await owner.send('PATCH', path, { ...change, role: null }, await confirmed()),
    await owner.send('DELETE', path, undefined, await confirmed()),
  ]
  expect(refused.map(codeOf)).toEqual(['owner_needed', 'owner_needed', 'owner_needed'])
})

it('a right that is taken away ends at the next request', async ({ console, owner, app }) => {
  expect(app.id).toBeDefined()
  const helper = await console.operator(owner, {
    email: 'helper@example.com',
    workspace: 'acme',
    role: 'admin',
  })
  expect(codeOf(await helper.send('GET', `${app.path}/keys`))).toBe(200)
  const headers = { 'usher-confirmation': await owner.confirm() }
  const taken = { workspace: 'acme', role: null }
  await owner.send('PATCH', `/operator/operators/${helper.id}`, taken, headers)
  expect(codeOf(await helper.send('GET', `${app.path}/keys`))).toBe('database_not_found')
})

it('the database of the operators is no database of a customer', async ({ console, owner, app }) => {
  expect(app.id).toBeDefined()
  const path = '/operator/workspaces/usher/databases/operators'
  const confirmed = async () => ({ 'usher-confirmation': await owner.confirm() })
  const key = { name: 'backend', scopes: ['users:read'], expiresInDays: 1 }
  const outcomes = [
    await owner.send('DELETE', path, undefined, await confirmed()),
    await owner.send('POST', `${path}/api-keys`, key, await confirmed()),
    await owner.send('PATCH', `${path}/settings`, { settings: { signUp: true } }, await confirmed()),
    await owner.send('GET', '/workspaces/usher/databases/operators/management/users'),
    await console.post('', { email: 'eve@example.com', password: 'four random common words' }),
    await owner.send('POST', `${console.users}/me/tenants`, { name: 'Own' }),
  ]
  expect(outcomes.map(codeOf)).toEqual([
    'operators_database',
    'database_not_found',
    'database_not_found',
    'database_not_found',
    'route_not_found',
    'route_not_found',
  ])
  const listed = await owner.send('GET', '/operator/workspaces/usher/databases')
  expect(listed.json().databases).toEqual([])
})

describe('settings', () => {
  it('of two operators who have read the same ones, the second gets a problem', async ({ owner, app }) => {
    const read = await owner.send('GET', `${app.path}/settings`)
    const etag = String(read.headers.etag)
    expect(() => requireMatch('"other"', etag)).toThrow()
    const change = (settings: object) =>
      owner.send('PATCH', `${app.path}/settings`, { settings }, { 'if-match': etag })
    const both = await Promise.all([change({ sessionIdle: 3_600 }), change({ sessionIdle: 7_200 })])
    expect(both.map(codeOf).sort()).toEqual([200, 'precondition_failed'])
    const now = await owner.send('GET', `${app.path}/settings`)
    const stored = both.find(({ statusCode }) => statusCode === 200)
    expect(now.json().values).toEqual(stored?.json().values)
    expect(now.headers.etag).toBe(stored?.headers.etag)
  })

  it('each that `confirms` needs a confirmation, and no other', async ({ owner, app }) => {
    const { settings } = (await owner.send('GET', `${app.path}/settings`)).json()
    for (const { name, value, confirms } of settings) {
      const response = await owner.send('PATCH', `${app.path}/settings`, { settings: { [name]: value } })
      expect([name, codeOf(response)]).toEqual([name, confirms ? 'step_up_required' : 200])
    }
    const headers = { 'usher-confirmation': await owner.confirm() }
    const confirmed = await owner.send(
      'PATCH',
      `${app.path}/settings`,
      { settings: { appUrl: 'https://a.example' } },
      headers,
    )
    expect(confirmed.json().values.appUrl).toBe('https://a.example')
  })

  it('an unknown parameter is reported as `query`, and an invalid path is that of no database', async ({
    owner,
    app,
  }) => {
    const { path } = app
    const misspelt = await owner.send('GET', `${path}/settings?setting=appUrl`)
    expect(misspelt.json().errors).toMatchObject([{ path: 'query', detail: 'has unknown fields: setting' }])
    const invalid = await owner.send('GET', `${path}!/settings`)
    expect(invalid.json()).toMatchObject({ code: 'database_not_found', status: 404 })
  })

  it('wrong values have the name of the setting', async ({ owner, app }) => {
    const settings = { sessionIdle: 'long', nothing: true }
    const response = await owner.send('PATCH', `${app.path}/settings`, { settings })
    expect(response.json().errors).toMatchObject([
      { path: 'settings.sessionIdle' },
      { path: 'settings.nothing' },
    ])
  })
})

it('a key signs early only with a confirmation, also one that is pending', async ({ owner, app }) => {
  const rotate = async (body: object, headers = {}) =>
    owner.send('POST', `${app.path}/keys/rotate`, body, headers)
  const stolen = { activateInSeconds: 0 }
  const first = await rotate({})
  expect([await rotate(stolen), await rotate({ activateInSeconds: 3_599 })].map(codeOf)).toEqual([
    'step_up_required',
    'step_up_required',
  ])
  const brought = await rotate(stolen, { 'usher-confirmation': await owner.confirm() })
  expect(brought.json()).toMatchObject({ kid: first.json().kid, state: 'signs' })
})

it('a refusal says what to do in words of every client', async ({ store, owner, app }) => {
  const confirmed = async () => ({ 'usher-confirmation': await owner.confirm() })
  await owner.send('POST', '/operator/workspaces/acme/databases', { name: 'refusing' })
  const path = '/operator/workspaces/acme/databases/refusing'
  const [{ kid }] = (await owner.send('GET', `${path}/keys`)).json().keys
  const needed = await owner.send('DELETE', `${path}/keys/${kid}`, undefined, await confirmed())
  await owner.send('POST', `${path}/keys/rotate`, {})
  const pending = await owner.send('POST', `${path}/keys/rotate`, {})
  const set = async (appUrl: string) =>
    owner.send('PATCH', `${app.path}/settings`, { settings: { appUrl } }, await confirmed())
  await set('https://a.example')
  const { id: userId } = await app.signedUp()
  const passkey = { kind: 'passkey', credentialId: new Uint8Array([7]), domain: 'a.example' }
  await store.prisma.factor.create({
    data: { ...passkey, databaseId: app.id, id: randomUUID(), userId, createdAt: new Date() },
  })
  const inUse = await set('https://b.example')
  await store.prisma.factor.deleteMany({ where: { userId } })
  const details = [needed, pending, inUse].map((response) => [codeOf(response), response.json().detail])
  expect(details).toEqual([
    ['key_needed', 'No other key can sign yet. First rotate, and let the next key sign immediately.'],
    [
      'key_pending',
      expect.stringMatching(/ If the key that signs was stolen, let the pending one sign immediately\.$/),
    ],
    [
      'passkeys_in_use',
      'Users have passkeys of a.example, and passkeys would work only at b.example. To keep them, set the passkey domain to a.example.',
    ],
  ])
})

it('the console gives no advice on problems that no response has', () => {
  const given = Object.keys(problems).filter(
    (code) => !isProblemCode(code) && adviceFor({ code, title: '', detail: '', errors: [] }),
  )
  expect(given).toEqual([])
})

it('what changes something is recorded with its outcome, what reads is not', async ({ owner, app }) => {
  await owner.send('GET', `${app.path}/keys`)
  await owner.send('POST', '/operator/workspaces/acme/databases', { name: 'app' })
  const tenant = await owner.send('POST', `${app.management}/tenants`, { name: 'Engines' })
  await owner.send('PATCH', `${app.management}/tenants/${tenant.json().id}`, { seats: 3 })
  const { actions, next } = (
    await owner.send('GET', `/operator/actions?limit=3&operatorId=${owner.id}`)
  ).json()
  expect(actions).toMatchObject([
    { action: 'changeTenant', database: 'app', target: tenant.json().id, outcome: 'done' },
    { action: 'addTenant', workspace: 'acme', target: tenant.json().id, outcome: 'done' },
    { action: 'createDatabase', database: null, target: null, outcome: 'database_exists' },
  ])
  expect(next).toBe(actions[2].id)
  expect(actions[0]).toMatchObject({ operatorEmail: owner.email, operatorName: null, tenantId: null })
  const others = await owner.send('GET', '/operator/actions?operatorId=01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01')
  expect(others.json()).toEqual({ actions: [], next: null })
})

describe('the recorded actions of a database', () => {
  const actionsOf = async (by: LoggedInOperator, path: string, query = '') => {
    const { actions } = (await by.send('GET', `${path}/actions${query}`)).json()
    return actions.map(({ action, target, tenantId, fields }: OperatorAction) => [
      action,
      target,
      tenantId,
      fields,
    ])
  }

  it('are read by a viewer of the workspace, also those of one user or tenant', async ({
    console,
    owner,
    app,
  }) => {
    const viewer = await console.operator(owner, {
      email: 'reader@example.com',
      workspace: 'acme',
      role: 'member',
    })
    const { id } = (
      await owner.send('POST', `${app.management}/users`, { email: 'acted@example.com' })
    ).json()
    const tenant = (await owner.send('POST', `${app.management}/tenants`, { name: 'Acted' })).json().id
    await owner.send('PATCH', `${app.management}/users/${id}`, { preferredName: 'Ada', disabled: true })
    await owner.send('PUT', `${app.management}/tenants/${tenant}/members/${id}`, { role: 'admin' })
    const ofUser = [
      ['putMember', id, tenant, 'role'],
      ['changeUser', id, null, 'preferredName, disabled: true'],
      ['addUser', id, null, 'email'],
    ]
    expect(await actionsOf(viewer, app.path, `?target=${id}`)).toEqual(ofUser)
    expect(await actionsOf(viewer, app.path, `?target=${id}&limit=1`)).toEqual([ofUser[0]])
    expect(await actionsOf(viewer, app.path, `?target=${tenant}`)).toEqual([
      ['addTenant', tenant, null, 'name'],
    ])
    const all = await actionsOf(viewer, app.path, '?limit=4')
    expect(all).toEqual([ofUser[0], ofUser[1], ['addTenant', tenant, null, 'name'], ofUser[2]])
  })

  it('have the names of settings, and no other text of a body', async ({ owner, app }) => {
    const settings = { sessionIdle: 3_600, signUp: true, 'a\u0000': true, ['b'.repeat(300)]: 1 }
    const refused = await owner.send('PATCH', `${app.path}/settings`, { settings })
    expect(refused.statusCode).toBe(400)
    const [[action, , , fields]] = await actionsOf(owner, app.path, '?limit=1')
    expect([action, fields]).toEqual([
      'changeSettings',
      `sessionIdle, signUp: true, ${'b'.repeat(300)}`.slice(0, 255),
    ])
  })

  it('are not those of another database, nor of a deleted one with the same name', async ({
    usher,
    owner,
    app,
  }) => {
    expect(app.id).toBeDefined()
    const databases = '/operator/workspaces/acme/databases'
    const path = `${databases}/again`
    const addTenant = () =>
      owner.send('POST', '/workspaces/acme/databases/again/management/tenants', { name: 'Again' })
    await owner.send('POST', databases, { name: 'again' })
    expect(await actionsOf(owner, path)).toEqual([])
    await addTenant()
    expect(await actionsOf(owner, path)).toHaveLength(1)
    const headers = { 'usher-confirmation': await owner.confirm() }
    await owner.send('DELETE', path, undefined, headers)
    await owner.send('POST', databases, { name: 'again' })
    usher.clock.cacheAhead += 5_001
    expect(await actionsOf(owner, path)).toEqual([])
  })
})

it('a list of databases has their users and the logins of seven days', async ({
  usher,
  store,
  owner,
  app,
}) => {
  const { prisma } = store
  const counts = { signUps: 0, failures: 0, throttled: 0, mails: 0, mailsFailed: 0 }
  const dayAgo = (days: number) => new Date(usher.clock.now - days * 86_400_000)
  for (const [days, logins] of [
    [0, 1],
    [6, 2],
    [7, 4],
  ] as const) {
    const key = { databaseId: app.id, day: dayAgo(days) }
    // The server may have stored what the tests before have done.
    await prisma.dailyStatistics.upsert({
      where: { databaseId_day: key },
      create: { ...key, logins, ...counts },
      update: { logins },
    })
  }
  const counted = { startedAt: dayAgo(0), users: 5_000n, countedAt: dayAgo(0) }
  await prisma.sweep.upsert({
    where: { databaseId: app.id },
    create: { databaseId: app.id, ...counted },
    update: counted,
  })
  await owner.send('POST', '/operator/workspaces/acme/databases', { name: 'empty' })
  const { databases } = (await owner.send('GET', '/operator/workspaces/acme/databases')).json()
  expect(databases).toMatchObject([
    { name: 'again', users: 0, logins: 0 },
    { name: 'app', users: 5_000, logins: 3, isBeingDeleted: false },
    { name: 'empty', users: 0, logins: 0 },
    { name: 'refusing' },
  ])
})

describe('the management API with the token of an operator', () => {
  it('creates once per Idempotency-Key', async ({ owner, app }) => {
    const headers = { 'idempotency-key': 'once' }
    const add = () => owner.send('POST', `${app.management}/tenants`, { name: 'Once' }, headers)
    const [first, second] = [await add(), await add()]
    expect([first.statusCode, second.statusCode]).toEqual([201, 201])
    expect(second.json()).toEqual(first.json())
  })

  it('confirms and records an import once, and accepts its confirmation for nothing else', async ({
    owner,
    app,
  }) => {
    const importUsers = (body: string, headers: Record<string, string>, path = 'users/import') =>
      owner.send('POST', `${app.management}/${path}`, Buffer.from(body), {
        'content-type': 'application/x-ndjson',
        ...headers,
      })
    const confirmed = { 'usher-confirmation': await owner.confirm() }
    const begun = await owner.send('POST', `${app.path}/imports`, undefined, confirmed)
    expect([begun.statusCode, begun.json().maxAge]).toEqual([201, 21_600])
    const permit = { 'usher-confirmation': begun.json().value }
    const lines = ['one', 'two'].map((name) => JSON.stringify({ email: `imported-${name}@example.com` }))
    expect(codeOf(await importUsers(lines.join('\n'), confirmed))).toBe('step_up_required')
    expect((await importUsers(lines.join('\n'), {}, 'users/import/check')).json()).toMatchObject({
      created: 2,
    })
    for (const line of lines) expect((await importUsers(line, permit)).json()).toMatchObject({ created: 1 })
    const { id } = await app.signedUp()
    expect(codeOf(await owner.send('DELETE', `${app.management}/users/${id}`, undefined, permit))).toBe(
      'step_up_required',
    )
    await owner.send('POST', '/operator/workspaces/acme/databases', { name: 'other' })
    expect(
      codeOf(await owner.send('POST', '/operator/workspaces/acme/databases/other/imports', {}, permit)),
    ).toBe('step_up_required')
    const { actions } = (await owner.send('GET', '/operator/actions?limit=3')).json()
    expect(actions).toMatchObject([
      { action: 'createDatabase' },
      { action: 'beginImport', database: 'app', outcome: 'done' },
      { action: expect.not.stringMatching(/mport/) },
    ])
  })

  it('leaves passwords, hashes and returned codes to backends and the host', async ({ owner, app }) => {
    const user = await app.signedUp()
    const confirmed = { 'usher-confirmation': await owner.confirm() }
    const path = `${app.management}/users/${user.id}`
    const hash = '$2b$10$abcdefghijklmnopqrstuuJ3sPs9mPZ0Vb3c0xqjI1mKkI0mY5m2e'
    const responses = [
      await owner.send('PUT', `${path}/password`, { password: 'another long one' }, confirmed),
      await owner.send('POST', `${path}/codes`, { purpose: 'password_reset', deliver: 'return' }, confirmed),
      await owner.send(
        'POST',
        `${app.management}/users`,
        { email: 'hash@example.com', passwordHash: hash },
        confirmed,
      ),
      await owner.send(
        'POST',
        `${app.management}/users`,
        { email: 'hash@example.com', password: 'another long one' },
        confirmed,
      ),
      await owner.send('PATCH', path, { email: 'other@example.com' }),
      await owner.send('PATCH', path, { email: 'other@example.com' }, confirmed),
    ]
    expect(responses.map(codeOf)).toEqual([
      'role_insufficient',
      'role_insufficient',
      'role_insufficient',
      'role_insufficient',
      'step_up_required',
      200,
    ])
  })

  it('adds a user with a verified address only with a confirmation', async ({ owner, app }) => {
    const add = (emailVerified: boolean, headers = {}) =>
      owner.send('POST', `${app.management}/users`, { email: 'known@example.com', emailVerified }, headers)
    expect(codeOf(await add(true))).toBe('step_up_required')
    const added = await add(true, { 'usher-confirmation': await owner.confirm() })
    expect(added.json()).toMatchObject({ emailVerified: true })
    expect(codeOf(await add(false))).toBe('email_taken')
  })

  it('shows a viewer the settings of mails', async ({ console, owner, app }) => {
    const body = { email: 'mail-reader@example.com', workspace: 'acme', role: 'member' }
    const viewer = await console.operator(owner, body)
    const path = `${app.management}/mail-settings`
    expect((await viewer.send('GET', path)).json()).toMatchObject({ appName: null, mailTemplates: [] })
    expect(codeOf(await owner.send('PATCH', path, { appName: 'Acme' }))).toBe('role_insufficient')
  })

  it('shows private metadata from the role admin on', async ({ console, owner, app }) => {
    const support = await console.operator(owner, {
      email: 'support@example.com',
      workspace: 'acme',
      role: 'support',
    })
    const body = { email: 'private@example.com', privateMetadata: { plan: 'pro' } }
    const { id } = (await owner.send('POST', `${app.management}/users`, body)).json()
    const shown = async (by: typeof owner) =>
      (await by.send('GET', `${app.management}/users/${id}`)).json().privateMetadata
    expect([await shown(owner), await shown(support)]).toEqual([{ plan: 'pro' }, null])
  })
})

describe('connections', () => {
  it('one is added, changed, checked and removed, and recorded by its name', async ({
    owner,
    provider,
    connections,
  }) => {
    const { callbackUrl } = await connections.list()
    const added = await connections.add({ title: 'Acme', audiences: ['phone'] })
    expect(added.json()).toEqual({
      name: 'acme',
      preset: 'oidc',
      issuer: provider.issuer,
      clientId: 'usher-client',
      hasSecret: true,
      isEnabled: true,
      title: 'Acme',
      scopes: [],
      audiences: ['phone'],
      linkByEmail: true,
      trustEmail: false,
      teamId: null,
      keyId: null,
      callbackUrl: callbackUrl.replace('{name}', 'acme'),
      createdAt: expect.any(String),
    })
    const asked = () => {
      const form = provider.exchanges.at(-1)?.form
      return [form?.get('client_secret'), form?.get('redirect_uri')]
    }
    expect(asked()).toEqual(['client secret', added.json().callbackUrl])
    expect(await connections.offered()).toEqual(['Acme'])

    const shown = { title: null, audiences: [], scopes: ['email'], trustEmail: true }
    const changed = await connections.change('acme', { ...shown, secret: 'another secret' })
    expect(changed.json()).toEqual({ ...added.json(), ...shown })
    expect((await connections.get('acme')).json()).toEqual(changed.json())
    expect(codeOf(await connections.check('acme'))).toBe(204)
    expect(asked()).toEqual(['another secret', added.json().callbackUrl])
    expect(await connections.offered()).toEqual(['OpenID Connect'])
    await connections.change('acme', { isEnabled: false })
    expect(await connections.offered()).toEqual([])

    const removed = [await connections.remove('acme'), await connections.remove('acme')]
    expect([...removed, await connections.get('acme')].map(codeOf)).toEqual([
      204,
      204,
      'connection_not_found',
    ])
    const { actions } = (await owner.send('GET', `/operator/actions?limit=6&operatorId=${owner.id}`)).json()
    expect(
      actions.map(({ action, target, outcome }: Record<string, string>) => `${action} ${target} ${outcome}`),
    ).toEqual([
      'removeConnection acme done',
      'removeConnection acme done',
      'changeConnection acme done',
      'checkConnection acme done',
      'changeConnection acme done',
      'addConnection acme done',
    ])
  })

  it('of two operators who change the same one, the second gets a problem', async ({ connections }) => {
    const added = await connections.add({})
    const etag = String((await connections.get('acme')).headers.etag)
    const change = (title: string) => connections.change('acme', { title }, { 'if-match': etag })
    const both = await Promise.all([change('One'), change('Two')])
    expect(both.map(codeOf).sort()).toEqual([200, 'precondition_failed'])
    const stored = both.find(({ statusCode }) => statusCode === 200)
    const now = await connections.get('acme')
    expect([now.json(), now.headers.etag]).toEqual([stored?.json(), stored?.headers.etag])
    // Without the condition, each keeps what the other has changed.
    await Promise.all([
      connections.change('acme', { clientId: 'other' }),
      connections.change('acme', { linkByEmail: false }),
    ])
    const merged = { clientId: 'other', linkByEmail: false, createdAt: added.json().createdAt }
    expect((await connections.get('acme')).json()).toMatchObject(merged)
    await connections.remove('acme')
  })

  it.for([
    [{ name: 'Acme', clientId: 'é', secret: '' }, ['name', 'clientId', 'secret']],
    [{ issuer: undefined }, ['issuer']],
    [{ issuer: 'acme' }, ['issuer']],
    [{ preset: 'toString' }, ['preset']],
    [{ title: ' ', scopes: ['a b', ''], audiences: [''] }, ['title', 'scopes', 'audiences']],
    [{ name: 'apple' }, ['teamId', 'keyId']],
    [{ preset: 'apple', teamId: 'abc', keyId: null }, ['teamId', 'keyId']],
  ] as const)('%j is rejected with each field that is wrong', async ([body, paths], { connections }) => {
    const response = await connections.add(body)
    expect(response.statusCode).toBe(400)
    expect(
      response
        .json()
        .errors.map(({ path }: { path: string }) => path)
        .sort(),
    ).toEqual(paths.toSorted())
  })

  it('a change is rejected with each field that is wrong', async ({ connections }) => {
    await connections.add({})
    const response = await connections.change('acme', { clientId: '', title: '', secret: '', keyId: 'abc' })
    expect(
      response
        .json()
        .errors.map(({ path }: { path: string }) => path)
        .sort(),
    ).toEqual(['clientId', 'keyId', 'secret', 'title'])
    await connections.remove('acme')
  })

  it.for([
    ['with a slash, as the provider has it', '/', '/'],
    ['with a slash that the provider has not', '/', ''],
    ['without the slash that the provider has', '', '/'],
    ['with the path of the discovery document', '/.well-known/openid-configuration', '/'],
  ])('an issuer can be added %s', async ([, given, slash], { provider, connections }) => {
    provider.lies = { discovery: { issuer: provider.issuer + slash } }
    const added = await connections.add({ issuer: provider.issuer + given })
    expect(added.statusCode).toBe(201)
    expect(added.json().issuer).toBe(provider.issuer)
    provider.lies = {}
    await connections.remove('acme')
  })

  it('Slack, which reports a wrong code with an error of its own, can be added', async ({
    provider,
    connections,
  }) => {
    provider.lies.answer = (path, response) => {
      const isToken = path === '/token'
      if (isToken)
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('{"ok":false,"error":"invalid_code"}')
      return isToken
    }
    expect((await connections.add({})).statusCode).toBe(201)
    provider.lies = {}
    await connections.remove('acme')
  })

  it('what the provider rejects, or what is not public, is not added', async ({ provider, connections }) => {
    const requests = provider.requests.length
    const hidden = await connections.add({ issuer: 'https://10.0.0.1' })
    expect(hidden.json().detail).toContain('which is not a public address')
    expect(provider.requests.length).toBe(requests)
    provider.lies.answer = (path, response) => {
      if (path !== '/token') return false
      const error = { error: 'invalid_client', error_description: 'client secret is wrong' }
      response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(error))
      return true
    }
    const rejected = await connections.add({})
    provider.lies = {}
    expect(rejected.json().detail).toMatch(/has rejected the code: invalid_client \(… is wrong\)\.$/)
    expect((await connections.list()).connections).toEqual([])
    const twice = [await connections.add({}), await connections.add({})]
    expect([hidden, rejected, ...twice].map(codeOf)).toEqual([
      'connection_invalid',
      'connection_invalid',
      201,
      'connection_exists',
    ])
    await connections.remove('acme')
  })
})

/** The paths of everything that operators read. */
const readPaths = [...Object.values(operatorContract), ...Object.values(managementContract)].flatMap(
  (routes) =>
    Object.values(
      routes as Record<string, { method: string; path: string; metadata: RouteMetadata }>,
    ).flatMap(({ method, path, metadata }) => {
      const isRead = method === 'GET' && (path.startsWith('/operator/') || operatorRightOf(metadata))
      return isRead ? [path] : []
    }),
)

it('no response shows a hash, a secret, a private key or a token', async ({
  store,
  usher,
  owner,
  app,
  provider,
}) => {
  const confirmed = async () => ({ 'usher-confirmation': await owner.confirm() })
  const user = await app.signedUp({ email: 'shown@example.com' })
  const key = { name: 'backend', scopes: ['users:read'], expiresInDays: 1 }
  const created = await owner.send('POST', `${app.path}/api-keys`, key, await confirmed())
  expect(created.statusCode).toBe(201)
  const webhookUrl = 'https://hooks.example/usher'
  const setWebhook = async (settings: object) =>
    (await owner.send('PATCH', `${app.path}/settings`, { settings }, await confirmed())).json().webhookSecret
  const webhookSecrets = [
    await setWebhook({ webhookUrl, singleSignOn: true }),
    await setWebhook({ webhookUrl }),
  ]
  usher.clock.cacheAhead += 6_000
  expect(webhookSecrets).toEqual([expect.stringMatching(/^whsec_/), null])
  const tenant = (await owner.send('POST', `${app.management}/tenants`, { name: 'Shown' })).json()
  const invited = { email: 'invited@example.com', role: 'member' }
  const connection = { name: 'shown', issuer: provider.issuer, clientId: 'client', secret: 'a client secret' }
  const changed = { secret: 'its next secret', isEnabled: true }
  const changes = [
    await owner.send('POST', `${app.path}/connections`, connection, await confirmed()),
    await owner.send('PATCH', `${app.path}/connections/shown`, changed, await confirmed()),
    await owner.send('POST', `${app.management}/tenants/${tenant.id}/invitations`, invited),
  ]
  const params = { ...app, userId: user.id, tenantId: tenant.id, connection: 'shown' }
  const paths = readPaths.map((path) =>
    path
      .replace(':workspaceSlug', 'acme')
      .replace(':databaseName', 'app')
      .replace(/:(\w+)/g, (_, name: keyof typeof params) => String(params[name])),
  )
  const responses = [...changes, ...(await Promise.all(paths.map((path) => owner.send('GET', path))))]
  expect(responses.map((each) => [each.statusCode < 300, each.body])).toEqual(
    responses.map(({ body }) => [true, body]),
  )
  const shown = responses.map(({ body }) => body).join('\n')
  const { prisma } = store
  const secrets: unknown[] = [
    created.json().key,
    owner.jwt,
    connection.secret,
    changed.secret,
    webhookSecrets[0],
    ...(await prisma.connection.findMany()).map((row) => row.sealedSecret),
    ...(await prisma.user.findMany()).map(({ passwordHash }) => passwordHash),
    ...(await prisma.signingKey.findMany()).map((row) => row.sealedPrivateKey),
    ...(await prisma.databaseSecret.findMany()).map((row) => row.sealedSecret),
    ...(await prisma.apiKey.findMany()).map((row) => row.hash),
    ...(await prisma.factor.findMany()).flatMap((row) =>
      Object.values(row).filter((each) => each instanceof Uint8Array),
    ),
    ...(await prisma.database.findMany()).map((row) => row.sealedWebhookSecret),
  ].filter((each) => each !== null)
  expect(secrets.length).toBeGreaterThan(8)
  const texts = secrets.flatMap((each) =>
    typeof each === 'string'
      ? [each]
      : (['hex', 'base64', 'base64url'] as const).map((encoding) =>
          Buffer.from(each as Uint8Array).toString(encoding),
        ),
  )
  expect(texts.filter((text) => shown.includes(text))).toEqual([])
  expect(shown).not.toMatch(/passwordHash|sealed|\$argon2|usher_\w{12}_/)
  // A code of a mail, such as that of the invitation.
  expect(shown).not.toMatch(/[\da-f-]{36}\.[\w-]{43}/)
})
