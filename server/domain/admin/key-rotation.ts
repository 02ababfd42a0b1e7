import type { DatabasePath } from '@usher/contract'
import type { SigningKey } from '../../store/generated/client.js'
import type { Store } from '../../store/store.js'
import { newestFirst, requireDatabase } from '../databases/find-database.js'
import { generateSigningKey } from '../keys/signing-keys.js'
import { OperatorError } from './operator-error.js'

/** The longest that a token can live, whatever the settings (TOKEN_MAX_AGE's ceiling), with clocks a minute apart. */
const longestTokenSeconds = 86_400 + 60

const secondsAfter = (moment: Date, seconds: number) => new Date(moment.getTime() + seconds * 1000)

/** The keys of a database, the newest first. */
export async function listKeys(store: Store, path: DatabasePath): Promise<SigningKey[]> {
  const { id } = await requireDatabase(store, path)
  return store.prisma.signingKey.findMany({
    where: { databaseId: id },
    orderBy: newestFirst,
  })
}

/**
 * Makes the next signing key of a database. It is published at once and signs after `activateInSeconds`, by
 * when those who keep the published keys have fetched it; the keys before it are accepted until no token of
 * theirs can live. Keys that are past that are deleted.
 *
 * @throws {OperatorError} where a next key waits already
 */
export async function rotateKeys(store: Store, path: DatabasePath, activateInSeconds: number, now: Date) {
  const database = await requireDatabase(store, path)
  const activatesAt = secondsAfter(now, activateInSeconds)
  const key = generateSigningKey(database, store.masterKey, now, activatesAt)
  await store.prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT id FROM usher.database WHERE id = ${database.id}::uuid FOR UPDATE`
    const { signingKey } = transaction
    const databaseId = database.id
    await signingKey.deleteMany({ where: { databaseId, retiresAt: { lte: now } } })
    const waiting = await signingKey.findFirst({ where: { databaseId, activatesAt: { gt: now } } })
    if (waiting) {
      throw new OperatorError(
        `key ${waiting.kid} waits already; it signs from ${waiting.activatesAt.toISOString()}`,
      )
    }
    await signingKey.updateMany({
      where: { databaseId, retiresAt: null },
      data: { retiresAt: secondsAfter(activatesAt, longestTokenSeconds) },
    })
    await signingKey.create({ data: key })
  })
  return key
}

/**
 * Refuses the tokens of a key from now on, for a key that got into wrong hands. Servers follow within seconds.
 * The newest key of those that are left signs in its place, and is kept for as long as it may have to.
 *
 * @throws {OperatorError} where there is no such key, or no other to sign in its place
 */
export async function retireKey(
  store: Store,
  path: DatabasePath,
  kid: string,
  now: Date,
): Promise<SigningKey> {
  const { id: databaseId } = await requireDatabase(store, path)
  return store.prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT id FROM usher.database WHERE id = ${databaseId}::uuid FOR UPDATE`
    const { signingKey } = transaction
    const keys = await signingKey.findMany({ where: { databaseId }, orderBy: newestFirst })
    if (!keys.some((key) => key.kid === kid)) throw new OperatorError(`no key ${kid} in this database`)
    const others = keys.filter((key) => key.kid !== kid && !isRetired(key, now))
    const successor = others.find((key) => key.activatesAt <= now)
    if (!successor) {
      throw new OperatorError('no other key signs yet; run first: usher keys rotate --activate-in 0')
    }
    const next = others.find((key) => key.activatesAt > now)
    await signingKey.update({
      where: { databaseId_kid: { databaseId, kid: successor.kid } },
      data: { retiresAt: next ? secondsAfter(next.activatesAt, longestTokenSeconds) : null },
    })
    return signingKey.update({ where: { databaseId_kid: { databaseId, kid } }, data: { retiresAt: now } })
  })
}

const isRetired = (key: Pick<SigningKey, 'retiresAt'>, now: Date) =>
  key.retiresAt !== null && key.retiresAt <= now

/** What a key is for at a moment; `keys` has all of its database, the newest first. */
export function keyState(key: SigningKey, keys: readonly SigningKey[], now: Date) {
  if (isRetired(key, now)) return 'retired'
  if (key.activatesAt > now) return 'next'
  const signs = keys.find((each) => each.activatesAt <= now && !isRetired(each, now))
  return key.kid === signs?.kid ? 'signs' : 'accepted'
}
