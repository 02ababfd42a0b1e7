import type { Store } from '../store.js'

type Queries = Pick<Store, 'query'>

/** Rows that one statement reads or deletes: few enough for the store's time limit, and short locks. */
const batchRows = 1000

/**
 * Adds a dummy hash to those of a database, unless it is there already.
 *
 * @param dummyHash stands for the hash parameters (algorithm and cost) of real hashes
 */
export const recordDummyHash = (store: Queries, databaseId: string, dummyHash: string) =>
  store.query(
    `UPDATE usher.database SET decoy_hashes = array_append(decoy_hashes, $2)
    WHERE id = $1::uuid AND NOT $2 = ANY (decoy_hashes)`,
    [databaseId, dummyHash],
  )

/** Removes dummy hashes from those of a database. */
export const removeDummyHashes = (store: Queries, databaseId: string, dummyHashes: readonly string[]) =>
  store.query(
    `UPDATE usher.database SET decoy_hashes = ARRAY(
      SELECT dummy_hash FROM unnest(decoy_hashes) WITH ORDINALITY AS present (dummy_hash, position)
      WHERE dummy_hash <> ALL ($2::text[]) ORDER BY position)
    WHERE id = $1::uuid`,
    [databaseId, dummyHashes],
  )

/** A database with several sets of hash parameters. */
export interface PrunableDatabase {
  id: string
  dummyHashes: string[]
}

/** Returns the databases with several sets of hash parameters. */
export const findPrunableDatabases = (store: Queries) =>
  store.query<PrunableDatabase>(
    `SELECT id, decoy_hashes AS "dummyHashes" FROM usher.database WHERE cardinality(decoy_hashes) > 1`,
    [],
  )

/** Returns whether the database was due for pruning, and marks it as pruned: one process gets true. */
export async function claimPruning(store: Queries, databaseId: string, now: Date, [from, to]: [Date, Date]) {
  const rows = await store.query(
    `UPDATE usher.database SET hash_parameters_pruned_at = $2::timestamptz
    WHERE id = $1::uuid
      AND (hash_parameters_pruned_at BETWEEN $3::timestamptz AND $4::timestamptz) IS NOT TRUE
    RETURNING 1`,
    [databaseId, now, from, to],
  )
  return rows.length > 0
}

/** Returns the password hashes of the next users by id, a page at a time. */
export async function* pagesOfPasswordHashes(store: Queries, databaseId: string) {
  let last = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await store.query<{ id: string; passwordHash: string }>(
      `SELECT id, password_hash AS "passwordHash" FROM usher."user"
      WHERE database_id = $1::uuid AND id > $2::uuid ORDER BY id LIMIT ${batchRows}`,
      [databaseId, last],
    )
    yield rows.map(({ passwordHash }) => passwordHash)
    if (rows.length < batchRows) return
    last = rows.at(-1)?.id ?? last
  }
}

/** Deletes all users of a database with their memberships and idempotency keys. Returns their number. */
export const deleteAllUsers = (store: Queries, databaseId: string) =>
  deleteInBatches(
    store,
    databaseId,
    `DELETE FROM usher."user" WHERE database_id = $1::uuid AND id IN (
      SELECT id FROM usher."user" WHERE database_id = $1::uuid ORDER BY id LIMIT ${batchRows})
    RETURNING 1`,
  )

/** Deletes all tenants of a database. Returns their number. */
export const deleteAllTenants = (store: Queries, databaseId: string) =>
  deleteInBatches(
    store,
    databaseId,
    `DELETE FROM usher.tenant WHERE database_id = $1::uuid AND id IN (
      SELECT id FROM usher.tenant WHERE database_id = $1::uuid ORDER BY id LIMIT ${batchRows})
    RETURNING 1`,
  )

/** Deletes all counts of failed logins of a database. Returns their number. */
export const deleteAllLoginFailures = (store: Queries, databaseId: string) =>
  deleteInBatches(
    store,
    databaseId,
    `DELETE FROM usher.login_failures WHERE database_id = $1::uuid AND (address, network) IN (
      SELECT address, network FROM usher.login_failures WHERE database_id = $1::uuid
      ORDER BY address, network LIMIT ${batchRows})
    RETURNING 1`,
  )

async function deleteInBatches(store: Queries, databaseId: string, text: string) {
  let total = 0
  for (;;) {
    const { length } = await store.query(text, [databaseId])
    if (length === 0) return total
    total += length
  }
}
