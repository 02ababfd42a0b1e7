import type { DatabasePath } from '@usher/contract'
import type { Prisma, SigningKey } from '../../../store/generated/client.js'
import { lockDatabase } from '../../../store/queries/keys.js'
import type { Store } from '../../../store/store.js'
import { queriesIn } from '../../../store/transaction-queries.js'
import type { DatabaseRow } from '../../databases/find-database.js'
import { generateSecret, lockSealingKey, secretActivationSeconds } from '../../keys/database-secrets.js'
import { generateSigningKey } from '../../keys/signing-keys.js'
import { longestTokenSeconds } from '../../tokens/access-token.js'
import { requireDatabase } from '../databases/databases.js'
import { OperatorError } from '../operator-error.js'

const secondsAfter = (instant: Date, seconds: number) => new Date(instant.getTime() + seconds * 1000)

const newestFirst = [
  { activatesAt: 'desc' },
  { retiresAt: { sort: 'desc', nulls: 'first' } },
] satisfies Prisma.SigningKeyOrderByWithRelationInput[]

export async function listKeys(store: Store, path: DatabasePath): Promise<SigningKey[]> {
  return (await requireDatabase(store, path)).signingKeys
}

/**
 * Publishes the next signing key immediately; it signs after `activateInSeconds`, when caches of the published keys have
 * it. Earlier keys are accepted until all their tokens have expired, and then deleted. The database's secret is rotated
 * with them.
 */
export async function rotateKeys(store: Store, path: DatabasePath, activateInSeconds: number, now: Date) {
  const database = await requireDatabase(store, path)
  const activatesAt = secondsAfter(now, activateInSeconds)
  return store.prisma.$transaction(async (transaction) => {
    const masterKey = await lockSealingKey(queriesIn(transaction), store, database.id)
    await lockDatabase(transaction, database.id)
    const key = generateSigningKey(database, masterKey, now, activatesAt)
    const { signingKey } = transaction
    const databaseId = database.id
    await signingKey.deleteMany({ where: { databaseId, retiresAt: { lte: now } } })
    const pending = await signingKey.findFirst({ where: { databaseId, activatesAt: { gt: now } } })
    if (pending) {
      throw new OperatorError(
        `key ${pending.kid} is pending already; it signs from ${pending.activatesAt.toISOString()}`,
      )
    }
    await signingKey.updateMany({
      where: { databaseId, retiresAt: null },
      data: { retiresAt: secondsAfter(activatesAt, longestTokenSeconds) },
    })
    await signingKey.createMany({ data: key })
    await rotateSecret(transaction, database, masterKey, activatesAt, now)
    return key
  })
}

/** Earlier secrets are accepted until all sessions that began with them have ended, and then deleted. */
async function rotateSecret(
  { databaseSecret }: Prisma.TransactionClient,
  { id: databaseId, sessionMax }: Pick<DatabaseRow, 'id' | 'sessionMax'>,
  masterKey: Buffer,
  keyActivatesAt: Date,
  now: Date,
) {
  await databaseSecret.deleteMany({ where: { databaseId, retiresAt: { lte: now } } })
  const [last] = await databaseSecret.findMany({
    where: { databaseId },
    orderBy: { number: 'desc' },
    take: 1,
  })
  // The first secret is created when it is needed.
  if (!last) return
  const earliest = secondsAfter(now, secretActivationSeconds)
  const activatesAt = keyActivatesAt > earliest ? keyActivatesAt : earliest
  await databaseSecret.updateMany({
    where: { databaseId, retiresAt: null },
    data: { retiresAt: secondsAfter(activatesAt, Math.max(sessionMax, longestTokenSeconds)) },
  })
  const id = { databaseId, number: last.number + 1 }
  await databaseSecret.createMany({ data: generateSecret(id, masterKey, now, activatesAt) })
}

/**
 * Rejects the tokens of a compromised key within 5 s, and the refresh tokens of its time.
 *
 * @throws {OperatorError} if no other key can sign
 */
export async function retireKey(
  store: Store,
  path: DatabasePath,
  kid: string,
  now: Date,
): Promise<SigningKey> {
  const { id: databaseId } = await requireDatabase(store, path)
  return store.prisma.$transaction(async (transaction) => {
    const masterKey = await lockSealingKey(queriesIn(transaction), store, databaseId)
    await lockDatabase(transaction, databaseId)
    const { signingKey } = transaction
    const keys = await signingKey.findMany({ where: { databaseId }, orderBy: newestFirst })
    const retired = keys.find((key) => key.kid === kid)
    if (!retired) throw new OperatorError(`key ${kid} does not exist in this database`)
    const others = keys.filter((key) => key.kid !== kid && !isRetired(key, now))
    const successor = others.find((key) => key.activatesAt <= now)
    if (!successor) {
      throw new OperatorError('no other key can sign yet. Run first: usher keys rotate --activate-in 0')
    }
    const next = others.find((key) => key.activatesAt > now)
    await signingKey.updateMany({
      where: { databaseId, kid: successor.kid },
      data: { retiresAt: next ? secondsAfter(next.activatesAt, longestTokenSeconds) : null },
    })
    await signingKey.updateMany({ where: { databaseId, kid }, data: { retiresAt: now } })
    const laterKey = keys.findLast(({ createdAt }) => createdAt > retired.createdAt)
    await retireSecrets(transaction, databaseId, masterKey, [retired.createdAt, laterKey?.createdAt], now)
    return { ...retired, retiresAt: now }
  })
}

/** Retires the secrets that were created in an interval. A database that has needed a secret always has one. */
async function retireSecrets(
  { databaseSecret }: Prisma.TransactionClient,
  databaseId: string,
  masterKey: Buffer,
  [from, to]: [from: Date, to: Date | undefined],
  now: Date,
) {
  const createdAt = { gte: from, ...(to && { lt: to }) }
  await databaseSecret.updateMany({ where: { databaseId, createdAt }, data: { retiresAt: now } })
  const [last] = await databaseSecret.findMany({
    where: { databaseId },
    orderBy: { number: 'desc' },
    take: 1,
  })
  if (!last || !isRetired(last, now)) return
  const id = { databaseId, number: last.number + 1 }
  await databaseSecret.createMany({ data: generateSecret(id, masterKey, now, now) })
}

const isRetired = (key: Pick<SigningKey, 'retiresAt'>, now: Date) =>
  key.retiresAt !== null && key.retiresAt <= now

/** @param keys all keys of the database, newest first */
export function keyState(key: SigningKey, keys: readonly SigningKey[], now: Date) {
  if (isRetired(key, now)) return 'retired'
  if (key.activatesAt > now) return 'next'
  const signs = keys.find((each) => each.activatesAt <= now && !isRetired(each, now))
  return key.kid === signs?.kid ? 'signs' : 'accepted'
}
