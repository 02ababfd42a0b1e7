import { describe, expect, vi } from 'vitest'
import { Problem } from '../../server/domain/problem.js'
import { recordDummyHash } from '../../server/store/queries/hash-parameters.js'
import { it as apiTest } from '../support/api.js'
import { password, start, startApp, type TestApi, type TestDatabase, validUser } from '../support/app.js'
import { setPassword } from '../support/operator-changes.js'

const it = apiTest.extend('settings', { scope: 'file' }, { TRUST_PROXY: '1', HASH_QUEUE_SECONDS: '60' })

const email = 'ada@example.com'

/** A dummy hash of parameters that differ from the current ones. */
const otherParameters = `$2b$10$${'.'.repeat(53)}`

const from = (address: string) => ({ 'x-forwarded-for': address })

const loginFrom = (
  { users }: TestDatabase,
  address: string,
  payload: object,
  { send }: Pick<TestApi, 'send'>,
) => send({ method: 'POST', url: `${users}/login`, payload, headers: from(address) })

/** Delays hash verifications until `release` is called. */
function holdVerification({ context }: TestApi, outcome?: boolean) {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { verify } = context.hashing
  let started = () => {}
  const isStarted = new Promise<void>((resolve) => {
    started = resolve
  })
  vi.spyOn(context.hashing, 'verify').mockImplementation(async (...job) => {
    started()
    await held
    return outcome ?? verify(...job)
  })
  return { release, isStarted }
}

describe('revocations during a login', () => {
  it('rejects the token of a login during which tokens were revoked', async ({ usher, clock }) => {
    const database = await usher.newDatabase()
    const { id } = await database.signedUp({ email })
    const { release, isStarted } = holdVerification(usher)
    const login = database.login({ email, password })
    await isStarted
    await usher.store.prisma.user.updateMany({
      where: { databaseId: database.id, id },
      data: { generation: { increment: 1 } },
    })
    clock.now += 1500
    release()
    expect((await database.me((await login).json().token.jwt)).statusCode).toBe(401)
    expect((await database.me((await database.login({ email, password })).json().token.jwt)).statusCode).toBe(
      200,
    )
  })

  it('rejects the token of a replayed sign-up during which tokens were revoked', async ({ usher, clock }) => {
    const database = await usher.newDatabase()
    const send = () =>
      usher.send({
        method: 'POST',
        url: database.users,
        payload: { email, password },
        headers: { 'idempotency-key': 'replay' },
      })
    const { id } = (await send()).json()
    const { release, isStarted } = holdVerification(usher)
    const replay = send()
    await isStarted
    await usher.store.prisma.user.updateMany({
      where: { databaseId: database.id, id },
      data: { generation: { increment: 1 } },
    })
    clock.now += 1500
    release()
    expect((await database.me((await replay).json().token.jwt)).statusCode).toBe(401)
  })
})

describe('replacements of the password', () => {
  it.for([
    ['PUT', 'me/password', { password, newPassword: 'four random common words' }],
    ['POST', 'me/deletion', { password }],
  ] as const)(
    'refuses %s %s with the old password, verified before it was replaced',
    async ([method, path, body], { usher, clock }) => {
      clock.now = Date.now()
      const database = await usher.newDatabase()
      const { id, token, refreshToken } = await database.opened({ email })
      const { release, isStarted } = holdVerification(usher)
      const change = database.as(token.jwt, method, path, body)
      await isStarted
      const ownerPassword = 'another battery staple'
      await setPassword({ ...usher.context, store: usher.store, now: new Date() }, database, {
        userRef: id,
        password: ownerPassword,
      })
      release()
      expect((await change).json().code).toBe('token_invalid')
      expect((await database.refresh(refreshToken.value)).json().code).toBe('session_ended')
      expect((await database.login({ email, password: ownerPassword })).statusCode).toBe(200)
    },
  )
})

it('endAllSessions is rejected if one of the sessions has changed the password meanwhile', async ({
  usher,
}) => {
  const database = await usher.newDatabase()
  const { token } = await database.opened({ email })
  const owner = (await database.login({ email, password })).json()
  const { findUser } = usher.context
  vi.spyOn(usher.context, 'findUser').mockImplementationOnce(async (...key) => {
    const user = await findUser(...key)
    const body = { password, newPassword: 'four random common words' }
    expect((await database.as(token.jwt, 'PUT', 'me/password', body)).statusCode).toBe(200)
    return user
  })
  const response = await database.as(owner.token.jwt, 'DELETE', 'me/sessions')
  expect([response.statusCode, response.json().code]).toEqual([401, 'token_invalid'])
})

describe('wrong passwords', () => {
  it.for([
    ['the queue is full', new Problem('unavailable')],
    ['a hashing thread exits', new Error('a hashing thread exited')],
  ] as const)(
    'counts a wrong password even if %s before a dummy hash is verified',
    async ([_reason, error], { usher }) => {
      const database = await usher.newDatabase()
      await recordDummyHash(usher.store, database.id, otherParameters)
      await database.signedUp({ email })
      const { verify } = usher.context.hashing
      vi.spyOn(usher.context.hashing, 'verify').mockImplementation(async (hash, ...rest) => {
        if (hash === otherParameters) throw error
        return verify(hash, ...rest)
      })
      const statuses: number[] = []
      for (let i = 0; i < 6; i++)
        statuses.push((await database.login({ email, password: 'wrong' })).statusCode)
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    },
  )

  it.for([
    ['POST', 'login', { email }],
    ['PUT', 'me/password', { newPassword: 'four random common words' }],
    ['POST', 'me/deletion', {}],
    ['POST', 'me/email', { email: 'ada@engines.example' }],
    ['POST', '', { email }],
  ] as const)(
    'counts a guess by %s %s whose client disconnects during the first hash',
    async ([method, path, body], { usher, origin }) => {
      const database = await usher.newDatabase()
      await recordDummyHash(usher.store, database.id, otherParameters)
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'replay' }
      const url = `${origin}${database.users}${path && `/${path}`}`
      const send = (payload: object, more: RequestInit) =>
        fetch(url, { method, body: JSON.stringify(payload), headers, ...more })
      const signUp = { method: 'POST', url: database.users, payload: { email, password }, headers } as const
      const { token } = (await usher.send(signUp)).json()
      const { verify } = usher.context.hashing
      const clients = new Map<string, AbortController>()
      const verified = new Set<string>()
      vi.spyOn(usher.context.hashing, 'verify').mockImplementation(async (hash, guess, waiting) => {
        if (verified.has(guess) || !waiting) return verify(hash, guess, waiting)
        // Without the client, because a disconnect would remove a job that has not started on a busy machine.
        const result = verify(hash, guess)
        verified.add(guess)
        const disconnected = new Promise<void>((resolve) => void waiting.onceDisconnected(resolve))
        clients.get(guess)?.abort()
        await disconnected
        return result
      })
      for (let i = 0; i < 8; i++) {
        const client = new AbortController()
        usher.forgetLog()
        const authorization = `Bearer ${token.jwt}`
        const guess = { ...body, password: `wrong password ${i}` }
        clients.set(guess.password, client)
        await send(guess, { signal: client.signal, headers: { ...headers, authorization } }).catch(
          () => undefined,
        )
        await expect.poll(() => usher.logged(), { timeout: 10_000 }).toMatch(/"status":(429|499)/)
      }
      expect(verified.size).toBe(5)
      expect((await database.login({ email, password })).statusCode).toBe(429)
    },
  )

  it('counts a wrong password in memory while the store is read-only', async ({ usher }) => {
    const database = await usher.newDatabase()
    await database.signedUp({ email })
    const { query } = usher.store
    const readOnly = await startApp({
      ...usher.store,
      query: (text, values) =>
        /INSERT|UPDATE|DELETE/.test(text)
          ? Promise.reject(Object.assign(new Error('read-only'), { severity: 'ERROR', code: '25006' }))
          : query(text, values),
    })
    const { login } = readOnly.client(database.workspaceSlug, database.databaseName)
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await login({ email, password: 'wrong' })).statusCode)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    readOnly.clock.now += 1000
    expect((await login({ email, password })).statusCode).toBe(200)
    expect((await login({ email, password: 'wrong' })).statusCode).toBe(401)
    await readOnly.close()
  })
})

it('returns 503 when a login has waited HASH_QUEUE_SECONDS for others of its account', async ({ store }) => {
  const usher = await startApp(store, { HASH_QUEUE_SECONDS: '1' })
  const database = await usher.newDatabase()
  // The hashing threads may take longer than that to start.
  await vi.waitFor(() => database.signedUp({ email }))
  const { release, isStarted } = holdVerification(usher, true)
  const logins = Array.from({ length: 8 }, () => database.login({ email, password }))
  await isStarted
  const rejected: string[] = []
  for (const login of logins) login.then((response) => rejected.push(response.json().code))
  await vi.waitFor(() => expect(rejected).toEqual(Array(3).fill('unavailable')), 10_000)
  release()
  const statuses = (await Promise.all(logins)).map(({ statusCode }) => statusCode).sort()
  expect(statuses).toEqual([200, 200, 200, 200, 200, 503, 503, 503])
  await usher.close()
})

it('verifies one password when sixty networks try an account whose wait has ended', async ({
  usher,
  clock,
}) => {
  const database = await usher.newDatabase()
  await database.signedUp({ email })
  const attempt = usher.context.throttle.keys.attempt(database.id, email, '192.0.2.1')
  await usher.store.prisma.loginFailures.create({
    data: {
      databaseId: database.id,
      address: new Uint8Array(attempt.address),
      network: new Uint8Array(),
      failures: 100,
      lastFailureAt: new Date(clock.now - 900_000),
    },
  })
  const logins = Array.from({ length: 60 }, (_, i) =>
    loginFrom(database, `198.51.100.${i}`, { email, password: `guess ${i}` }, usher),
  )
  const statuses = (await Promise.all(logins)).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 401)).toHaveLength(1)
  expect(statuses.filter((status) => status === 429)).toHaveLength(59)
})

describe('known networks of a user', () => {
  it('exempts a known network from the failures of others for 30 days', async ({ usher, clock }) => {
    const database = await usher.newDatabase()
    await database.signedUp({ email })
    const login = (address: string, candidate = password) =>
      loginFrom(database, address, { email, password: candidate }, usher)
    expect((await login('192.0.2.1')).statusCode).toBe(200)
    for (let i = 0; i < 100; i++) await login(`198.51.100.${i}`, 'wrong')
    expect((await login('203.0.113.1')).statusCode).toBe(429)
    expect((await login('192.0.2.1')).statusCode).toBe(200)
    expect((await login('192.0.2.1', 'wrong')).statusCode).toBe(401)
    clock.now += 30 * 24 * 3_600_000
    for (let i = 0; i < 100; i++) await login(`198.51.100.${i}`, 'wrong')
    expect((await login('192.0.2.1')).statusCode).toBe(429)
  })

  it('records a known network at most once a day', async ({ usher, clock }) => {
    const database = await usher.newDatabase()
    await database.signedUp({ email })
    const recorded = async () =>
      (await usher.store.prisma.knownNetwork.findMany({ where: { databaseId: database.id } })).map(
        ({ lastLoginAt }) => lastLoginAt.getTime() - start,
      )
    await database.login({ email, password })
    expect(await recorded()).toEqual([0])
    clock.now += 24 * 3_600_000 - 1
    await database.login({ email, password })
    expect(await recorded()).toEqual([0])
    clock.now += 1
    await database.login({ email, password })
    expect(await recorded()).toEqual([24 * 3_600_000])
  })
})

it('counts and audits the wrong passwords of a replayed sign-up', async ({ usher }) => {
  const database = await usher.newDatabase()
  const send = (candidate: string) =>
    usher.send({
      method: 'POST',
      url: database.users,
      payload: { email, password: candidate },
      headers: { 'idempotency-key': 'guessed' },
    })
  await send(password)
  usher.forgetLog()
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) statuses.push((await send(`wrong password ${i}`)).statusCode)
  expect(statuses).toEqual([422, 422, 422, 422, 422, 429])
  expect(usher.logged().match(/"audit":"login.failed"/g)).toHaveLength(5)
  expect(usher.logged().match(/"audit":"login.throttled"/g)).toHaveLength(1)
})

it('stores each attempt of a known network that follows a wait, but not for the account', async ({
  usher,
  clock,
}) => {
  const database = await usher.newDatabase()
  await database.signedUp({ email })
  const attempt = async (password: string) =>
    (await loginFrom(database, '192.0.2.7', { email, password }, usher)).statusCode
  expect(await attempt(password)).toBe(200)
  for (let count = 0; count < 5; count++) expect(await attempt('wrong password')).toBe(401)
  const stored = () =>
    usher.store.prisma.loginFailures.findMany({
      where: { databaseId: database.id },
      select: { network: true, failures: true },
    })
  expect(await stored()).toMatchObject([{ failures: 5 }])
  clock.now += 1_000
  expect(await attempt('wrong password')).toBe(401)
  expect(await stored()).toMatchObject([{ failures: 6 }])
})

describe('failures of one network over all accounts', () => {
  const limited = async (usher: TestApi, networkFailuresPerHour: number) => {
    const database = await usher.newDatabase()
    await usher.store.prisma.database.updateMany({
      where: { id: database.id },
      data: { networkFailuresPerHour },
    })
    return database
  }
  const signUpFrom = ({ users }: TestDatabase, address: string, payload: object, { send }: TestApi) =>
    send({ method: 'POST', url: users, payload, headers: from(address) })

  it('limits the failures of a network per hour, for logins and sign-ups together', async ({
    usher,
    clock,
  }) => {
    const database = await limited(usher, 3)
    await database.signedUp({ email })
    const spray = async (n: number) =>
      (await loginFrom(database, '192.0.2.9', { email: `user${n}@example.com`, password }, usher)).statusCode
    expect([await spray(1), await spray(2)]).toEqual([401, 401])
    expect((await signUpFrom(database, '192.0.2.9', { email, password }, usher)).statusCode).toBe(409)
    expect(await spray(3)).toBe(429)
    const rejected = await signUpFrom(database, '192.0.2.9', validUser(), usher)
    expect([rejected.statusCode, rejected.json().code]).toEqual([429, 'too_many_attempts'])
    expect(rejected.headers['retry-after']).toBe('1200')
    expect(rejected.json().detail).toBe('Too many failed attempts. Try again in 1200 s.')
    expect((await loginFrom(database, '192.0.2.10', { email, password }, usher)).statusCode).toBe(200)
    clock.now += 1_200_000
    expect(await spray(4)).toBe(401)
    expect(await spray(5)).toBe(429)
  })

  it('limits the failures of a /48 of IPv6 to twice those of a network', async ({ usher, clock }) => {
    const database = await limited(usher, 3)
    await database.signedUp({ email })
    const failFrom = async (network: number) => {
      const credentials = { email: `user${network}@example.com`, password }
      return (await loginFrom(database, `2001:db8:1:${network}::1`, credentials, usher)).statusCode
    }
    for (let network = 1; network <= 6; network++) expect(await failFrom(network)).toBe(401)
    expect(await failFrom(7)).toBe(429)
    const rejected = await signUpFrom(database, '2001:db8:1:8::1', validUser(), usher)
    expect([rejected.statusCode, rejected.headers['retry-after']]).toEqual([429, '600'])
    expect((await loginFrom(database, '2001:db8:2::1', { email, password }, usher)).statusCode).toBe(200)
    clock.now += 600_000
    expect(await failFrom(7)).toBe(401)
    expect(await failFrom(8)).toBe(429)
  })

  it('limits the failures of a network over all servers', async ({ usher }) => {
    const database = await limited(usher, 2)
    const other = await startApp(usher.store, { TRUST_PROXY: '1' })
    other.clock.now = usher.clock.now
    const statuses: number[] = []
    for (const server of [usher, other, other]) {
      const credentials = { email: `user${statuses.length}@example.com`, password }
      statuses.push((await loginFrom(database, '192.0.2.9', credentials, server)).statusCode)
    }
    expect(statuses).toEqual([401, 401, 429])
    await other.close()
  })

  it('counts no sign-up that is refused for another reason than its address', async ({ usher }) => {
    const database = await limited(usher, 1)
    const signUp = (more: object) => signUpFrom(database, '192.0.2.9', validUser(more), usher)
    expect((await signUp({ invitationCode: 'invalid' })).json().code).toBe('code_invalid')
    expect((await signUp({})).statusCode).toBe(201)
  })

  it('does not limit the failures of a network when the limit is 0', async ({ usher }) => {
    const database = await limited(usher, 0)
    for (let i = 0; i < 4; i++) {
      const response = await loginFrom(database, '192.0.2.9', { email: `u${i}@example.com`, password }, usher)
      expect(response.statusCode).toBe(401)
    }
    expect(await usher.store.prisma.networkFailures.count({ where: { databaseId: database.id } })).toBe(0)
  })

  it('accepts a login from a limited network after the clock was set back', async ({ usher, clock }) => {
    const database = await limited(usher, 1)
    await database.signedUp({ email })
    clock.now += 24 * 3_600_000
    await loginFrom(database, '192.0.2.9', { email, password: 'wrong' }, usher)
    expect((await loginFrom(database, '192.0.2.9', { email, password }, usher)).statusCode).toBe(429)
    clock.now = start
    expect((await loginFrom(database, '192.0.2.9', { email, password }, usher)).statusCode).toBe(200)
  })
})
