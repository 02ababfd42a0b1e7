import type { EventList, ListEventsQuery } from '@usher/contract/management'
import type { AppContext } from '../context.js'
import { eventBody } from '../events/events.js'
import { Problem } from '../problem.js'
import type { KeyRequest } from '../request.js'
import { followList } from './follow-list.js'

/**
 * Returns the events after a cursor. If there is none, waits for one for the time that the client requests.
 *
 * @throws {Problem} `events_not_kept`; `cursor_expired`; `key_invalid` also if the key is revoked meanwhile
 */
export async function listEvents(
  context: AppContext,
  request: KeyRequest & { query: ListEventsQuery },
): Promise<EventList> {
  const { database } = request
  if (database.eventsKept === 0) throw new Problem('events_not_kept')
  const { rows, ...place } = await followList(context, context.keptEvents, request)
  const events = rows.map(({ id, payload, createdAt }) => ({
    id,
    ...eventBody(database.id, payload, createdAt),
  }))
  return { events, ...place }
}
