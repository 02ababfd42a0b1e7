import type { Store } from '../../server/store/store.js'

/** Returns how many statements of a Postgres store, or of a node of a distributed one, wait for a lock. */
export async function lockWaits(store: Pick<Store, 'query'>) {
  const [citus] = await store.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`, [])
  const [row] = await store.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${citus ? 'citus_stat_activity' : 'pg_stat_activity'}
    WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    [],
  )
  return row?.count
}
