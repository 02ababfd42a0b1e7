import type { DatabaseSecret, SigningKey } from '../../generated/client.js'
import { storeRevocation } from '../stored-revocations.js'
import type { TypedQueries } from './typed-queries.js'

/** Makes concurrent changes to the keys of a database wait for this transaction. */
export async function lockDatabase(transaction: TypedQueries, databaseId: string) {
  const prisma = await transaction.loadPrisma()
  await prisma.$queryRaw`SELECT kid FROM usher.signing_key WHERE database_id = ${databaseId}::uuid FOR UPDATE`
}

/**
 * Waits until running transactions that have written databases, signing keys or secrets have ended. Does not block
 * reads.
 */
export async function waitForKeyChanges(transaction: TypedQueries) {
  const prisma = await transaction.loadPrisma()
  await prisma.$executeRaw`LOCK TABLE usher.database, usher.signing_key, usher.database_secret IN SHARE MODE`
}

/** Returns the keys of a database, newest first. Of two with the same instant, the one without successor is first. */
export async function listSigningKeys(store: TypedQueries, databaseId: string) {
  const { signingKey } = await store.loadPrisma()
  return signingKey.findMany({
    where: { databaseId },
    orderBy: [{ activatesAt: 'desc' }, { retiresAt: { sort: 'desc', nulls: 'first' } }],
  })
}

export async function listKeyIds(store: TypedQueries, databaseId: string) {
  const { signingKey } = await store.loadPrisma()
  return signingKey.findMany({ where: { databaseId }, select: { kid: true } })
}

/** Returns a key that does not sign yet. */
export async function findPendingKey(store: TypedQueries, databaseId: string, now: Date) {
  const { signingKey } = await store.loadPrisma()
  return signingKey.findFirst({ where: { databaseId, activatesAt: { gt: now } } })
}

export async function insertSigningKey(store: TypedQueries, data: SigningKey) {
  const { signingKey } = await store.loadPrisma()
  await signingKey.createMany({ data })
}

/** Plans the end of a key or, without `kid`, of all keys that have no end yet. All their tokens have expired by then. */
export async function retireSigningKeys(
  store: TypedQueries,
  { databaseId, kid }: { databaseId: string; kid?: string },
  retiresAt: Date | null,
) {
  const { signingKey } = await store.loadPrisma()
  const where = kid === undefined ? { databaseId, retiresAt: null } : { databaseId, kid }
  await signingKey.updateMany({ where, data: { retiresAt } })
}

/** Retires a key immediately, although tokens of it have not expired. */
export async function revokeSigningKey(
  transaction: TypedQueries,
  { databaseId, kid }: Pick<SigningKey, 'databaseId' | 'kid'>,
  now: Date,
) {
  await retireSigningKeys(transaction, { databaseId, kid }, now)
  await storeRevocation(transaction, { databaseId, now }, { type: 'key-retired', kid })
}

export async function deleteRetiredKeys(store: TypedQueries, databaseId: string, now: Date) {
  const { signingKey } = await store.loadPrisma()
  await signingKey.deleteMany({ where: { databaseId, retiresAt: { lte: now } } })
}

export async function deleteSigningKeys(store: TypedQueries, databaseId: string) {
  const { signingKey } = await store.loadPrisma()
  await signingKey.deleteMany({ where: { databaseId } })
}

export async function findLastSecret(store: TypedQueries, databaseId: string) {
  const { databaseSecret } = await store.loadPrisma()
  const [last] = await databaseSecret.findMany({
    where: { databaseId },
    orderBy: { number: 'desc' },
    take: 1,
  })
  return last
}

export async function insertSecret(store: TypedQueries, data: DatabaseSecret) {
  const { databaseSecret } = await store.loadPrisma()
  await databaseSecret.createMany({ data })
}

/** Retires the secrets that were created in an interval or, without one, all secrets that have no end yet. */
export async function retireSecrets(
  store: TypedQueries,
  { databaseId, created }: { databaseId: string; created?: { from: Date; to: Date | undefined } },
  retiresAt: Date,
) {
  const { databaseSecret } = await store.loadPrisma()
  const where = created
    ? { createdAt: { gte: created.from, ...(created.to && { lt: created.to }) } }
    : { retiresAt: null }
  await databaseSecret.updateMany({ where: { databaseId, ...where }, data: { retiresAt } })
}

export async function deleteRetiredSecrets(store: TypedQueries, databaseId: string, now: Date) {
  const { databaseSecret } = await store.loadPrisma()
  await databaseSecret.deleteMany({ where: { databaseId, retiresAt: { lte: now } } })
}
