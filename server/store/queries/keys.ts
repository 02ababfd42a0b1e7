import type { DatabaseSecret, SigningKey } from '../generated/client.js'
import type { Queries } from '../store.js'
import { storeRevocation } from './stored-revocations.js'

/** Returns the keys of a database, newest first. Of two with the same instant, the one without successor is first. */
export const findSigningKeys = (store: Queries, databaseId: string, milliseconds?: number) =>
  store.query<SigningKey>(findSigningKeysStatement, [databaseId], milliseconds)

const signingKeyColumns = `
  database_id AS "databaseId", kid, algorithm, public_key AS "publicKey",
  sealed_private_key AS "sealedPrivateKey", activates_at AS "activatesAt", retires_at AS "retiresAt",
  created_at AS "createdAt"`

const newestFirst = 'ORDER BY activates_at DESC, retires_at DESC NULLS FIRST'

const fromSigningKeys = `FROM usher.signing_key WHERE database_id = $1::uuid ${newestFirst}`

const findSigningKeysStatement = `SELECT ${signingKeyColumns} ${fromSigningKeys}`

/**
 * Returns for each database its keys as {@link findSigningKeys} does, and its dummy hashes, one per set of hash parameters.
 * Of a database without keys, only that it has none. On Citus, finds those of one database.
 */
export async function findKeysAndHashes(
  store: Queries,
  databaseIds: readonly string[],
): Promise<KeysAndHashes[]> {
  const [databaseId] = databaseIds
  const rows =
    databaseIds.length === 1
      ? await store.query<KeyAndHashes>(findKeysAndHashesStatement, [databaseId])
      : await store.query<KeyAndHashes>(findKeysOfDatabasesStatement, [databaseIds])
  const found = new Map<string, KeysAndHashes>()
  for (const { dummyHashes, ...key } of rows) {
    const keys = found.get(key.databaseId)
    if (keys) keys.signingKeys.push(key)
    else found.set(key.databaseId, { signingKeys: [key], dummyHashes })
  }
  return databaseIds.map((id) => found.get(id) ?? { signingKeys: [], dummyHashes: [] })
}

export interface KeysAndHashes {
  /** Newest first. */
  signingKeys: SigningKey[]
  dummyHashes: string[]
}

/** A key, and in each row what is not of a key: a database has few keys. */
type KeyAndHashes = SigningKey & Omit<KeysAndHashes, 'signingKeys'>

const keyAndHashColumns = (databaseId: string) => `${signingKeyColumns},
    ARRAY (SELECT dummy_hash FROM usher.hash_parameters WHERE database_id = ${databaseId}) AS "dummyHashes"`

const findKeysAndHashesStatement = `
  SELECT ${keyAndHashColumns('$1::uuid')}
  ${fromSigningKeys}`

// OFFSET 0 keeps the subquery separate. Otherwise Postgres might read all keys of a small table.
const findKeysOfDatabasesStatement = `
  SELECT ${keyAndHashColumns('wanted.id')}
  FROM unnest((SELECT $1::uuid[])::uuid[]) AS wanted (id)
  CROSS JOIN LATERAL (SELECT * FROM usher.signing_key WHERE database_id = wanted.id OFFSET 0) AS key
  ${newestFirst}`

/** Does what {@link findSigningKeys} does, and makes changes to the keys wait for this transaction. */
export const lockSigningKeys = (transaction: Queries, databaseId: string) =>
  transaction.query<SigningKey>(`${findSigningKeysStatement} FOR UPDATE`, [databaseId])

/** Replaces the encrypted half of a signing key, unless it was changed since it was read. */
export const resealSigningKey = (
  store: Queries,
  { databaseId, kid, sealedPrivateKey }: SigningKey,
  resealed: Uint8Array,
) =>
  store.query(
    `UPDATE usher.signing_key SET sealed_private_key = $4::bytea
    WHERE database_id = $1::uuid AND kid = $2 AND sealed_private_key = $3::bytea`,
    [databaseId, kid, sealedPrivateKey, resealed],
  )

/** Replaces an encrypted secret, unless it was changed since it was read. */
export const resealSecret = (
  store: Queries,
  { databaseId, number, sealedSecret }: DatabaseSecret,
  resealed: Uint8Array,
) =>
  store.query(
    `UPDATE usher.database_secret SET sealed_secret = $4::bytea
    WHERE database_id = $1::uuid AND number = $2::int AND sealed_secret = $3::bytea`,
    [databaseId, number, sealedSecret, resealed],
  )

/** Returns the secrets of a database, the newest first. */
export const findSecrets = (store: Queries, databaseId: string) =>
  store.query<DatabaseSecret>(
    `SELECT database_id AS "databaseId", number, sealed_secret AS "sealedSecret", activates_at AS "activatesAt",
      retires_at AS "retiresAt", created_at AS "createdAt"
    FROM usher.database_secret WHERE database_id = $1::uuid ORDER BY number DESC`,
    [databaseId],
  )

/** Adds a secret, unless the database has one of that number. */
export const insertSecret = (store: Queries, secret: DatabaseSecret) =>
  store.query(
    `INSERT INTO usher.database_secret (database_id, number, sealed_secret, activates_at, created_at)
    VALUES ($1::uuid, $2::int, $3::bytea, $4::timestamptz, $5::timestamptz)
    ON CONFLICT (database_id, number) DO NOTHING`,
    [secret.databaseId, secret.number, secret.sealedSecret, secret.activatesAt, secret.createdAt],
  )

/** Waits until running transactions that have written databases, signing keys or secrets have ended. Does not block reads. */
export const waitForKeyChanges = (store: Queries) =>
  // In a block of code, because the lock is held until the end of the statement, and needs no transaction.
  store.query(
    'DO $$ BEGIN LOCK TABLE usher.database, usher.signing_key, usher.database_secret, usher.data_key, usher.connection IN SHARE MODE; END $$',
    [],
  )

export const insertSigningKey = ({ query }: Queries, key: SigningKey) =>
  query(
    `INSERT INTO usher.signing_key
      (database_id, kid, algorithm, public_key, sealed_private_key, activates_at, retires_at, created_at)
    VALUES ($1::uuid, $2, $3::usher.signing_algorithm, $4, $5::bytea, $6::timestamptz, $7::timestamptz, $8::timestamptz)`,
    [
      key.databaseId,
      key.kid,
      key.algorithm,
      key.publicKey,
      key.sealedPrivateKey,
      key.activatesAt,
      key.retiresAt,
      key.createdAt,
    ],
  )

/** Lets a pending key, and the secret of its rotation, sign from an earlier instant. */
export async function activateKey(
  { query }: Queries,
  { databaseId, kid }: Pick<SigningKey, 'databaseId' | 'kid'>,
  activatesAt: { key: Date; secret: Date },
) {
  await query(
    'UPDATE usher.signing_key SET activates_at = $3::timestamptz WHERE database_id = $1::uuid AND kid = $2',
    [databaseId, kid, activatesAt.key],
  )
  await query(
    `UPDATE usher.database_secret SET activates_at = $2::timestamptz
    WHERE database_id = $1::uuid AND activates_at > $2::timestamptz`,
    [databaseId, activatesAt.secret],
  )
}

/** Plans the end of all keys that have no end yet. All their tokens have expired by then. */
export const retireSigningKeys = ({ query }: Queries, databaseId: string, retiresAt: Date) =>
  query(
    `UPDATE usher.signing_key SET retires_at = $2::timestamptz
    WHERE database_id = $1::uuid AND retires_at IS NULL`,
    [databaseId, retiresAt],
  )

/** Plans the end of a key. Null: it gets none. */
export const retireSigningKey = (
  { query }: Queries,
  { databaseId, kid }: Pick<SigningKey, 'databaseId' | 'kid'>,
  retiresAt: Date | null,
) =>
  query(
    'UPDATE usher.signing_key SET retires_at = $3::timestamptz WHERE database_id = $1::uuid AND kid = $2',
    [databaseId, kid, retiresAt],
  )

/** Retires a key immediately, although tokens of it have not expired. */
export async function revokeSigningKey(
  transaction: Queries,
  { databaseId, kid }: Pick<SigningKey, 'databaseId' | 'kid'>,
  now: Date,
) {
  await retireSigningKey(transaction, { databaseId, kid }, now)
  await storeRevocation(transaction, { databaseId, now }, { type: 'key-retired', kid })
}

export const deleteRetiredKeys = ({ query }: Queries, databaseId: string, now: Date) =>
  query('DELETE FROM usher.signing_key WHERE database_id = $1::uuid AND retires_at <= $2::timestamptz', [
    databaseId,
    now,
  ])

export const deleteSigningKeys = (store: Queries, databaseId: string) =>
  store.query('DELETE FROM usher.signing_key WHERE database_id = $1::uuid', [databaseId])

/** Retires all secrets that have no end yet. */
export const retireSecrets = ({ query }: Queries, databaseId: string, retiresAt: Date) =>
  query(
    `UPDATE usher.database_secret SET retires_at = $2::timestamptz
    WHERE database_id = $1::uuid AND retires_at IS NULL`,
    [databaseId, retiresAt],
  )

/** Retires the secrets that were created in an interval. */
export const retireSecretsOf = (
  { query }: Queries,
  { databaseId, from, to }: { databaseId: string; from: Date; to: Date | undefined },
  retiresAt: Date,
) =>
  query(
    `UPDATE usher.database_secret SET retires_at = $2::timestamptz
    WHERE database_id = $1::uuid AND created_at >= $3::timestamptz
      AND ($4::timestamptz IS NULL OR created_at < $4::timestamptz)`,
    [databaseId, retiresAt, from, to ?? null],
  )

export const deleteRetiredSecrets = ({ query }: Queries, databaseId: string, now: Date) =>
  query('DELETE FROM usher.database_secret WHERE database_id = $1::uuid AND retires_at <= $2::timestamptz', [
    databaseId,
    now,
  ])
