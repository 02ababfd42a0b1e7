import type { Store } from '../store.js'

type Queries = Pick<Store, 'query'>

/** Rows deleted by one statement: few enough for the store's time limit, and short locks. */
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
