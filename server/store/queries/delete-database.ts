import type { Store } from '../store.js'

type Queries = Pick<Store, 'query'>

/** Rows that one statement deletes: few, for the time limit of the store and for short locks. */
const batchRows = 1000

/** Deletes all users, and by ON DELETE CASCADE all rows that refer to them. Returns the number of users. */
export const deleteAllUsers = (store: Queries, databaseId: string) =>
  deleteInBatches(store, databaseId, { table: '"user"', key: 'id', counted: 'reserved_for IS NULL' })

export const deleteAllInvitations = (store: Queries, databaseId: string) =>
  deleteInBatches(store, databaseId, { table: 'invitation', key: 'id' })

export const deleteAllTenants = (store: Queries, databaseId: string) =>
  deleteInBatches(store, databaseId, { table: 'tenant', key: 'id' })

export const deleteAllLoginFailures = (store: Queries, databaseId: string) =>
  deleteInBatches(store, databaseId, { table: 'login_failures', key: 'address, network' })

export const deleteAllMessages = (store: Queries, databaseId: string) =>
  deleteInBatches(store, databaseId, { table: 'outbox', key: 'id' })

export const deleteAllKeptEvents = (store: Queries, databaseId: string) =>
  deleteInBatches(store, databaseId, { table: 'kept_event', key: 'id' })

export const deleteAllRevocations = (store: Queries, databaseId: string) =>
  deleteInBatches(store, databaseId, { table: 'revocation', key: 'id' })

export const deleteAllMessageStreams = (store: Queries, databaseId: string) =>
  deleteInBatches(store, databaseId, { table: 'outbox_stream', key: 'id' })

/**
 * Deletes all rows of a database from a table, and returns their number.
 *
 * @param rows.key columns that follow database_id in the primary key
 * @param rows.counted condition of the rows that count
 */
async function deleteInBatches(
  store: Queries,
  databaseId: string,
  { table, key, counted = 'true' }: { table: string; key: string; counted?: string },
) {
  const text = `
    DELETE FROM usher.${table} WHERE database_id = $1::uuid AND (${key}) IN (
      SELECT ${key} FROM usher.${table} WHERE database_id = $1::uuid ORDER BY ${key} LIMIT ${batchRows})
    RETURNING ${counted} AS "isCounted"`
  let total = 0
  for (;;) {
    const rows = await store.query<{ isCounted: boolean }>(text, [databaseId])
    if (rows.length === 0) return total
    total += rows.filter(({ isCounted }) => isCounted).length
  }
}
