import type { Message } from '../generated/client.js'
import type { Store } from '../store.js'

// `usher events tail` lets servers keep events for a time, by a row of its database. The column events_tailed_until
// of the database is only read, for commands of the previous version. Writing it would change every node of a
// distributed store.

type Queries = Pick<Store, 'query'>

/** Lets servers keep the events of a database until an instant. */
export const renewEventTail = (store: Queries, databaseId: string, until: Date) =>
  store.query(
    `INSERT INTO usher.event_tail (database_id, tailed_until) VALUES ($1::uuid, $2::timestamptz)
    ON CONFLICT (database_id) DO UPDATE SET tailed_until = excluded.tailed_until`,
    [databaseId, until],
  )

/** Returns the events of a database from an id on, whether delivered or not, oldest first. */
export const findEvents = (store: Queries, databaseId: string, fromId: string) =>
  store.query<Pick<Message, 'id' | 'payload' | 'createdAt'>>(
    `SELECT id, payload, created_at AS "createdAt" FROM usher.outbox
    WHERE database_id = $1::uuid AND id >= $2::uuid AND kind IN ('webhook', 'tail') ORDER BY stored_at, id`,
    [databaseId, fromId],
  )

/** Deletes the events before an id that were kept only for `usher events tail`. */
export const deleteTailedEvents = (store: Queries, databaseId: string, beforeId: string) =>
  store.query(`DELETE FROM usher.outbox WHERE database_id = $1::uuid AND id < $2::uuid AND kind = 'tail'`, [
    databaseId,
    beforeId,
  ])
