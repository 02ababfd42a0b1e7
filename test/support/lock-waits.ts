import type { Store } from '../../server/store/store.js'

/** Returns how many statements of a Postgres store wait for a lock. */
export async function lockWaits(store: Pick<Store, 'query'>) {
  const [row] = await store.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    [],
  )
  return row?.count
}
