import { randomUUID } from 'node:crypto'
import { describe, expect, vi } from 'vitest'
import { UnavailableError } from '../../server/store/errors.js'
import { password, type TestApi, type TestDatabase, validUser } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { it as managementTest } from '../support/management.js'
import { setDatabase } from '../support/operator-changes.js'
import { keptEvents } from '../support/tenants.js'
import { writtenCode } from '../support/written-mails.js'

/** `it` with a user who has a session. */
const it = managementTest.extend('ada', async ({ usher, store, manage }) => {
  const { database, newKey } = manage
  await setDatabase(store, database, { appUrl: 'https://app.example.com' })
  const email = 'ada@example.com'
  const session = await database.opened({ email })
  const { key, id: apiKey } = await newKey()
  const path = `users/${session.id}`
  const send = (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    below = '',
    body?: object,
    headers = {},
  ) => manage.send(key, method, path + below, body, headers)
  /** Returns the events that were audited with the API key. */
  const audited = () =>
    auditRecords(usher)
      .filter((record) => record.apiKey === apiKey && record.userId === session.id)
      .map(({ audit }) => audit)
  return { ...session, email, path, send, audited }
})

describe('changeUser', () => {
  it('changes the given fields', async ({ manage, ada }) => {
    const changed = await ada.send('PATCH', '', { preferredName: 'Ada', emailVerified: true })
    expect(changed.statusCode).toBe(200)
    expect(changed.json()).toMatchObject({ email: ada.email, preferredName: 'Ada', emailVerified: true })
    expect((await ada.send('GET')).json()).toEqual(changed.json())
    expect((await ada.send('PATCH', '', { preferredName: null })).json()).toMatchObject({
      preferredName: null,
      emailVerified: true,
    })
    expect(ada.audited()).toEqual(['user.updated', 'user.email_verified', 'user.updated'])
    expect((await manage.database.me(ada.token.jwt)).statusCode).toBe(200)
  })

  it('disables and enables a user, whose tokens and session stay revoked', async ({ manage, ada }) => {
    const { database } = manage
    expect((await ada.send('PATCH', '', { disabled: true })).json()).toMatchObject({
      disabled: true,
      sessions: 0,
    })
    expect((await database.login({ email: ada.email, password })).statusCode).toBe(401)
    expect((await ada.send('PATCH', '', { disabled: false })).json()).toMatchObject({ disabled: false })
    expect((await database.me(ada.token.jwt)).statusCode).toBe(401)
    expect((await database.refresh(ada.refreshToken.value)).statusCode).toBe(401)
    expect((await database.login({ email: ada.email, password })).statusCode).toBe(200)
    expect(ada.audited()).toEqual(['user.disabled', 'user.enabled'])
  })

  it('changes the address, which is not verified then, and makes codes to the former one useless', async ({
    usher,
    manage,
    ada,
  }) => {
    const { database } = manage
    await ada.send('PATCH', '', { emailVerified: true })
    const { code } = (
      await ada.send('POST', '/codes', { purpose: 'password_reset', deliver: 'return' })
    ).json()
    const changed = await ada.send('PATCH', '', { email: 'lovelace@example.com' })
    expect(changed.json()).toMatchObject({ email: 'lovelace@example.com', emailVerified: false })
    const confirmed = await usher.send({
      method: 'POST',
      url: `${database.users}/password-reset/confirm`,
      payload: { code, newPassword: 'another battery staple' },
    })
    expect(confirmed.json().code).toBe('code_invalid')
    expect((await database.login({ email: ada.email, password })).statusCode).toBe(401)
    expect((await database.login({ email: 'lovelace@example.com', password })).statusCode).toBe(200)
  })

  it('keeps the verification if only the spelling of the address changes', async ({ ada }) => {
    await ada.send('PATCH', '', { emailVerified: true })
    const changed = await ada.send('PATCH', '', { email: 'Ada@Example.com' })
    expect(changed.json()).toMatchObject({ email: 'Ada@Example.com', emailVerified: true })
  })

  it('refuses the address of another user and changes nothing', async ({ manage, ada }) => {
    await manage.database.signedUp({ email: 'grace@example.com' })
    const before = (await ada.send('GET')).json()
    const taken = await ada.send('PATCH', '', { email: 'grace@example.com', disabled: true })
    expect([taken.statusCode, taken.json().code]).toEqual([409, 'email_taken'])
    expect((await ada.send('GET')).json()).toEqual(before)
  })

  it('with If-Match changes a user only if the ETag is current', async ({ ada }) => {
    const { etag } = (await ada.send('GET')).headers
    expect(etag).toMatch(/^"[\w-]+"$/)
    const change = (name: string, ifMatch: string) =>
      ada.send('PATCH', '', { preferredName: name }, { 'if-match': ifMatch })
    const first = await change('Ada', `"other", ${etag}`)
    expect(first.statusCode).toBe(200)
    const second = await change('Grace', String(etag))
    expect([second.statusCode, second.json().code]).toEqual([412, 'precondition_failed'])
    expect((await change('Grace', '*')).statusCode).toBe(200)
    const disabled = await ada.send('PATCH', '', { disabled: true, emailVerified: true })
    expect((await change('Joan', String(disabled.headers.etag))).statusCode).toBe(200)
  })

  it('with one ETag succeeds for one of several concurrent changes', async ({ ada }) => {
    const etag = String((await ada.send('GET')).headers.etag)
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        ada.send('PATCH', '', { preferredName: `Name ${n}` }, { 'if-match': etag }),
      ),
    )
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array(5).fill(412)])
  })

  it('writes an event with the key for each change, and none if nothing changes', async ({
    usher,
    store,
    manage,
    ada,
  }) => {
    const { database } = manage
    await setDatabase(store, database, { eventsKept: 1 })
    usher.clock.cacheAhead += 6_000
    await ada.send('PATCH', '', { disabled: true, preferredName: 'Ada' })
    await ada.send('PATCH', '', { disabled: true, preferredName: 'Ada' })
    await ada.send('PATCH', '', {})
    const by = { userId: ada.id, apiKey: expect.any(String) }
    expect(await keptEvents(usher, database.id)).toEqual([
      { type: 'user.disabled', ...by },
      { type: 'user.updated', ...by },
    ])
  })
})

it.for([
  ['PATCH', '', { email: 'b@example.com' }, 'credentials:write'],
  ['PATCH', '', { emailVerified: true }, 'credentials:write'],
  ['PUT', '/password', { password }, 'credentials:write'],
  ['POST', '/codes', { purpose: 'password_reset', deliver: 'return' }, 'credentials:write'],
  ['DELETE', '/sessions', undefined, 'sessions:write'],
] as const)(
  '%s users/:id%s needs for %o the scope %s',
  async ([method, below, body, scope], { manage, ada }) => {
    const { key } = await manage.newKey(['users:read', 'users:write'])
    const response = await manage.send(key, method, ada.path + below, body)
    expect([response.statusCode, response.json().code]).toEqual([403, 'insufficient_scope'])
    expect(response.headers['www-authenticate']).toContain(`scope="${scope}"`)
    expect((await manage.database.me(ada.token.jwt)).statusCode).toBe(200)
  },
)

it.for([
  ['PATCH', '', { preferredName: 'Ada' }],
  ['PUT', '/password', { password }],
  ['GET', '/sessions', undefined],
  ['DELETE', '/sessions', undefined],
  ['POST', '/codes', { purpose: 'password_reset', deliver: 'return' }],
  ['DELETE', '/failed-logins', undefined],
] as const)('%s users/:id%s returns 404 for an unknown user', async ([method, below, body], { manage }) => {
  const { key } = await manage.newKey()
  const response = await manage.send(key, method, `users/${randomUUID()}${below}`, body)
  expect([response.statusCode, response.json().code]).toEqual([404, 'user_not_found'])
})

it.for([
  ['PATCH', '', { isAdmin: true }, ['']],
  ['PATCH', '', { email: 'ada', disabled: 'yes' }, ['email', 'disabled']],
  ['PUT', '/password', { password: 'short' }, ['password']],
  ['PUT', '/password', { password: 'ada@example.com' }, ['password']],
  ['POST', '/codes', { purpose: 'login' }, ['purpose', 'deliver']],
] as const)('%s users/:id%s refuses the body %o', async ([method, below, body, paths], { ada }) => {
  const response = await ada.send(method, below, body)
  expect(response.statusCode).toBe(400)
  expect(response.json().errors.map(({ path }: { path: string }) => path)).toEqual(paths)
})

it('setUserPassword ends the sessions and revokes the tokens of the user', async ({ manage, ada }) => {
  const { database } = manage
  expect((await ada.send('PUT', '/password', { password: 'another battery staple' })).statusCode).toBe(204)
  expect((await database.me(ada.token.jwt)).statusCode).toBe(401)
  expect((await database.refresh(ada.refreshToken.value)).statusCode).toBe(401)
  expect((await database.login({ email: ada.email, password })).statusCode).toBe(401)
  expect((await database.login({ email: ada.email, password: 'another battery staple' })).statusCode).toBe(
    200,
  )
  expect(ada.audited()).toEqual(['user.password_set'])
})

it('a verified user can get a code for a reset, and none to verify the address', async ({ ada }) => {
  await ada.send('PATCH', '', { emailVerified: true })
  const statusOf = async (purpose: string) =>
    (await ada.send('POST', '/codes', { purpose, deliver: 'return' })).statusCode
  expect([await statusOf('password_reset'), await statusOf('email_verification')]).toEqual([201, 409])
})

it('an address that is no longer verified causes the event user.updated', async ({ usher, manage, ada }) => {
  await setDatabase(usher.store, manage.database, { eventsKept: 1 })
  usher.clock.cacheAhead += 6_000
  for (const emailVerified of [true, false]) await ada.send('PATCH', '', { emailVerified })
  expect((await keptEvents(usher, manage.database.id)).map(({ type }) => type)).toEqual([
    'user.email_verified',
    'user.updated',
  ])
})

it('removeUser deletes the user, and succeeds again', async ({ manage, ada }) => {
  expect((await ada.send('DELETE')).statusCode).toBe(204)
  expect(ada.audited()).toEqual(['user.deleted'])
  expect((await ada.send('DELETE')).statusCode).toBe(204)
  expect((await ada.send('GET')).statusCode).toBe(404)
  expect((await manage.database.me(ada.token.jwt)).statusCode).toBe(401)
  expect(ada.audited()).toEqual(['user.deleted'])
})

it('removeUser does not succeed while the store is unavailable', async ({ usher, ada }) => {
  const { transaction } = usher.context.store
  vi.spyOn(usher.context.store, 'transaction').mockImplementation((databaseId, work) =>
    transaction(databaseId, (query) =>
      work((text, values) =>
        text.includes('DELETE FROM usher.login_failures')
          ? Promise.reject(new UnavailableError('read-only'))
          : query(text, values),
      ),
    ),
  )
  expect((await ada.send('DELETE')).statusCode).toBe(503)
  expect((await ada.send('GET')).statusCode).toBe(200)
})

it('listUserSessions returns pages of open sessions, which endUserSessions ends', async ({ manage, ada }) => {
  const { database } = manage
  for (let count = 0; count < 2; count++) {
    const { token } = (await database.login({ email: ada.email, password })).json()
    await database.openSession(token.jwt, { label: 'Phone' })
  }
  const first = (await ada.send('GET', '/sessions?limit=2')).json()
  const second = (await ada.send('GET', `/sessions?limit=2&after=${first.next}`)).json()
  const all = [...first.sessions, ...second.sessions]
  expect([first.sessions.length, second.sessions.length, second.next]).toEqual([2, 1, null])
  expect(new Set(all.map(({ id }) => id)).size).toBe(3)
  expect(all.map(({ label }) => label).sort()).toEqual(['Phone', 'Phone', null].sort())
  expect((await ada.send('GET')).json().sessions).toBe(3)
  expect((await ada.send('DELETE', '/sessions')).statusCode).toBe(204)
  expect((await ada.send('GET', '/sessions')).json()).toEqual({ sessions: [], next: null })
  expect((await database.me(ada.token.jwt)).statusCode).toBe(401)
  expect((await database.refresh(ada.refreshToken.value)).statusCode).toBe(401)
  expect(ada.audited()).toEqual(['user.tokens_revoked'])
})

const confirmReset = (usher: TestApi, { users }: TestDatabase, code: string) =>
  usher.send({
    method: 'POST',
    url: `${users}/password-reset/confirm`,
    payload: { code, newPassword: 'another battery staple' },
  })

describe('createUserCode', () => {
  it('returns a code that chooses a password once; a repeated request gets null in its place', async ({
    usher,
    manage,
    ada,
  }) => {
    const body = { purpose: 'password_reset', deliver: 'return' }
    const create = () => ada.send('POST', '/codes', body, { 'idempotency-key': 'code' })
    const first = await create()
    const { code, expiresAt } = first.json()
    expect([first.statusCode, Date.parse(expiresAt)]).toEqual([201, usher.clock.now + 3_600_000])
    const again = await create()
    expect([again.statusCode, again.json()]).toEqual([201, { code: null, expiresAt }])
    expect(usher.logged()).not.toContain(code)
    expect(ada.audited()).toEqual(['user.code_created'])
    const confirm = () => confirmReset(usher, manage.database, code)
    expect((await confirm()).statusCode).toBe(200)
    expect((await confirm()).json().code).toBe('code_invalid')
  })

  it('returns a code that verifies the address, but none for a verified one', async ({
    usher,
    manage,
    ada,
  }) => {
    const create = () => ada.send('POST', '/codes', { purpose: 'email_verification', deliver: 'return' })
    const { code } = (await create()).json()
    const url = `${manage.database.users}/email-verification`
    expect((await usher.send({ method: 'POST', url, payload: { code } })).statusCode).toBe(200)
    expect((await ada.send('GET')).json().emailVerified).toBe(true)
    expect((await create()).json().code).toBe('already_verified')
  })

  it('sends a mail with a code, and returns none', async ({ usher, manage, ada }) => {
    const { key } = await manage.newKey(['users:write'])
    const body = { purpose: 'password_reset', deliver: 'mail' }
    usher.forgetLog()
    const sent = await manage.send(key, 'POST', `${ada.path}/codes`, body)
    expect([sent.statusCode, sent.json().code]).toEqual([201, null])
    const code = await writtenCode(usher, ada.email, 'reset-password')
    expect((await confirmReset(usher, manage.database, code)).statusCode).toBe(200)
  })

  it('refuses a disabled user', async ({ ada }) => {
    await ada.send('PATCH', '', { disabled: true })
    const refused = await ada.send('POST', '/codes', { purpose: 'password_reset', deliver: 'return' })
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'user_disabled'])
  })
})

it('concurrent getUser return each its own user, also by an id in upper case', async ({
  usher,
  manage,
  ada,
}) => {
  const { database } = manage
  const grace = await database.signedUp({ email: 'grace@example.com', newTenant: 'Engines' })
  const { key } = await manage.newKey()
  for (const name of ['Looms', 'Mills']) {
    usher.clock.now += 1
    const { id } = (await manage.send(key, 'POST', 'tenants', { name })).json()
    await manage.send(key, 'PUT', `tenants/${id}/members/${grace.id}`)
  }
  for (let count = 0; count < 6; count++)
    await database.login({ email: ada.email, password: 'wrong password' })
  const ids = [ada.id, grace.id, randomUUID(), grace.id.toUpperCase(), ada.id]
  const responses = await Promise.all(ids.map((id) => manage.send(key, 'GET', `users/${id}`)))
  const found = responses.map(({ body }) => JSON.parse(body))
  expect(found.map(({ email, code }) => email ?? code)).toEqual([
    ...[ada.email, 'grace@example.com', 'user_not_found', 'grace@example.com', ada.email],
  ])
  const until = new Date(usher.clock.now + 1_000).toISOString()
  expect(found.map(({ throttledUntil }) => throttledUntil)).toEqual([until, null, undefined, null, until])
  expect(found.map(({ sessions }) => sessions)).toEqual([1, 0, undefined, 0, 1])
  expect(found[1].memberships.map(({ name }: { name: string }) => name)).toEqual([
    'Engines',
    'Looms',
    'Mills',
  ])
  expect(usher.logged()).not.toContain('internal error')
})

it('getUser says that a user is throttled while the logins of many others fail', async ({
  usher,
  store,
  manage,
  ada,
}) => {
  const { database } = manage
  const databaseId = database.id
  const others = Array.from({ length: 150 }, () => ({
    ...{ databaseId, address: Buffer.from(randomUUID()), network: Buffer.alloc(0), failures: 1 },
    lastFailureAt: new Date(usher.clock.now - 60_000),
  }))
  await store.prisma.loginFailures.createMany({ data: others })
  expect((await ada.send('GET')).json().throttledUntil).toBeNull()
  for (let count = 0; count < 6; count++)
    await database.login({ email: ada.email, password: 'wrong password' })
  expect((await ada.send('GET')).json().throttledUntil).not.toBeNull()
})

it('getUser says until when the user is throttled, and unlockUser ends it', async ({
  usher,
  manage,
  ada,
}) => {
  const { database } = manage
  const throttledUntil = async () => (await ada.send('GET')).json().throttledUntil
  expect(await throttledUntil()).toBeNull()
  const attempts = []
  for (let count = 0; count < 6; count++)
    attempts.push(await database.login(validUser({ email: ada.email, password: 'wrong password' })))
  expect(attempts.at(-1)?.statusCode).toBe(429)
  expect(await throttledUntil()).toBe(new Date(usher.clock.now + 1_000).toISOString())
  expect((await ada.send('DELETE', '/failed-logins')).statusCode).toBe(204)
  expect(await throttledUntil()).toBeNull()
  expect((await database.login({ email: ada.email, password })).statusCode).toBe(200)
  expect(ada.audited()).toEqual(['user.unlocked'])
})
