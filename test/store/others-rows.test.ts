import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { useResetCode, useVerificationCode } from '../../server/store/queries/codes.js'
import { findKeysAndHashes } from '../../server/store/queries/keys.js'
import {
  type Attempt,
  clearLoginFailures,
  findLoginFailures,
  recordLoginFailure,
  releaseAttempt,
} from '../../server/store/queries/login-failures.js'
import { findLastPlace, findLastPlaces, revocations } from '../../server/store/queries/numbered-lists.js'
import { endOpenSession } from '../../server/store/queries/session-ends.js'
import { findUsersOfTokens, type UserKey } from '../../server/store/queries/users-of-tokens.js'
import type { Store } from '../../server/store/store.js'
import { it as apiTest } from '../support/api.js'
import { start } from '../support/app.js'
import { addBystanders, bystander } from './bystanders.js'

const now = new Date(start)

/** A user of a database that has bystanders, who have failed to log in from the same network. */
const it = apiTest.extend('ada', async ({ usher }) => {
  const { id: databaseId, signedUp } = await usher.newDatabase()
  const { id: userId } = await signedUp({ email: 'ada@example.com' })
  const attempt = usher.context.throttle.keys.attempt(databaseId, 'ada@example.com', '192.0.2.1')
  const { network } = attempt
  const expectUnchanged = await addBystanders(usher.store, {
    databaseId,
    now,
    network,
    codesTo: 'ada@example.com',
  })
  return { databaseId, userId, attempt, expectUnchanged }
})

interface Ada {
  databaseId: string
  userId: string
  attempt: Attempt
}

it.for<[string, (store: Store, ada: Ada) => Promise<unknown>, unknown]>([
  [
    'useResetCode',
    (store, { databaseId, userId }) =>
      useResetCode(store, { databaseId, id: bystander.resetCodeId, userId }, { now, passwordHash: 'hash' }),
    undefined,
  ],
  [
    'useVerificationCode',
    (store, { databaseId, userId }) =>
      useVerificationCode(store, { databaseId, id: bystander.verificationCodeId, userId }, now),
    undefined,
  ],
  [
    'endOpenSession',
    (store, { databaseId, userId }) =>
      endOpenSession(store, { databaseId, userId, id: bystander.sessionId }, now),
    { ended: [] },
  ],
  [
    'clearLoginFailures',
    (store, { databaseId, attempt }) => clearLoginFailures(store, databaseId, attempt),
    undefined,
  ],
  [
    'releaseAttempt',
    (store, { databaseId, attempt }) => releaseAttempt(store, databaseId, attempt),
    undefined,
  ],
])('%s changes nothing by what belongs to another user', async ([, change, result], { usher, ada }) => {
  expect(await change(usher.store, ada)).toEqual(result)
  await ada.expectUnchanged()
})

it('findUsersOfTokens and findKeysAndHashes find only what is in the database of each key', async ({
  usher,
}) => {
  const [one, two] = await Promise.all([usher.newDatabase(), usher.newDatabase()])
  const opened = await Promise.all([one, two].map(({ opened }) => opened({ newTenant: 'Engines' })))
  const keys = opened.map(({ id, refreshToken }, index) => ({
    databaseId: index === 0 ? one.id : two.id,
    id,
    sessionId: refreshToken.value.split('.')[0],
  }))
  const [first, second] = keys as [UserKey, UserKey]
  const found = await findUsersOfTokens(usher.store, [
    second,
    { ...first, sessionId: undefined },
    { ...first, databaseId: second.databaseId },
    { ...first, sessionId: second.sessionId },
    first,
  ])
  expect(found.map((user) => user && [user.id, user.memberships.length, user.isSessionOpen])).toEqual([
    [second.id, 1, true],
    [first.id, 1, null],
    undefined,
    [first.id, 1, null],
    [first.id, 1, true],
  ])
  const read = await findKeysAndHashes(usher.store, [two.id, randomUUID(), one.id])
  const alone = await Promise.all(
    [two.id, randomUUID(), one.id].map((id) => findKeysAndHashes(usher.store, [id])),
  )
  expect(read).toEqual(alone.flat())
  expect(read.map(({ signingKeys }) => signingKeys.map(({ databaseId }) => databaseId))).toEqual([
    [two.id],
    [],
    [one.id],
  ])
})

it('findLastPlaces finds the place in the list of each database', async ({ usher }) => {
  const { store, context } = usher
  const databases = await Promise.all([usher.newDatabase(), usher.newDatabase(), usher.newDatabase()])
  const [one, two, three] = databases.map(({ id }) => id) as [string, string, string]
  const revoke = async ({ opened, as }: (typeof databases)[number]) =>
    as((await opened()).token.jwt, 'DELETE', 'me/sessions')
  for (const database of databases) await revoke(database)
  for (const id of [one, two]) await context.revocations.read(id, { after: undefined, limit: 10 })
  await revoke(databases[1] as (typeof databases)[number])
  const ids = [two, three, one]
  const found = await findLastPlaces(store, revocations, ids)
  expect(found.map((place) => place && [place.seq, place.hasMore])).toEqual([
    [1, true],
    undefined,
    [1, false],
  ])
  const alone = ids.map((databaseId) => findLastPlace(store, { list: revocations, databaseId }))
  expect(found.map((place) => place?.lineage)).toEqual(
    (await Promise.all(alone)).map((place) => place?.lineage),
  )
})

it('findLoginFailures counts neither failures of other users nor those that were taken back', async ({
  usher,
  ada: { databaseId, attempt },
}) => {
  const find = () => findLoginFailures(usher.store, databaseId, attempt)
  expect(await find()).toEqual({ network: undefined, account: undefined })
  await recordLoginFailure(usher.store, databaseId, { attempt, now, expired: new Date(0), account: true })
  expect(await find()).toEqual({ network: { count: 1, lastAt: now }, account: { count: 1, lastAt: now } })
  await releaseAttempt(usher.store, databaseId, attempt)
  expect(await find()).toEqual({ network: undefined, account: { count: 1, lastAt: now } })
})
