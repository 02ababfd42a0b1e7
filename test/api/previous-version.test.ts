import { randomUUID } from 'node:crypto'
import type { Session, SignedInUser } from '@usher/contract'
import { decodeJwt } from 'jose'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { enableUser, revokeTokens } from '../../server/domain/management/users/change-user.js'
import { importUsers } from '../../server/domain/management/users/import-users.js'
import { it as apiTest } from '../support/api.js'
import { password, type TestApi, type TestDatabase } from '../support/app.js'

// Servers of the previous version, without generations, run next to this version during an upgrade. These are their
// statements.

const refused = [401, 'token_invalid']
const ended = [401, 'session_ended']

const outcome = (response: { statusCode: number; json(): { code: string } }) => [
  response.statusCode,
  response.json().code,
]

const it = apiTest.extend('before', async ({ usher, clock }) => {
  clock.now = Date.now()
  return versionBefore(usher, await usher.newDatabase())
})

function versionBefore(usher: TestApi, database: TestDatabase) {
  const { query } = usher.store
  const { id: databaseId } = database
  return {
    ...database,
    /** Inserts a user as a sign-up does, with the password of another one. */
    async signUp(email: string) {
      const id = uuidv7()
      const { id: other } = await database.signedUp()
      await query(
        `INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, preferred_name, created_at)
        SELECT database_id, $3::uuid, $4, $4, password_hash, NULL, created_at
        FROM usher."user" WHERE database_id = $1::uuid AND id = $2::uuid`,
        [databaseId, other, id, email],
      )
      return id
    },
    /** Returns a token like another one, without generation. */
    async token(jwt: string) {
      const { gen: _, ...claims } = decodeJwt(jwt)
      const [key] = (await usher.context.findDatabase(database)).keys
      return key?.sign({ ...claims, jti: randomUUID() }) ?? ''
    },
    revoke: (userId: string) =>
      query(
        `UPDATE usher."user" SET tokens_valid_after = now() WHERE database_id = $1::uuid AND id = $2::uuid`,
        [databaseId, userId],
      ),
    disable: (userId: string) =>
      query(`UPDATE usher."user" SET disabled_at = $3 WHERE database_id = $1::uuid AND id = $2::uuid`, [
        databaseId,
        userId,
        new Date(usher.clock.now),
      ]),
    /** Turns a session into one that the previous version has opened. */
    openedHere: (sessionId: string) =>
      query(`UPDATE usher.session SET generation = NULL WHERE database_id = $1::uuid AND id = $2::uuid`, [
        databaseId,
        sessionId,
      ]),
    /** Returns whether the previous version would refresh a session. */
    async refreshes(sessionId: string) {
      const rows = await query(
        `SELECT FROM usher.session AS s JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = s.user_id
        WHERE s.database_id = $1::uuid AND s.id = $2::uuid AND s.ended_at IS NULL AND u.disabled_at IS NULL
          AND (u.tokens_valid_after IS NULL OR s.authenticated_at >= u.tokens_valid_after)`,
        [databaseId, sessionId],
      )
      return rows.length > 0
    },
    /** Returns whether the previous version would accept a token. */
    async accepts(jwt: string) {
      const { sub = '', iat = 0 } = decodeJwt(jwt)
      const user = await usher.store.prisma.user.findFirst({ where: { databaseId, id: sub } })
      return !!user && !user.disabledAt && iat >= Math.ceil((user.tokensValidAfter?.getTime() ?? 0) / 1000)
    },
  }
}

const idOf = ({ refreshToken }: Session) => refreshToken.value.slice(0, 36)
const now = (usher: TestApi) => new Date(usher.clock.now)

it('users whom the previous version has signed up log in, and their tokens are revoked', async ({
  usher,
  before,
}) => {
  const email = 'earlier@example.com'
  const id = await before.signUp(email)
  const { token }: SignedInUser = (await before.login({ email, password })).json()
  expect((await before.me(token.jwt)).statusCode).toBe(200)
  await revokeTokens({ store: usher.store, now: now(usher) }, before, id)
  expect(outcome(await before.me(token.jwt))).toEqual(refused)
})

it('a token of the previous version is accepted, opens a session, and is revoked by time', async ({
  usher,
  before,
}) => {
  const { id, token } = await before.signedUp()
  const [one, other] = [await before.token(token.jwt), await before.token(token.jwt)]
  expect((await before.me(one)).statusCode).toBe(200)
  const session: Session = (await before.openSession(one)).json()
  expect((await before.refresh(session.refreshToken.value)).statusCode).toBe(200)
  await revokeTokens({ store: usher.store, now: now(usher) }, before, id)
  expect(outcome(await before.me(other))).toEqual(refused)
  expect(outcome(await before.openSession(other))).toEqual(refused)
  expect(outcome(await before.refresh(session.refreshToken.value))).toEqual(ended)
})

it('a session of the previous version can be ended, and gets a generation when it is refreshed', async ({
  usher,
  before,
}) => {
  const opened = await Promise.all(Array.from({ length: 2 }, () => before.opened()))
  for (const session of opened) await before.openedHere(idOf(session))
  const [one, other] = opened as [Session, Session]
  const refreshed: Session = (await before.refresh(one.refreshToken.value)).json()
  const where = { databaseId: before.id, id: { in: opened.map(idOf) } }
  const rows = await usher.store.prisma.session.findMany({ where, select: { id: true, generation: true } })
  expect(new Set(rows)).toEqual(
    new Set([
      { id: idOf(one), generation: BigInt(Number(decodeJwt(refreshed.token.jwt).gen)) },
      { id: idOf(other), generation: null },
    ]),
  )
  for (const { id } of opened) await revokeTokens({ store: usher.store, now: now(usher) }, before, id)
  expect(outcome(await before.refresh(refreshed.refreshToken.value))).toEqual(ended)
  expect(outcome(await before.refresh(other.refreshToken.value))).toEqual(ended)
  expect(outcome(await before.me(other.token.jwt))).toEqual(refused)
})

it('a revocation by the previous version rejects tokens and sessions of this version', async ({
  usher,
  before,
}) => {
  const email = 'revoked@example.com'
  const session = await before.opened({ email })
  const { token }: SignedInUser = (await before.login({ email, password })).json()
  await before.revoke(session.id)
  for (const jwt of [session.token.jwt, token.jwt]) expect(outcome(await before.me(jwt))).toEqual(refused)
  expect(outcome(await before.refresh(session.refreshToken.value))).toEqual(ended)
  usher.clock.now = Date.now()
  const again: SignedInUser = (await before.login({ email, password })).json()
  const next: Session = (await before.openSession(again.token.jwt)).json()
  expect((await before.refresh(next.refreshToken.value)).statusCode).toBe(200)
})

it('a revocation by this version rejects tokens and sessions at the previous version, but no later ones', async ({
  usher,
  before,
}) => {
  const email = 'both@example.com'
  const session = await before.opened({ email })
  expect([await before.accepts(session.token.jwt), await before.refreshes(idOf(session))]).toEqual([
    true,
    true,
  ])
  await revokeTokens({ store: usher.store, now: now(usher) }, before, session.id)
  expect([await before.accepts(session.token.jwt), await before.refreshes(idOf(session))]).toEqual([
    false,
    false,
  ])
  const { token }: SignedInUser = (await before.login({ email, password })).json()
  const next: Session = (await before.openSession(token.jwt)).json()
  expect([await before.accepts(token.jwt), await before.refreshes(idOf(next))]).toEqual([true, true])
})

it('enabling a user whom the previous version disabled restores no token or session', async ({
  usher,
  before,
}) => {
  const session = await before.opened()
  const earlier = await before.opened()
  await before.openedHere(idOf(earlier))
  for (const { id } of [session, earlier]) {
    await before.disable(id)
    await enableUser({ store: usher.store, now: now(usher) }, before, id)
  }
  usher.clock.now += 1_000
  for (const { token, refreshToken } of [session, earlier]) {
    expect(outcome(await before.me(token.jwt))).toEqual(refused)
    expect(outcome(await before.me(await before.token(token.jwt)))).toEqual(refused)
    expect(outcome(await before.refresh(refreshToken.value))).toEqual(ended)
  }
})

describe('generations are never reused', () => {
  it('a token from after the backup stays rejected after a restore and the next revocation', async ({
    usher,
    before,
  }) => {
    const email = 'restored@example.com'
    const { id } = await before.signedUp({ email })
    const where = { databaseId: before.id, id }
    const { generation } = await usher.store.prisma.user.findFirstOrThrow({ where })
    const revoke = () => revokeTokens({ store: usher.store, now: now(usher) }, before, id)
    await revoke()
    usher.clock.now += 2_000
    const { token }: SignedInUser = (await before.login({ email, password })).json()
    await usher.store.prisma.user.updateMany({ where, data: { generation, tokensValidAfter: null } })
    expect(outcome(await before.me(token.jwt))).toEqual(refused)
    await revoke()
    await usher.store.prisma.user.updateMany({ where, data: { tokensValidAfter: null } })
    expect(outcome(await before.me(token.jwt))).toEqual(refused)
  })

  it('a token of a deleted user stays rejected after an import of the same id', async ({ usher, before }) => {
    const { id, token } = await before.signedUp()
    await usher.store.prisma.user.deleteMany({ where: { databaseId: before.id, id } })
    usher.clock.now += 1
    const text = JSON.stringify({ id, email: 'imported@example.com' })
    const line = { number: 1, text, bytes: text.length }
    const database = { id: before.id, dummyHashes: [], roles: [] }
    for await (const { added } of importUsers(usher.context as never, database, { lines: [line] }))
      expect(added).toBe(1)
    expect(outcome(await before.me(token.jwt))).toEqual(refused)
  })
})
