import type { Queries } from '../store.js'

/** Rows that one statement deletes: few, for the time limit of the store and for short locks. */
const batchRows = 1000

/** Tables and the columns that follow database_id in their primary key. Other rows refer to users, tenants or the database. */
const tables = [
  ['invitation', 'id'],
  ['"user"', 'id'],
  ['tenant', 'id'],
  ['login_failures', 'address, network'],
  ['outbox', 'id'],
  ['outbox_stream', 'id'],
  ['kept_event', 'id'],
  ['revocation', 'id'],
] as const

/**
 * Deletes the rows of a database in batches, apart from the database itself.
 *
 * @param until when to stop, in milliseconds of `performance.now()`
 * @returns the number of users, and whether no row is left
 */
export async function deleteAllRows(store: Queries, databaseId: string, until = Number.POSITIVE_INFINITY) {
  let users = 0
  for (const [table, key] of tables) {
    const isUser = table === '"user"' ? 'reserved_for IS NULL' : 'false'
    const text = `
    DELETE FROM usher.${table} WHERE database_id = $1::uuid AND (${key}) IN (
      SELECT ${key} FROM usher.${table} WHERE database_id = $1::uuid ORDER BY ${key} LIMIT ${batchRows})
    RETURNING ${isUser} AS "isUser"`
    for (let count = batchRows; count > 0; ) {
      if (performance.now() > until) return { users, isComplete: false }
      const rows = await store.query<{ isUser: boolean }>(text, [databaseId])
      users += rows.filter((row) => row.isUser).length
      count = rows.length
    }
  }
  return { users, isComplete: true }
}
