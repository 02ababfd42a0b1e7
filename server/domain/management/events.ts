import type { DatabasePath } from '@usher/contract'
import type { EventList, ListEventsQuery } from '@usher/contract/management'
import { isForeignKeyViolation } from '../../store/errors.js'
import { pagesOfDatabases } from '../../store/queries/databases.js'
import { replaceLineage } from '../../store/queries/kept-events.js'
import type { Store } from '../../store/store.js'
import { requireValidApiKey } from '../api-keys/admit-api-key.js'
import type { AppContext } from '../context.js'
import { cursorOf, newLineage, placeOf } from '../events/cursor.js'
import { eventBody } from '../events/events.js'
import { type EventPage, readEvents } from '../events/kept-events.js'
import { ClientDisconnected, databaseDeleted, Problem } from '../problem.js'
import type { KeyRequest } from '../request.js'
import { requireDatabase } from './databases.js'

/** How long a client should wait before it asks again, if the server cannot let it wait. */
const refusedSeconds = 5

/**
 * Returns the events after a cursor. If there is none, waits for one as long as the client asks for.
 *
 * @throws {Problem} `events_not_kept`; `cursor_expired`; `key_invalid` also if the key is revoked meanwhile
 */
export async function listEvents(
  context: AppContext,
  { database, query, apiKey, caller }: KeyRequest & { query: ListEventsQuery },
): Promise<EventList> {
  if (database.eventsKept === 0) throw new Problem('events_not_kept')
  const { id } = database
  const { limit = 50, after, wait = 0 } = query
  const place = after === undefined ? undefined : placeOf(after)
  const page = await readEvents(context.store, id, { after: place, limit }).catch((error) => {
    throw isForeignKeyViolation(error) ? databaseDeleted(error) : error
  })
  if (page.events.length > 0 || wait === 0) return eventList(id, page)
  const result = await context.eventWaits.wait(id, page.next, { milliseconds: wait * 1000, client: caller })
  if (caller.isDisconnected()) throw new ClientDisconnected()
  if (result === 'refused') caller.askToWait(refusedSeconds)
  const later = result === 'changed' ? await context.readNextEvents(id, { after: page.next, limit }) : page
  // It may have been revoked meanwhile.
  await requireValidApiKey(context, id, apiKey)
  return eventList(id, later)
}

const eventList = (databaseId: string, { events, next, moreAvailable }: EventPage): EventList => ({
  events: events.map(({ id, payload, createdAt }) => ({ id, ...eventBody(databaseId, payload, createdAt) })),
  next: cursorOf(next),
  moreAvailable,
})

/**
 * Lets all cursors of a database expire, or of all databases: after a restore from a backup, places that clients know may
 * belong to other events.
 *
 * @returns the number of databases whose events were read before
 * @throws {OperatorError} if the database does not exist
 */
export async function expireCursors(store: Store, path: DatabasePath | undefined) {
  if (path) {
    const { id } = await requireDatabase(store, path)
    return { databaseId: id, databases: (await replaceLineage(store, id, newLineage())) ? 1 : 0 }
  }
  let databases = 0
  for await (const page of pagesOfDatabases(store))
    for (const { id } of page) if (await replaceLineage(store, id, newLineage())) databases += 1
  return { databases }
}
