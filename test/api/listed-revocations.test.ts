import type { Session } from '@usher/contract'
import { describe, expect } from 'vitest'
import { expireCursors } from '../../server/domain/management/expire-cursors.js'
import { password, type TestApi, type TestDatabase } from '../support/app.js'
import { newPassword } from '../support/codes.js'
import { newGate } from '../support/gate.js'
import { retireKey, revokeApiKey, rotateKeys, setDatabase } from '../support/operator-changes.js'
import {
  type Feed,
  it,
  newWorld,
  storeRevocationsOf,
  verdictOfMe,
  type World,
} from '../verify/followed-revocations.js'
import { offlineVerdict } from '../verify/offline-verdict.js'
import { ada, next as nextAddress } from './email-change.js'

const hour = 3_600_000

interface Stage {
  usher: TestApi
  app: TestDatabase
  feed: Feed
  world: World
  address: {
    requested: (token: string, email: string) => Promise<string>
    confirm: (code: string) => Promise<unknown>
    changed: (token: string, from: string, to: string) => Promise<string>
    undo: (code: string) => Promise<unknown>
  }
}

/** What makes `me` refuse tokens or show other tenants, and the types of the revocations. May return tokens from after it. */
type Transition = [types: string[], run: (stage: Stage) => Promise<unknown>]

const transitions: Record<string, Transition> = {
  changePassword: [
    ['tokens-revoked'],
    async ({ app, world }) => {
      const response = await app.as(world.jwt, 'PUT', 'me/password', { password, newPassword })
      return response.json().token.jwt
    },
  ],
  resetPassword: [
    ['tokens-revoked'],
    async ({ app, feed, world }) => {
      const body = { purpose: 'password_reset', deliver: 'return' }
      const { code } = (await feed.manage(['POST', `users/${world.id}/codes`], body)).json()
      const response = await app.as('', 'POST', 'password-reset/confirm', { code, newPassword })
      return response.json().token.jwt
    },
  ],
  changeEmail: [
    ['tokens-revoked'],
    async ({ world, address }) => {
      // Waits for its mail, which the next test would take for its own.
      await address.changed(world.jwt, ada, nextAddress)
    },
  ],
  undoEmailChange: [
    ['tokens-revoked', 'tokens-revoked'],
    async ({ world, address }) => {
      const code = await address.changed(world.jwt, ada, nextAddress)
      expect(await address.undo(code)).toMatchObject({ statusCode: 200 })
    },
  ],
  endAllSessions: [['tokens-revoked'], ({ app, world }) => app.as(world.jwt, 'DELETE', 'me/sessions')],
  endOtherSessions: [
    ['tokens-revoked'],
    async ({ app, world }) => {
      expect(await app.as(world.phone.token.jwt, 'DELETE', 'me/sessions/others')).toMatchObject({
        statusCode: 204,
      })
      return (await app.refresh(world.phone.refreshToken.value)).json().token.jwt
    },
  ],
  endSession: [['session-revoked'], ({ app, world }) => app.endSession(world.phone.refreshToken.value)],
  endSessionById: [
    ['session-revoked'],
    ({ app, world }) => app.as(world.jwt, 'DELETE', `me/sessions/${sessionOf(world.laptop)}`),
  ],
  'endSessionById with an id in upper case': [
    ['session-revoked'],
    ({ app, world }) => app.as(world.jwt, 'DELETE', `me/sessions/${sessionOf(world.laptop).toUpperCase()}`),
  ],
  'the limit of sessions': [
    ['session-revoked'],
    async ({ usher, app, world }) => {
      await setDatabase(usher.store, app, { sessionsPerUser: 2 })
      usher.clock.cacheAhead += 6_000
      const { token } = (await app.login({ email: ada, password })).json()
      const session: Session = (await app.openSession(token.jwt)).json()
      expect(session.id).toBe(world.id)
      return session.token.jwt
    },
  ],
  'a refresh token that is used twice': [
    ['session-revoked'],
    async ({ app, world }) => {
      const { value } = world.phone.refreshToken
      const refreshed: Session = (await app.refreshTwice(value)).json()
      expect((await app.refresh(value)).statusCode).toBe(401)
      return refreshed.token.jwt
    },
  ],
  deleteMe: [
    ['tokens-revoked', 'tenant-deleted'],
    ({ app, world }) => app.as(world.grace.token.jwt, 'POST', 'me/deletion', { password }),
  ],
  'changeUser with disabled': [
    ['tokens-revoked'],
    ({ feed, world }) => feed.manage(['PATCH', `users/${world.id}`], { disabled: true }),
  ],
  setUserPassword: [
    ['tokens-revoked'],
    ({ feed, world }) => feed.manage(['PUT', `users/${world.id}/password`], { password: newPassword }),
  ],
  endUserSessions: [
    ['tokens-revoked'],
    ({ feed, world }) => feed.manage(['DELETE', `users/${world.id}/sessions`]),
  ],
  removeUser: [['tokens-revoked'], ({ feed, world }) => feed.manage(['DELETE', `users/${world.id}`])],
  changeMember: [
    ['token-claims-change'],
    ({ feed, world }) =>
      feed.send(world.jwt, ['PATCH', `tenants/${world.engines}/members/${world.grace.id}`], {
        role: 'member',
      }),
  ],
  removeMember: [
    ['token-claims-change'],
    ({ feed, world }) =>
      feed.send(world.jwt, ['DELETE', `tenants/${world.engines}/members/${world.grace.id}`]),
  ],
  'removeMember of oneself': [
    ['token-claims-change'],
    ({ feed, world }) =>
      feed.send(world.grace.token.jwt, ['DELETE', `tenants/${world.engines}/members/${world.grace.id}`]),
  ],
  'removeMember of the last one': [
    ['tenant-deleted'],
    ({ feed, world }) =>
      feed.send(world.grace.token.jwt, ['DELETE', `tenants/${world.looms}/members/${world.grace.id}`]),
  ],
  deleteTenant: [
    ['tenant-deleted'],
    ({ feed, world }) => feed.send(world.jwt, ['DELETE', `tenants/${world.engines}`]),
  ],
  'putMember with another role': [
    ['token-claims-change'],
    ({ feed, world }) =>
      feed.manage(['PUT', `tenants/${world.engines}/members/${world.grace.id}`], { role: 'owner' }),
  ],
  'removeMember by a key': [
    ['token-claims-change'],
    ({ feed, world }) => feed.manage(['DELETE', `tenants/${world.engines}/members/${world.id}`]),
  ],
  removeTenant: [
    ['tenant-deleted'],
    ({ feed, world }) => feed.manage(['DELETE', `tenants/${world.engines}`]),
  ],
  'a removal after a change of the role': [
    ['token-claims-change', 'token-claims-change'],
    async ({ app, feed, world }) => {
      const member = `tenants/${world.engines}/members/${world.grace.id}`
      await feed.manage(['PUT', member], { role: 'member' })
      await feed.manage(['DELETE', member])
      const without = (await app.refresh(world.grace.refreshToken.value)).json()
      expect(without.tenants).toEqual([world.looms])
      return without.token.jwt
    },
  ],
  'usher keys retire': [
    ['key-retired'],
    async ({ usher, app }) => {
      const operation = { store: usher.store, now: new Date(usher.clock.now) }
      const [former] = await usher.store.prisma.signingKey.findMany({ where: { databaseId: app.id } })
      await rotateKeys(operation, app, 0)
      usher.clock.cacheAhead += 6_000
      const { token } = (await app.login({ email: ada, password })).json()
      await retireKey(operation, app, String(former?.kid))
      usher.clock.cacheAhead += 6_000
      return token.jwt
    },
  ],
}

const sessionOf = ({ refreshToken }: Session) => String(refreshToken.value.split('.')[0])

describe('what makes me refuse tokens or show other tenants', () => {
  it.for(Object.entries(transitions))(
    '%s is listed, and concerns exactly the same tokens',
    async ([, [types, run]], { usher, app, feed, address }) => {
      await setDatabase(usher.store, app, { tenantOperations: true })
      usher.clock.cacheAhead += 6_000
      const world = await newWorld(app, feed)
      const { next } = await feed.list()
      const before = await Promise.all(world.tokens.map((jwt) => verdictOfMe(app, jwt)))
      expect(before).toEqual(world.tokens.map((jwt) => offlineVerdict([], jwt)))
      const later = await run({ usher, app, feed, world, address })
      const { revocations } = await feed.list(`?after=${next}`)
      expect(revocations.map(({ type }) => type)).toEqual(types)
      const tokens = [...world.tokens, ...(typeof later === 'string' ? [later] : [])]
      const after = await Promise.all(tokens.map((jwt) => verdictOfMe(app, jwt)))
      expect(after).not.toEqual(before)
      expect(tokens.map((jwt) => offlineVerdict(revocations, jwt))).toEqual(after)
    },
  )
})

it('sign-up, login, refresh, a rename and joining a tenant are not listed', async ({ app, feed }) => {
  const { grace, phone } = await newWorld(app, feed)
  await app.refresh(phone.refreshToken.value)
  await app.as(grace.token.jwt, 'PATCH', 'me', { preferredName: 'Grace' })
  expect((await feed.list()).revocations).toEqual([])
})

it('an item has no other fields than those of its type', async ({ usher, app, feed }) => {
  const { id, phone, engines, grace } = await newWorld(app, feed)
  const expiresAt = new Date(usher.clock.now + 24 * hour + 120_000).toISOString()
  await app.endSession(phone.refreshToken.value)
  await feed.manage(['DELETE', `tenants/${engines}/members/${grace.id}`])
  await feed.manage(['DELETE', `users/${id}/sessions`])
  await feed.manage(['DELETE', `tenants/${engines}`])
  const number = expect.any(Number)
  expect((await feed.list()).revocations).toEqual([
    { type: 'session-revoked', expiresAt, userId: id, sessionId: sessionOf(phone) },
    {
      type: 'token-claims-change',
      expiresAt,
      userId: grace.id,
      tenantId: engines,
      version: number,
      role: null,
    },
    { type: 'tokens-revoked', expiresAt, userId: id, generation: number },
    { type: 'tenant-deleted', expiresAt, tenantId: engines },
  ])
})

it('shows nothing of another database', async ({ usher, app, feed }) => {
  const other = await usher.newDatabase()
  const { refreshToken } = await other.opened()
  await other.endSession(refreshToken.value)
  const only = await feed.newKey(['revocations:read'])
  expect((await feed.list('', only.key)).revocations).toEqual([])
  await app.endSession((await app.opened()).refreshToken.value)
  expect((await feed.list('', only.key)).revocations).toHaveLength(1)
})

it('has pages, a cursor that expires after a restore, and requests that wait', async ({
  usher,
  app,
  feed,
}) => {
  const sessions = [await app.opened(), await app.opened(), await app.opened()]
  const [first, second, third] = sessions.map(({ refreshToken }) => refreshToken.value)
  await app.endSession(String(first))
  await app.endSession(String(second))
  const page = await feed.list('?limit=1')
  expect([page.revocations.length, page.moreAvailable]).toEqual([1, true])
  const rest = await feed.list(`?limit=1&after=${page.next}`)
  expect([rest.revocations.length, rest.moreAvailable]).toEqual([1, false])
  const waiting = feed.list(`?after=${rest.next}&wait=25`)
  await app.endSession(String(third))
  const ids = [page, rest, await waiting].flatMap(({ revocations }) =>
    revocations.map((each) => each.sessionId),
  )
  expect(ids).toEqual(sessions.map(sessionOf))
  expect(await expireCursors(usher.store, app)).toMatchObject({ databases: 1 })
  const expired = await feed.send(feed.key, ['GET', `management/revocations?after=${rest.next}`])
  expect([expired.statusCode, expired.json().code]).toEqual([410, 'cursor_expired'])
  expect((await feed.list()).revocations).toHaveLength(3)
})

it('a key that is revoked while its request waits is refused', async ({ usher, app, feed }) => {
  const { next } = await feed.list()
  const waiting = feed.send(feed.key, ['GET', `management/revocations?after=${next}&wait=25`])
  const { refreshToken } = await app.opened()
  await revokeApiKey(usher.store, app, feed.keyId)
  await app.endSession(refreshToken.value)
  expect((await waiting).json().code).toBe('key_invalid')
})

it('while a frozen server keeps a revocation from being listed, no response says that there is none', async ({
  usher,
  app,
  feed,
}) => {
  const { jwt } = await newWorld(app, feed)
  const { next } = await feed.list('?limit=1000')
  const [locked, end] = [newGate(), newGate()]
  const frozen = usher.store.transaction(app.id, async (query) => {
    await query('SELECT 1 FROM usher.revocation_cursor WHERE database_id = $1::uuid FOR UPDATE', [app.id])
    locked.open()
    await end.opened
  })
  await locked.opened
  expect((await app.as(jwt, 'DELETE', 'me/sessions')).statusCode).toBe(204)
  const responses = await Promise.all(
    ['', '&wait=1'].map((wait) =>
      feed.send(feed.key, ['GET', `management/revocations?after=${next}${wait}`]),
    ),
  )
  end.open()
  await frozen
  for (const response of responses)
    expect([response.statusCode, response.json().code]).toEqual([503, 'unavailable'])
  expect((await feed.list(`?after=${next}`)).revocations).toMatchObject([{ type: 'tokens-revoked' }])
})

it('an item is deleted when every token that it concerns has expired, and with it the places before', async ({
  usher,
  app,
  feed,
}) => {
  const { next: start } = await feed.list()
  await app.endSession((await app.opened()).refreshToken.value)
  usher.clock.now += 24 * hour + 120_000
  await feed.sweep()
  const countNow = async () => (await feed.list('', (await feed.newKey()).key)).revocations.length
  expect(await countNow()).toBe(1)
  usher.clock.now += 13 * hour
  await feed.sweep()
  expect(await countNow()).toBe(0)
  const { key } = await feed.newKey()
  const expired = await feed.send(key, ['GET', `management/revocations?after=${start}`])
  expect(expired.json().code).toBe('cursor_expired')
})

/** Adds 300 members to a tenant, which is deleted in two steps then. */
async function addManyMembers({ store: { prisma } }: TestApi, databaseId: string, tenantId: string) {
  const created = Array.from({ length: 300 }, (_, index) => ({
    databaseId,
    id: crypto.randomUUID(),
    email: `${index}@example.com`,
    canonicalEmail: `${index}@example.com`,
    passwordHash: '',
    createdAt: new Date(),
  }))
  await prisma.user.createMany({ data: created })
  await prisma.membership.createMany({
    data: created.map(({ id }) => ({
      databaseId,
      userId: id,
      tenantId,
      joinedAt: new Date(),
      role: 'member',
    })),
  })
}

it('a tenant with many members is listed from the first step of its deletion on', async ({
  usher,
  app,
  feed,
}) => {
  const { engines } = await newWorld(app, feed)
  await addManyMembers(usher, app.id, engines)
  await feed.manage(['DELETE', `tenants/${engines}`])
  const item = { type: 'tenant-deleted', tenantId: engines }
  expect((await feed.list()).revocations).toMatchObject([item, item])
})

describe('when a user has ended 1,000 sessions in a day', () => {
  const ends = ['endSession', 'endSessionById', 'the limit of sessions', 'a refresh token that is used twice']
  it.for(ends)(
    '%s revokes the tokens of the user, whose open sessions continue',
    async (name, { usher, app, feed, address }) => {
      const world = await newWorld(app, feed)
      await storeRevocationsOf(usher, app.id, { actorId: world.id, count: 1_000 })
      const { next } = await feed.list('?limit=1000')
      const [, run] = transitions[name] as Transition
      const later = await run({ usher, app, feed, address, world })
      const { revocations } = await feed.list(`?after=${next}`)
      expect(revocations).toMatchObject([{ type: 'tokens-revoked', userId: world.id }])
      const sessions = await Promise.all(
        [world.phone, world.laptop].map(({ refreshToken }) => app.refresh(refreshToken.value)),
      )
      expect(sessions.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401])
      const refreshed = sessions.flatMap(({ statusCode, json }) =>
        statusCode === 200 ? json().token.jwt : [],
      )
      const tokens = [...world.tokens, ...refreshed, ...(name === 'the limit of sessions' ? [later] : [])]
      const verdicts = await Promise.all(tokens.map((jwt) => verdictOfMe(app, String(jwt))))
      expect(tokens.map((jwt) => offlineVerdict(revocations, String(jwt)))).toEqual(verdicts)
      expect(verdicts.map(({ isAccepted }) => isAccepted)).toEqual(
        tokens.map((_, index) => index >= world.tokens.length - 2),
      )
    },
  )
})

it('a user can make 1,000 changes of tenants in a day, whatever other users do', async ({
  usher,
  app,
  feed,
}) => {
  await setDatabase(usher.store, app, { tenantOperations: true })
  usher.clock.cacheAhead += 6_000
  const { id: actorId, jwt, engines, grace } = await newWorld(app, feed)
  const stored = (count: number) => storeRevocationsOf(usher, app.id, { actorId, count })
  const member = `tenants/${engines}/members/${grace.id}`
  const change = (role: string) => feed.send(jwt, ['PATCH', member], { role })
  await stored(999)
  expect((await change('member')).statusCode).toBe(200)
  const refused = [
    await change('admin'),
    await feed.send(jwt, ['DELETE', member]),
    await feed.send(jwt, ['DELETE', `tenants/${engines}`]),
  ]
  for (const { statusCode, headers, json } of refused)
    expect([statusCode, json().code, headers['retry-after']]).toEqual([429, 'too_many_changes', '3600'])
  expect((await change('member')).statusCode).toBe(200)
  const left = ['DELETE', member] as const
  expect((await feed.send(grace.token.jwt, [...left])).statusCode).toBe(204)
})

it('the deletion of a tenant with many members by its owner is one of these changes', async ({
  usher,
  app,
  feed,
}) => {
  await setDatabase(usher.store, app, { tenantOperations: true })
  usher.clock.cacheAhead += 6_000
  const { id: actorId, jwt, engines } = await newWorld(app, feed)
  await addManyMembers(usher, app.id, engines)
  const { id: other } = (await feed.send(jwt, ['POST', 'tenants'], { name: 'Compilers' })).json()
  await storeRevocationsOf(usher, app.id, { actorId, count: 998 })
  expect((await feed.send(jwt, ['DELETE', `tenants/${engines}`])).statusCode).toBe(204)
  expect((await feed.send(jwt, ['DELETE', `tenants/${other}`])).statusCode).toBe(204)
})
