import type { Session } from '@usher/contract'
import type { Store } from '../../server/store/store.js'

/** Lets time pass since the last refresh of a session, which the clock of the store measures. */
export const passTimeSinceRefresh = (
  store: Pick<Store, 'query'>,
  databaseId: string,
  { refreshToken }: Pick<Session, 'refreshToken'>,
  milliseconds: number,
) =>
  store.query(
    // By functions that Citus regards as immutable.
    `UPDATE usher.session SET refreshed_at =
      (refreshed_at AT TIME ZONE 'UTC' - $3::int * interval '1 millisecond') AT TIME ZONE 'UTC'
    WHERE database_id = $1::uuid AND id = $2::uuid`,
    [databaseId, refreshToken.value.slice(0, 36), milliseconds],
  )
