import { keyActivationSeconds } from '@usher/contract'
import type { RotateKeysBody, SigningKeyInfo, SigningKeyList } from '@usher/contract/operator'
import type { SigningKey } from '../../../store/generated/client.js'
import {
  activateKey,
  deleteRetiredKeys,
  deleteRetiredSecrets,
  findSecrets,
  findSigningKeys,
  insertSecret,
  insertSigningKey,
  lockSigningKeys,
  retireSecrets,
  retireSecretsOf,
  retireSigningKey,
  retireSigningKeys,
  revokeSigningKey,
} from '../../../store/queries/keys.js'
import type { MasterKeys, Store } from '../../../store/store.js'
import { type Change, type ChangeContext, type ChangeRequest, type Outcome, runChange } from '../../change.js'
import { longestCodeSeconds } from '../../codes/code.js'
import { nameOfDatabase } from '../../database-name.js'
import { generateSecret, lockSealingKey, secretActivationSeconds } from '../../keys/database-secrets.js'
import { generateSigningKey } from '../../keys/signing-keys.js'
import { Problem } from '../../problem.js'
import { longestTokenSeconds } from '../../tokens/access-token.js'
import { requireDatabase } from '../databases.js'

type Context = ChangeContext & { store: Store }

const secondsAfter = (instant: Date, seconds: number) => new Date(instant.getTime() + seconds * 1000)

const keyInfo = (key: SigningKey, keys: readonly SigningKey[], now: number): SigningKeyInfo => ({
  kid: key.kid,
  algorithm: key.algorithm,
  state: keyState(key, keys, new Date(now)),
  activatesAt: key.activatesAt.toISOString(),
  retiresAt: key.retiresAt?.toISOString() ?? null,
})

/** Returns the signing keys of a database, the newest first. */
export async function listKeys(
  { store, now }: Context,
  { database }: Pick<ChangeRequest, 'database'>,
): Promise<SigningKeyList> {
  const { signingKeys: keys } = await requireDatabase(store, database)
  return { keys: keys.map((key) => keyInfo(key, keys, now())) }
}

/** Publishes the next signing key of a database: see {@link publishNextKey}. @throws {Problem} `key_pending` */
export async function rotateKeys(
  context: Context,
  request: ChangeRequest & { body: RotateKeysBody },
): Promise<SigningKeyInfo> {
  const { activateInSeconds = keyActivationSeconds } = request.body
  const wanted = { masterKeys: context.store, activateInSeconds }
  const key = await runChange(context, request, (change) => publishNextKey(change, wanted))
  return keyInfo(key, [key], context.now())
}

/** Rejects the tokens of a compromised signing key: see {@link revokeKey}. */
export async function retireKey(
  context: Context,
  request: ChangeRequest & { params: { kid: string } },
): Promise<SigningKeyInfo> {
  const wanted = { masterKeys: context.store, kid: request.params.kid }
  const key = await runChange(context, request, (change) => revokeKey(change, wanted))
  return keyInfo(key, [key], context.now())
}

/**
 * Publishes the next signing key immediately. It signs after `activateInSeconds`, when caches of the published keys
 * have it. Earlier keys are accepted until all their tokens have expired, and then deleted. Also rotates the
 * database's secret. If a key is already pending, a delay of 0 lets this one sign.
 *
 * @throws {Problem} `key_pending`
 */
async function publishNextKey(
  change: Change,
  { masterKeys, activateInSeconds }: { masterKeys: MasterKeys; activateInSeconds: number },
): Promise<Outcome<SigningKey>> {
  const { database, now } = change
  const activatesAt = secondsAfter(now, activateInSeconds)
  const masterKey = await lockSealingKey(change, masterKeys, database.id)
  await lockSigningKeys(change, database.id)
  await deleteRetiredKeys(change, database.id, now)
  const keys = await findSigningKeys(change, database.id)
  const pending = keys.find((each) => each.activatesAt > now)
  if (pending && activateInSeconds === 0) {
    await activateKey(change, pending, { key: now, secret: secondsAfter(now, secretActivationSeconds) })
    return { result: { ...pending, activatesAt: now }, facts: [{ type: 'keys.rotated', kid: pending.kid }] }
  }
  if (pending) {
    throw new Problem('key_pending', {
      detail: `Key ${pending.kid} is already pending and signs from ${pending.activatesAt.toISOString()}. If the key that signs was stolen, let the pending one sign immediately.`,
      about: nameOfDatabase(database),
    })
  }
  await retireSigningKeys(change, database.id, secondsAfter(activatesAt, longestTokenSeconds))
  const key = generateSigningKey(database, masterKey, { now, activatesAt })
  await insertSigningKey(change, key)
  await rotateSecret(change, masterKey, activatesAt)
  return { result: key, facts: [{ type: 'keys.rotated', kid: key.kid }] }
}

/** Earlier secrets are accepted until all sessions and codes that began with them have ended, and then deleted. */
async function rotateSecret(change: Change, masterKey: Buffer, keyActivatesAt: Date) {
  const { now } = change
  const { id: databaseId, sessionMaxSeconds, invitationLifetimeSeconds } = change.database
  await deleteRetiredSecrets(change, databaseId, now)
  const [last] = await findSecrets(change, databaseId)
  // The first secret is created when it is needed.
  if (!last) return
  const earliest = secondsAfter(now, secretActivationSeconds)
  const activatesAt = keyActivatesAt > earliest ? keyActivatesAt : earliest
  const longestSeconds = Math.max(
    sessionMaxSeconds,
    invitationLifetimeSeconds,
    longestCodeSeconds,
    longestTokenSeconds,
  )
  await retireSecrets(change, databaseId, secondsAfter(activatesAt, longestSeconds))
  const id = { databaseId, number: last.number + 1 }
  await insertSecret(change, generateSecret(id, masterKey, { now, activatesAt }))
}

/**
 * Rejects the tokens of a compromised key within 5 s, and the refresh tokens that were issued while it signed.
 *
 * @throws {Problem} if no other key can sign
 */
async function revokeKey(
  change: Change,
  { masterKeys, kid }: { masterKeys: MasterKeys; kid: string },
): Promise<Outcome<SigningKey>> {
  const { database, now } = change
  const databaseId = database.id
  const masterKey = await lockSealingKey(change, masterKeys, databaseId)
  await lockSigningKeys(change, databaseId)
  // A separate statement, because only a later one sees the keys of the transaction that the lock waited for.
  const keys = await findSigningKeys(change, databaseId)
  const retired = keys.find((key) => key.kid === kid)
  if (!retired) throw new Problem('key_not_found', { detail: `Key ${kid} does not exist in this database.` })
  const others = keys.filter((key) => key.kid !== kid && !isRetired(key, now))
  const successor = others.find((key) => key.activatesAt <= now)
  if (!successor) {
    throw new Problem('key_needed', {
      detail: 'No other key can sign yet. First rotate, and let the next key sign immediately.',
      about: nameOfDatabase(database),
    })
  }
  const next = others.find((key) => key.activatesAt > now)
  const end = next ? secondsAfter(next.activatesAt, longestTokenSeconds) : null
  await retireSigningKey(change, successor, end)
  await revokeSigningKey(change, retired, now)
  const laterKey = keys.findLast(({ createdAt }) => createdAt > retired.createdAt)
  await retireSecretsOf(change, { databaseId, from: retired.createdAt, to: laterKey?.createdAt }, now)
  // A database that has used a secret must always have an active one.
  const [last] = await findSecrets(change, databaseId)
  if (last && isRetired(last, now)) {
    const id = { databaseId, number: last.number + 1 }
    await insertSecret(change, generateSecret(id, masterKey, { now }))
  }
  return { result: { ...retired, retiresAt: now }, facts: [{ type: 'keys.retired', kid }] }
}

const isRetired = (key: Pick<SigningKey, 'retiresAt'>, now: Date) =>
  key.retiresAt !== null && key.retiresAt <= now

/** Returns the state of a key. @param keys all keys of the database, newest first */
function keyState(key: SigningKey, keys: readonly SigningKey[], now: Date) {
  if (isRetired(key, now)) return 'retired'
  if (key.activatesAt > now) return 'next'
  const signs = keys.find((each) => each.activatesAt <= now && !isRetired(each, now))
  return key.kid === signs?.kid ? 'signs' : 'accepted'
}
