import type { Store } from '../../server/store/store.js'

/**
 * Returns how many statements of a Postgres store, or of a node of a distributed one, wait for a lock.
 *
 * @param like counts only statements that match, because a server may wait for the same rows
 */
export async function lockWaits(store: Pick<Store, 'query'>, like = '%') {
  const [citus] = await store.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`, [])
  const [row] = await store.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${citus ? 'citus_stat_activity' : 'pg_stat_activity'}
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1::text`,
    [like],
  )
  return row?.count
}
