import { NIL } from 'uuid'
import type { Queries } from '../store.js'

/** Rows that one statement reads: few, for the time limit of the store. */
const batchRows = 1000

/** Returns the dummy hashes of a database: one per set of hash parameters. */
export async function findDummyHashes(store: Queries, databaseId: string) {
  const rows = await store.query<{ dummyHash: string }>(
    'SELECT dummy_hash AS "dummyHash" FROM usher.hash_parameters WHERE database_id = $1::uuid',
    [databaseId],
  )
  return rows.map(({ dummyHash }) => dummyHash)
}

/**
 * Returns the dummy hashes of a database. Other transactions that call this function wait until this one ends. It locks the
 * signing keys, because a request must not lock the row of the database, which a distributed store has on every node.
 */
export async function findLockedDummyHashes(transaction: Queries, databaseId: string) {
  await transaction.query(
    'SELECT kid FROM usher.signing_key WHERE database_id = $1::uuid ORDER BY kid FOR NO KEY UPDATE',
    [databaseId],
  )
  // A separate statement, because only a later one sees the rows of the transaction that the lock waited for.
  return findDummyHashes(transaction, databaseId)
}

/** Records hash parameters. @param dummyHash a hash with these parameters that no password matches */
export const recordDummyHash = (store: Queries, databaseId: string, dummyHash: string) =>
  store.query(
    `INSERT INTO usher.hash_parameters (database_id, dummy_hash) VALUES ($1::uuid, $2)
    ON CONFLICT (database_id, dummy_hash) DO NOTHING`,
    [databaseId, dummyHash],
  )

export const removeDummyHashes = (store: Queries, databaseId: string, dummyHashes: readonly string[]) =>
  store.query(
    'DELETE FROM usher.hash_parameters WHERE database_id = $1::uuid AND dummy_hash = ANY ($2::text[])',
    [databaseId, dummyHashes],
  )

export async function* pagesOfPasswordHashes(store: Queries, databaseId: string) {
  let last: string = NIL
  for (;;) {
    const rows = await store.query<{ id: string; passwordHash: string | null }>(
      `SELECT id, password_hash AS "passwordHash" FROM usher."user"
      WHERE database_id = $1::uuid AND id > $2::uuid ORDER BY id LIMIT ${batchRows}`,
      [databaseId, last],
    )
    yield rows.flatMap(({ passwordHash }) => passwordHash ?? [])
    if (rows.length < batchRows) return
    last = rows.at(-1)?.id ?? last
  }
}
