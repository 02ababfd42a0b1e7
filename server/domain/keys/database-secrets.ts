import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { entryLimit } from '../../store/entry-limit.js'
import type { DatabaseSecret } from '../../store/generated/client.js'
import { findSecrets, insertSecret, lockSigningKeys } from '../../store/queries/keys.js'
import type { MasterKeys, Queries, Store } from '../../store/store.js'
import { type Clock, systemClock } from '../clock.js'
import { ifDatabaseDeleted } from '../problem.js'
import { openSecret, sealingKey, sealSecret } from './master-key.js'

/** What a secret authenticates. A code of one purpose is never valid for another. */
export type Purpose =
  | 'refresh_token'
  | 'tenant_refresh_token'
  | 'password_reset'
  | 'email_verification'
  | 'email_change'
  | 'email_change_undo'
  | 'invitation'
  | 'sso_portal'
  | 'login_code'
  | 'login_digits'
  | 'login_state'
  | 'login_nonce'
  | 'login_pkce'
  | 'external_code'
  | 'second_step'
  | 'enrolment'
  | 'totp_enrolment'
  | 'totp_secret'
  | 'confirmation'
  | 'passkey_login'
  | 'passkey_second_step'
  | 'passkey_step_up'
  | 'passkey_enrolment'
  | 'api_request'
  | 'work'
  | 'console_setup'
  | 'command_line_login'
  | 'command_line_confirmation'

/** The secrets of a database, which authenticate what it gives to its users. */
export interface Secrets {
  /** Returns the HMAC-SHA256 of the parts with the newest active secret, as base64url. */
  sign(purpose: Purpose, ...parts: (string | number)[]): string
  /** Returns the HMACs of the parts with each secret that is accepted, as base64url. */
  signAll(purpose: Purpose, ...parts: (string | number)[]): string[]
  /** Returns whether a secret of the database signed the parts. */
  verify(mac: string, purpose: Purpose, ...parts: (string | number)[]): boolean
}

/** Maximum time until this process notices a change by another one. A successor becomes active later than that. */
const cacheMilliseconds = 5_000
const cacheEntries = 10_000

/** Time until every server knows a new secret, even if their clocks differ by 30 s. */
export const secretActivationSeconds = 60

const secretBytes = 32

/** Returns a new secret as a row of the store, sealed with the master key. */
export function generateSecret(
  id: Pick<DatabaseSecret, 'databaseId' | 'number'>,
  masterKey: Buffer,
  { now, activatesAt = now }: { now: Date; activatesAt?: Date },
): DatabaseSecret {
  const sealedSecret = sealSecret(masterKey, randomBytes(secretBytes), id)
  return { ...id, sealedSecret, activatesAt, retiresAt: null, createdAt: now }
}

/**
 * Returns the master key with which to encrypt a new secret of a database in this transaction. `usher keys rewrap`
 * waits for the end of the transaction, because it locks the signing keys of the database.
 */
export const lockSealingKey = async (transaction: Queries, masterKeys: MasterKeys, databaseId: string) =>
  masterKeys.newMasterKey
    ? sealingKey(masterKeys, await lockSigningKeys(transaction, databaseId))
    : masterKeys.masterKey

/**
 * Creates a lookup of the secrets of a database, which caches them for a few seconds. It creates the first secret when it is
 * needed, because sign-up, login and `getMe` never read one.
 */
export function createSecretLookup(store: Store, { now, cacheNow }: Clock = systemClock) {
  const cache = new LRUCache<string, Secrets>({
    ...entryLimit(cacheEntries),
    ttl: cacheMilliseconds,
    ttlResolution: 0,
    perf: { now: cacheNow },
    fetchMethod: async (databaseId) => openSecrets(await readSecrets(store, databaseId, now()), store, now),
  })
  return async (databaseId: string): Promise<Secrets> => {
    const secrets = await cache.fetch(databaseId)
    if (!secrets) throw new Error(`database ${databaseId} has no secrets`)
    return secrets
  }
}

async function readSecrets(store: Store, databaseId: string, now: number) {
  const rows = await findSecrets(store, databaseId)
  if (rows.length > 0) return rows
  const at = new Date(now)
  const insert = store.transaction(databaseId, async (query) => {
    const masterKey = await lockSealingKey({ query }, store, databaseId)
    await insertSecret({ query }, generateSecret({ databaseId, number: 1 }, masterKey, { now: at }))
  })
  await insert.catch(ifDatabaseDeleted())
  // Another server may have inserted it first.
  return findSecrets(store, databaseId)
}

/** @param rows the newest first */
function openSecrets(rows: DatabaseSecret[], masterKeys: MasterKeys, now: () => number): Secrets {
  const secrets = rows.map((row) => ({
    key: openSecret(masterKeys, row),
    activatesAt: row.activatesAt.getTime(),
    retiresAt: row.retiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
  }))
  const macOf = (key: Buffer, parts: unknown[]) =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
  const acceptedSecrets = () => secrets.filter(({ retiresAt }) => now() < retiresAt)
  const signAll = (...parts: unknown[]) => acceptedSecrets().map(({ key }) => macOf(key, parts))
  return {
    sign(...parts) {
      // `usher keys retire` retires a secret whose successor may not be active yet. Nothing verifies what it signs.
      const accepted = acceptedSecrets()
      const secret = accepted.find(({ activatesAt }) => activatesAt <= now()) ?? accepted.at(0)
      if (!secret) throw new Error('there is no secret to sign with')
      return macOf(secret.key, parts)
    },
    signAll,
    // Compared as text, because four texts of 43 characters decode to the same 32 bytes (RFC 4648 §3.5).
    verify: (mac, ...parts) => signAll(...parts).some((expected) => isEqual(mac, expected)),
  }
}

/** Compares two texts in constant time. */
export function isEqual(given: string, expected: string) {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
