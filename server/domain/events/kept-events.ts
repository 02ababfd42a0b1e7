import {
  createLineage,
  deleteFirstEvents,
  type EventPlace,
  findDaysOfEvents,
  findEventsAfter,
  findLastPlace,
  type NumberedEvent,
  numberEvents,
} from '../../store/queries/kept-events.js'
import type { Store } from '../../store/store.js'
import { Problem } from '../problem.js'
import { cursorOf, newLineage } from './cursor.js'

type Queries = Pick<Store, 'query' | 'transaction'>

/** The last place of a database's events. */
export interface LastPlace extends EventPlace {
  /** Whether there are events that have no number yet. */
  hasMore: boolean
}

/** Numbers new events of a database, at most 1,000. Returns the place after the last event that has a number. */
export async function numberNewEvents(store: Queries, databaseId: string): Promise<LastPlace> {
  const last = await requireLastPlace(store, databaseId)
  return last.hasMore ? ((await numberEvents(store, databaseId)) ?? last) : last
}

/** Returns the last place, which the first reader creates. */
async function requireLastPlace(store: Queries, databaseId: string) {
  for (;;) {
    const last = await findLastPlace(store, databaseId)
    if (last) return last
    await createLineage(store, databaseId, newLineage())
  }
}

/** Events that follow each other without a gap. */
export interface EventPage {
  events: NumberedEvent[]
  /** The place after the last of them. */
  next: EventPlace
  moreAvailable: boolean
}

/**
 * Returns the events after a place, or the oldest ones. Numbers new events if the page has room for them.
 *
 * @throws {Problem} `cursor_expired` if the place has another lineage or follows the last event, or if the next event was
 * deleted
 */
export async function readEvents(
  store: Queries,
  databaseId: string,
  { after, limit }: { after: EventPlace | undefined; limit: number },
): Promise<EventPage> {
  const read = async (last: LastPlace) => {
    if (after && (after.lineage !== last.lineage || after.seq > last.seq)) throw new Problem('cursor_expired')
    if (after?.seq === last.seq) return []
    return findEventsAfter(store, databaseId, { seq: after?.seq ?? 0, limit })
  }
  let last: LastPlace = await requireLastPlace(store, databaseId)
  let events = await read(last)
  if (events.length < limit && last.hasMore) {
    last = await numberNewEvents(store, databaseId)
    events = await read(last)
  }
  // Numbers have no gap, and the oldest events are deleted first.
  const following = events[0]?.seq ?? last.seq + 1
  if (after && following !== after.seq + 1) throw new Problem('cursor_expired')
  const seq = events.at(-1)?.seq ?? last.seq
  const moreAvailable = events.length > 0 && (seq < last.seq || last.hasMore)
  return { events, next: { lineage: last.lineage, seq }, moreAvailable }
}

/** Creates a function that does what {@link readEvents} does, with one read for requests that wait for the same events. */
export function createSharedReads(store: Queries) {
  const running = new Map<string, Promise<EventPage>>()
  return (databaseId: string, page: { after: EventPlace; limit: number }) => {
    const key = [databaseId, cursorOf(page.after), page.limit].join()
    const known = running.get(key)
    if (known) return known
    const reading = readEvents(store, databaseId, page).finally(() => running.delete(key))
    running.set(key, reading)
    return reading
  }
}

const dayMilliseconds = 86_400_000

/**
 * Deletes some of the events that the setting of the database keeps no longer. Numbers them first: a cursor before an event
 * that is deleted expires.
 *
 * @returns whether there may be more
 */
export async function deleteEndedEvents(store: Queries, databaseId: string, now: number) {
  const { days, hasEvents } = await findDaysOfEvents(store, databaseId)
  if (!hasEvents) return false
  const { hasMore } = await numberNewEvents(store, databaseId)
  const isMoreToDelete = await deleteFirstEvents(store, databaseId, new Date(now - days * dayMilliseconds))
  return hasMore || isMoreToDelete
}
