import type { LastPlace, Place } from '../../store/queries/numbered-lists.js'
import type { Client } from '../caller.js'
import { cursorOf } from './cursor.js'

/** Minimum time between two reads of a database for which requests wait. */
const pollMilliseconds = 500
/** Minimum time between two statements that read any databases: at most 100 a second in a process. */
const statementMilliseconds = 10
/** A read is not planned earlier than this, because a timer may run too early. */
const soonestMilliseconds = 50
/** Time that each waiting request adds to the interval between two reads, because all of them get new rows simultaneously. */
const waitMilliseconds = 1
/** Share of the waits of a process that requests with one API key may take. */
const partOfKey = 1 / 4

/** How late the last read may have begun for a wait to end as `unchanged`. */
const lateMilliseconds = 1_000
/** The longest time since it began, whatever the interval: the client takes an unchanged list for complete. */
const freshMilliseconds = 3_000

/**
 * How a wait ended: with a list that must be read again, without a new place in time, or immediately because the process,
 * the database or the API key has no room, or the process ends.
 */
export type WaitResult = 'changed' | 'unchanged' | 'refused'

interface Wait {
  /** The cursor after which the client has seen no row. */
  seen: string
  apiKey: string
  end(result: WaitResult): void
}

/** A request that waits for rows. */
interface Waiter {
  milliseconds: number
  /** Id of the API key of the request. */
  apiKey: string
  client: Pick<Client, 'onceDisconnected' | 'isDisconnected'>
}

/** The requests that wait for rows of a database. They share its reads. */
interface Group {
  waits: Set<Wait>
  /** Number of waits by API key. */
  ofKeys: Map<string, number>
  /** When the last read that found all rows began, by `performance.now()`. */
  readAt: number
  timer: NodeJS.Timeout
}

/** What {@link createListWaits} needs. */
export interface WaitSettings {
  /** Returns the last place of a database, which may have moved, and whether rows without number follow it. */
  read: (databaseId: string) => Promise<Place & Pick<LastPlace, 'hasMore'>>
  /** Returns how many databases can share a statement if they are read at the same time. */
  databasesPerStatement: () => number
  /** Whether the server shuts down. Waits end then. */
  isEnding: () => boolean
  /** Requests of the process that wait at most. Those with one API key are a quarter of them at most. */
  max: number
}

export type ListWaits = ReturnType<typeof createListWaits>

/** Creates the groups of a process. @param schedule starts the timer of a group */
function createGroups(max: number, schedule: (databaseId: string) => NodeJS.Timeout) {
  const groups = new Map<string, Group>()
  let count = 0
  return {
    groups,
    count: () => count,
    hasRoom(databaseId: string, apiKey: string) {
      const group = groups.get(databaseId)
      // A database must leave at least as many places free as it uses, so that it never blocks all others.
      return (group?.waits.size ?? 0) < max - count && (group?.ofKeys.get(apiKey) ?? 0) < max * partOfKey
    },
    add(databaseId: string, wait: Wait) {
      const known = groups.get(databaseId)
      const group = known ?? {
        waits: new Set(),
        ofKeys: new Map(),
        // The waiting request has just read the list.
        readAt: performance.now(),
        timer: schedule(databaseId),
      }
      groups.set(databaseId, group)
      group.waits.add(wait)
      group.ofKeys.set(wait.apiKey, (group.ofKeys.get(wait.apiKey) ?? 0) + 1)
      count += 1
    },
    remove(databaseId: string, wait: Wait) {
      const group = groups.get(databaseId)
      if (!group?.waits.delete(wait)) return
      group.ofKeys.set(wait.apiKey, (group.ofKeys.get(wait.apiKey) ?? 0) - 1)
      count -= 1
      if (group.waits.size > 0) return
      clearTimeout(group.timer)
      groups.delete(databaseId)
    },
  }
}

/**
 * Creates the waits of a process for rows of a list. All requests that wait for a database share one read of it, at most two
 * per second, and hold no connection of the store.
 */
export function createListWaits({ read, databasesPerStatement, isEnding, max }: WaitSettings) {
  function interval(databaseId: string) {
    const waiting = groups.get(databaseId)?.waits.size ?? 0
    const statements = groups.size / databasesPerStatement()
    return Math.max(pollMilliseconds, statements * statementMilliseconds, waiting * waitMilliseconds)
  }
  function schedule(databaseId: string): NodeJS.Timeout {
    // Databases that can share a statement are read at the same time.
    const since = databasesPerStatement() > 1 ? performance.now() % pollMilliseconds : 0
    const delay = interval(databaseId) - since
    return setTimeout(poll, delay < soonestMilliseconds ? delay + pollMilliseconds : delay, databaseId)
  }
  const { groups, count, hasRoom, add, remove } = createGroups(max, schedule)
  let hasEnded = false

  async function poll(databaseId: string) {
    const group = groups.get(databaseId)
    if (!group) return
    if (isEnding()) return endAll()
    // If the store is unavailable, the wait ends at its time limit, and then the request fails.
    const startedAt = performance.now()
    const last = await read(databaseId).catch(() => undefined)
    const place = last && cursorOf(last)
    if (last && !last.hasMore) group.readAt = startedAt
    for (const wait of [...group.waits]) if (place && wait.seen !== place) wait.end('changed')
    if (groups.get(databaseId) === group) group.timer = schedule(databaseId)
  }

  function endAll() {
    for (const { waits } of [...groups.values()]) for (const wait of [...waits]) wait.end('refused')
  }

  /**
   * Returns how a wait ends at its time limit. If reads of the database hang, or are too seldom, it is unknown whether the list has
   * changed.
   */
  function resultInTime(databaseId: string): WaitResult {
    const readAt = groups.get(databaseId)?.readAt ?? 0
    const mostMilliseconds = Math.min(interval(databaseId) + lateMilliseconds, freshMilliseconds)
    return performance.now() - readAt < mostMilliseconds ? 'unchanged' : 'changed'
  }

  return {
    /** Number of requests that wait. */
    count,
    /** Waits until a database has rows after a place, the time has passed, or the client disconnects. */
    wait: (databaseId: string, place: Place, { milliseconds, apiKey, client }: Waiter) =>
      new Promise<WaitResult>((resolve) => {
        if (hasEnded || isEnding() || !hasRoom(databaseId, apiKey)) return resolve('refused')
        if (client.isDisconnected()) return resolve('unchanged')
        const timer = setTimeout(() => wait.end(resultInTime(databaseId)), milliseconds)
        const forget = client.onceDisconnected(() => wait.end('unchanged'))
        const wait: Wait = {
          seen: cursorOf(place),
          apiKey,
          end(result) {
            clearTimeout(timer)
            forget()
            remove(databaseId, wait)
            resolve(result)
          },
        }
        add(databaseId, wait)
      }),
    /** Ends all waits, and refuses new ones. */
    end() {
      hasEnded = true
      endAll()
    },
  }
}
