import type { EventPlace } from '../../store/queries/kept-events.js'
import type { Client } from '../caller.js'
import { cursorOf } from './cursor.js'

/** Requests of a process that wait for events at most. */
const maxWaits = 1000
/** Minimum time between two reads of a database for which requests wait. */
const pollMilliseconds = 500
/** Minimum time between two reads of any databases: at most 100 a second in a process. */
const readMilliseconds = 10

/** How a wait ended: with a new place, without one in time, or immediately because the process has no room or ends. */
export type WaitResult = 'changed' | 'unchanged' | 'refused'

interface Wait {
  /** The cursor after which the client has seen no event. */
  seen: string
  end(result: WaitResult): void
}

/** The requests that wait for events of a database. They share its reads. */
interface Group {
  waits: Set<Wait>
  timer: NodeJS.Timeout
}

/** What {@link createEventWaits} needs. */
export interface WaitSettings {
  /** Returns the last place of a database, which may have moved. */
  read: (databaseId: string) => Promise<EventPlace>
  /** Whether the server shuts down. Waits end then. */
  isEnding: () => boolean
  max?: number
}

export type EventWaits = ReturnType<typeof createEventWaits>

/**
 * Creates the waits of a process for events. All that wait for a database share one read of it, at most two in a second,
 * and hold no connection of the store.
 */
export function createEventWaits({ read, isEnding, max = maxWaits }: WaitSettings) {
  const groups = new Map<string, Group>()
  let count = 0
  let hasEnded = false

  const schedule = (databaseId: string) =>
    setTimeout(poll, Math.max(pollMilliseconds, groups.size * readMilliseconds), databaseId)

  async function poll(databaseId: string) {
    const group = groups.get(databaseId)
    if (!group) return
    if (isEnding()) return endAll()
    // Without the store, a wait ends in time and the request then fails.
    const place = await read(databaseId).then(cursorOf, () => undefined)
    for (const wait of [...group.waits]) if (place && wait.seen !== place) wait.end('changed')
    if (groups.get(databaseId) === group) group.timer = schedule(databaseId)
  }

  function add(databaseId: string, wait: Wait) {
    const group = groups.get(databaseId) ?? { waits: new Set(), timer: schedule(databaseId) }
    groups.set(databaseId, group)
    group.waits.add(wait)
    count += 1
  }

  function remove(databaseId: string, wait: Wait) {
    const group = groups.get(databaseId)
    if (!group?.waits.delete(wait)) return
    count -= 1
    if (group.waits.size > 0) return
    clearTimeout(group.timer)
    groups.delete(databaseId)
  }

  function endAll() {
    for (const { waits } of [...groups.values()]) for (const wait of [...waits]) wait.end('refused')
  }

  return {
    /** Number of requests that wait. */
    count: () => count,
    /** Waits until a database has events after a place, the time has passed, or the client disconnects. */
    wait: (
      databaseId: string,
      place: EventPlace,
      {
        milliseconds,
        client,
      }: { milliseconds: number; client: Pick<Client, 'onceDisconnected' | 'isDisconnected'> },
    ) =>
      new Promise<WaitResult>((resolve) => {
        if (hasEnded || isEnding() || count >= max) return resolve('refused')
        if (client.isDisconnected()) return resolve('unchanged')
        const timer = setTimeout(() => wait.end('unchanged'), milliseconds)
        const forget = client.onceDisconnected(() => wait.end('unchanged'))
        const wait: Wait = {
          seen: cursorOf(place),
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
