import type { DatabasePath } from '@usher/contract'
import type { SigningKey } from '../../../store/generated/client.js'
import {
  deleteRetiredKeys,
  deleteRetiredSecrets,
  findLastSecret,
  findPendingKey,
  insertSecret,
  insertSigningKey,
  listSigningKeys,
  lockDatabase,
  retireSecrets,
  retireSigningKeys,
  revokeSigningKey,
} from '../../../store/queries/management/keys.js'
import { inTransaction, type TypedQueries } from '../../../store/queries/management/typed-queries.js'
import type { Store } from '../../../store/store.js'
import { longestCodeSeconds } from '../../codes/code.js'
import { type DatabaseRow, nameOfDatabase } from '../../databases/find-database.js'
import { generateSecret, lockSealingKey, secretActivationSeconds } from '../../keys/database-secrets.js'
import { generateSigningKey } from '../../keys/signing-keys.js'
import { Problem } from '../../problem.js'
import { longestTokenSeconds } from '../../tokens/access-token.js'
import { requireDatabase } from '../databases.js'
import type { Operation } from '../operation.js'

const secondsAfter = (instant: Date, seconds: number) => new Date(instant.getTime() + seconds * 1000)

export async function listKeys(store: Store, path: DatabasePath): Promise<SigningKey[]> {
  return (await requireDatabase(store, path)).signingKeys
}

/**
 * Publishes the next signing key immediately. It signs after `activateInSeconds`, when caches of the published keys
 * have it. Earlier keys are accepted until all their tokens have expired, and then deleted. Also rotates the
 * database's secret.
 */
export async function rotateKeys({ store, now }: Operation, path: DatabasePath, activateInSeconds: number) {
  const database = await requireDatabase(store, path)
  const activatesAt = secondsAfter(now, activateInSeconds)
  return inTransaction(store, async (transaction) => {
    const masterKey = await lockSealingKey(transaction, store, database.id)
    await lockDatabase(transaction, database.id)
    const key = generateSigningKey(database, masterKey, { now, activatesAt })
    const databaseId = database.id
    await deleteRetiredKeys(transaction, databaseId, now)
    const pending = await findPendingKey(transaction, databaseId, now)
    if (pending) {
      throw new Problem('key_pending', {
        detail: `Key ${pending.kid} is already pending and signs from ${pending.activatesAt.toISOString()}.`,
      })
    }
    await retireSigningKeys(transaction, { databaseId }, secondsAfter(activatesAt, longestTokenSeconds))
    await insertSigningKey(transaction, key)
    await rotateSecret(transaction, database, { masterKey, keyActivatesAt: activatesAt, now })
    return key
  })
}

/** Earlier secrets are accepted until all sessions and codes that began with them have ended, and then deleted. */
async function rotateSecret(
  transaction: TypedQueries,
  {
    id: databaseId,
    sessionMax,
    invitationLifetime,
  }: Pick<DatabaseRow, 'id' | 'sessionMax' | 'invitationLifetime'>,
  { masterKey, keyActivatesAt, now }: { masterKey: Buffer; keyActivatesAt: Date; now: Date },
) {
  await deleteRetiredSecrets(transaction, databaseId, now)
  const last = await findLastSecret(transaction, databaseId)
  // The first secret is created when it is needed.
  if (!last) return
  const earliest = secondsAfter(now, secretActivationSeconds)
  const activatesAt = keyActivatesAt > earliest ? keyActivatesAt : earliest
  const longestSeconds = Math.max(sessionMax, invitationLifetime, longestCodeSeconds, longestTokenSeconds)
  const retiresAt = secondsAfter(activatesAt, longestSeconds)
  await retireSecrets(transaction, { databaseId }, retiresAt)
  const id = { databaseId, number: last.number + 1 }
  await insertSecret(transaction, generateSecret(id, masterKey, { now, activatesAt }))
}

/**
 * Rejects the tokens of a compromised key within 5 s, and the refresh tokens that were issued while it signed.
 *
 * @throws {Problem} if no other key can sign
 */
export async function retireKey(
  { store, now }: Operation,
  path: DatabasePath,
  kid: string,
): Promise<SigningKey> {
  const { id: databaseId } = await requireDatabase(store, path)
  return inTransaction(store, async (transaction) => {
    const masterKey = await lockSealingKey(transaction, store, databaseId)
    await lockDatabase(transaction, databaseId)
    const keys = await listSigningKeys(transaction, databaseId)
    const retired = keys.find((key) => key.kid === kid)
    if (!retired)
      throw new Problem('key_not_found', { detail: `Key ${kid} does not exist in this database.` })
    const others = keys.filter((key) => key.kid !== kid && !isRetired(key, now))
    const successor = others.find((key) => key.activatesAt <= now)
    if (!successor) {
      throw new Problem('key_needed', { detail: 'No other key can sign yet.', about: nameOfDatabase(path) })
    }
    const next = others.find((key) => key.activatesAt > now)
    const end = next ? secondsAfter(next.activatesAt, longestTokenSeconds) : null
    await retireSigningKeys(transaction, { databaseId, kid: successor.kid }, end)
    await revokeSigningKey(transaction, { databaseId, kid }, now)
    const laterKey = keys.findLast(({ createdAt }) => createdAt > retired.createdAt)
    const created = { from: retired.createdAt, to: laterKey?.createdAt }
    await retireSecrets(transaction, { databaseId, created }, now)
    await requireSecret(transaction, databaseId, { masterKey, now })
    return { ...retired, retiresAt: now }
  })
}

/** Creates a secret if the last one was retired, because a database that has used one must always have an active one. */
async function requireSecret(
  transaction: TypedQueries,
  databaseId: string,
  { masterKey, now }: { masterKey: Buffer; now: Date },
) {
  const last = await findLastSecret(transaction, databaseId)
  if (!last || !isRetired(last, now)) return
  const id = { databaseId, number: last.number + 1 }
  await insertSecret(transaction, generateSecret(id, masterKey, { now }))
}

const isRetired = (key: Pick<SigningKey, 'retiresAt'>, now: Date) =>
  key.retiresAt !== null && key.retiresAt <= now

/** Returns the state of a key. @param keys all keys of the database, newest first */
export function keyState(key: SigningKey, keys: readonly SigningKey[], now: Date) {
  if (isRetired(key, now)) return 'retired'
  if (key.activatesAt > now) return 'next'
  const signs = keys.find((each) => each.activatesAt <= now && !isRetired(each, now))
  return key.kid === signs?.kid ? 'signs' : 'accepted'
}
