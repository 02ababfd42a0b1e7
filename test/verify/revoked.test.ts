import type { Session } from '@usher/contract'
import { Scope } from '@usher/contract/management'
import { createVerifier, type Verifier } from '@usher/verify'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect } from 'vitest'
import { password, startApp, type TestApi, type TestDatabase } from '../support/app.js'
import { createApiKey, retireKey, rotateKeys } from '../support/operator-changes.js'
import { eventually, outcome } from './fake-feed-test.js'
import { storeRevocationsOf } from './followed-revocations.js'
import { it as liveTest, optionsOf } from './live.js'

const newPassword = 'four random common words'

/** A user with a login and a session, in a database with a backend. */
interface Subject {
  usher: TestApi
  database: TestDatabase
  email: string
  userId: string
  tenantId: string
  sessionId: string
  refreshToken: string
  token: string
  /** Sends a request to the management API. */
  manage(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, payload?: object): Promise<Reply>
}
type Reply = { statusCode: number; json(): Record<string, string> }
type Transition = (subject: Subject) => Promise<unknown>

/** What makes the server refuse tokens of a user. */
const revocations: Record<string, Transition> = {
  'a change of the password': ({ database, token }) =>
    database.as(token, 'PUT', 'me/password', { password, newPassword }),
  'a log-out everywhere': ({ database, token }) => database.as(token, 'DELETE', 'me/sessions'),
  'the end of a session by its ID': ({ database, token, sessionId }) =>
    database.as(token, 'DELETE', `me/sessions/${sessionId}`),
  'a log-out': ({ database, refreshToken }) => database.endSession(refreshToken),
  'a refresh token that is used twice': async ({ usher, database, refreshToken }) => {
    const next = (await database.refresh(refreshToken)).json().refreshToken.value
    await database.refresh(next)
    usher.clock.now += 31_000
    return database.refresh(refreshToken)
  },
  'the deletion of the account': ({ database, token }) =>
    database.as(token, 'POST', 'me/deletion', { password }),
  'a reset of the password': async ({ usher, database, userId, manage }) => {
    const reset = { purpose: 'password_reset', deliver: 'return' }
    const { code } = (await manage('POST', `users/${userId}/codes`, reset)).json()
    const payload = { code, newPassword }
    return usher.send({ method: 'POST', url: `${database.users}/password-reset/confirm`, payload })
  },
  'a password that a backend sets': ({ manage, userId }) =>
    manage('PUT', `users/${userId}/password`, { password: newPassword }),
  'sessions that a backend ends': ({ manage, userId }) => manage('DELETE', `users/${userId}/sessions`),
  'disabling the user': ({ manage, userId }) => manage('PATCH', `users/${userId}`, { disabled: true }),
  'deleting the user': ({ manage, userId }) => manage('DELETE', `users/${userId}`),
}

/** What changes the tenants or roles of a user. */
const changes: Record<string, Transition> = {
  'another role': ({ manage, userId, tenantId }) =>
    manage('PUT', `tenants/${tenantId}/members/${userId}`, { role: 'admin' }),
  'a removal': ({ manage, userId, tenantId }) => manage('DELETE', `tenants/${tenantId}/members/${userId}`),
  'a deleted tenant': ({ manage, tenantId }) => manage('DELETE', `tenants/${tenantId}`),
}

const it = liveTest
  .extend('backend', { scope: 'file' }, async ({ usher, origin, database }, { onCleanup }) => {
    // The store has the time of the machine.
    usher.clock.now = Date.now()
    const described = { name: 'backend', scopes: Scope.options, expiresInSeconds: 86_400 }
    const operation = { store: usher.store, now: new Date(usher.clock.now) }
    const { key } = await createApiKey(operation, database, described)
    const verifier = createVerifier({
      ...optionsOf(usher, origin, database),
      revocations: { apiKey: key, onStale: 'refuse' },
    })
    onCleanup(verifier.close)
    const manage: Subject['manage'] = (method, path, payload) =>
      usher.send({
        method,
        url: `${database.users.replace(/users$/, 'management')}/${path}`,
        headers: { authorization: `Bearer ${key}` },
        ...(payload && { payload }),
      })
    return { verifier, manage, key }
  })
  .extend('signUp', ({ usher, database, backend, clock }) => async (): Promise<Subject> => {
    clock.now = Date.now()
    const email = `${crypto.randomUUID()}@example.com`
    const { id: userId, tenants, token } = await database.signedUp({ email, newTenant: 'Engines' })
    const session = (await database.openSession(token.jwt)).json()
    return {
      usher,
      database,
      email,
      userId,
      tenantId: tenants[0] ?? '',
      sessionId: decodeJwt<{ sid: string }>(session.token.jwt).sid,
      refreshToken: session.refreshToken.value,
      token: session.token.jwt,
      manage: backend.manage,
    }
  })

/** Returns the outcomes of tokens at the server. */
const meOf = ({ database }: Subject, tokens: string[]) =>
  Promise.all(
    tokens.map(async (token) => {
      const response = await database.me(token)
      return response.statusCode === 200 ? 'accepted' : String(response.json().code)
    }),
  )
const verifyAll = (verifier: Verifier, tokens: string[]) =>
  Promise.all(tokens.map((token) => outcome(verifier, token)))

describe('a revocation', () => {
  it.for(Object.entries(revocations))(
    '%s has the same outcome at a backend as at the server',
    async ([, revoke], { signUp, backend: { verifier } }) => {
      const [subject, bystander] = [await signUp(), await signUp()]
      const { database, email, token } = subject
      const login = (await database.login({ email, password })).json().token.jwt
      const tokens = [token, login, bystander.token]
      expect(await verifyAll(verifier, tokens)).toEqual(['accepted', 'accepted', 'accepted'])
      expect([200, 201, 202, 204, 401]).toContain(((await revoke(subject)) as Reply).statusCode)
      const expected = await meOf(subject, tokens)
      expect(expected).toContain('token_invalid')
      expect(expected.at(-1)).toBe('accepted')
      await eventually(async () => expect(await verifyAll(verifier, tokens)).toEqual(expected))
    },
  )

  it('a token of a login after it is accepted', async ({ signUp, backend: { verifier } }) => {
    const { database, email, token, userId, manage } = await signUp()
    await manage('DELETE', `users/${userId}/sessions`)
    await eventually(async () => expect(await outcome(verifier, token)).toBe('token_invalid'))
    const login = (await database.login({ email, password })).json().token.jwt
    expect(await outcome(verifier, login)).toBe('accepted')
  })

  it('is known to a verifier that starts later', async ({ usher, origin, database, signUp, backend }) => {
    const { token, userId, manage } = await signUp()
    await manage('DELETE', `users/${userId}/sessions`)
    const later = createVerifier({
      ...optionsOf(usher, origin, database),
      revocations: { apiKey: backend.key, onStale: 'refuse' },
    })
    expect(await outcome(later, token)).toBe('token_invalid')
    later.close()
  })

  it('a key that was retired is refused', async ({ usher, origin, clock, onTestFinished }) => {
    clock.now = Date.now()
    const database = await usher.newDatabase()
    const operation = { store: usher.store, now: new Date(usher.clock.now) }
    const scopes: Scope[] = ['revocations:read']
    const { key } = await createApiKey(operation, database, {
      name: 'backend',
      scopes,
      expiresInSeconds: 3600,
    })
    const verifier = createVerifier({
      ...optionsOf(usher, origin, database),
      revocations: { apiKey: key, onStale: 'refuse' },
    })
    onTestFinished(verifier.close)
    const email = 'ada@example.com'
    const { token } = await database.signedUp({ email })
    expect(await outcome(verifier, token.jwt)).toBe('accepted')
    const { kid = '' } = decodeProtectedHeader(token.jwt)
    await rotateKeys(operation, database, 0)
    await retireKey(operation, database, kid)
    await eventually(async () => expect(await outcome(verifier, token.jwt)).toBe('token_invalid'))
    await eventually(async () => {
      // Servers cache keys for 5 s, and the verifier fetches them every 5 s at most.
      usher.clock.cacheAhead += 6_000
      clock.now += 6_000
      const login = (await database.login({ email, password })).json().token.jwt
      expect(await outcome(verifier, login)).toBe('accepted')
    })
  })
})

it('a user adds at most 1,001 revocations to those of a backend, also by log-outs on two servers', async ({
  usher,
  store,
  database,
  signUp,
  backend: { verifier },
  onTestFinished,
}) => {
  const other = await startApp(store)
  onTestFinished(other.close)
  const subject = await signUp()
  const { userId, email, refreshToken } = subject
  other.clock.now = usher.clock.now
  const entries = () => verifier.revocations()?.entries ?? 0
  await outcome(verifier, subject.token)
  const before = entries()
  await storeRevocationsOf(usher, database.id, { actorId: userId, count: 990 })
  const servers = [database, other.client(database.workspaceSlug, database.databaseName)]
  const sessions: Session[] = []
  for (let count = 0; count < 20; count++) {
    const login = (await database.login({ email, password })).json()
    sessions.push((await database.openSession(login.token.jwt)).json())
  }
  const ends = sessions.map((session, index) => servers[index % 2]?.endSession(session.refreshToken.value))
  for (const end of await Promise.all(ends)) expect(end?.statusCode).toBe(204)
  const tokens = sessions.map(({ token }) => token.jwt)
  const refused = tokens.map(() => 'token_invalid')
  await eventually(async () => expect(await verifyAll(verifier, tokens)).toEqual(refused))
  expect(await meOf(subject, tokens)).toEqual(refused)
  expect(entries() - before).toBe(1_001)
  const where = { databaseId: database.id, actorId: userId }
  expect(await store.prisma.revocation.count({ where })).toBe(1_000)
  const refreshed = (await database.refresh(refreshToken)).json()
  expect(await outcome(verifier, refreshed.token.jwt)).toBe('accepted')
})

describe('tenants and roles', () => {
  it.for(Object.entries(changes))(
    '%s is the same at a backend as at the server',
    async ([, change], { signUp, backend: { verifier } }) => {
      const subject = await signUp()
      const { database, token } = subject
      const rolesAtServer = async () => (await verifier.fetchRoles(token)).data
      const rolesHere = async () => (await verifier.verify(token)).data?.roles
      expect(await rolesHere()).toEqual(await rolesAtServer())
      expect(((await change(subject)) as Reply).statusCode).toBeLessThan(300)
      const now = await rolesAtServer()
      expect(now).not.toEqual(new Map([[subject.tenantId, 'owner']]))
      await eventually(async () => expect(await rolesHere()).toEqual(now))
      // A token from after the change says so by itself.
      const login = (await database.login({ email: subject.email, password })).json().token.jwt
      expect((await verifier.verify(login)).data?.roles).toEqual(now)
    },
  )
})
