import { LRUCache } from 'lru-cache'

/** How many messages of one kind are delivered in parallel. */
export interface LaneSettings {
  /** Of databases whose receiver responds. */
  capacity: number
  /** Of databases whose receiver has not responded in time, in addition, and in passes that take longer than that. */
  slowCapacity: number
  /** Of one database whose receiver responds. */
  batch: number
  /** A pass within this time means that the receiver responds. */
  quickMilliseconds: number
}

/** Messages of a database whose receiver did not respond in time, or is not known to. */
const smallBatch = 2

/** Databases of which the lane knows whether their receivers respond. */
const knownReceivers = 10_000

/**
 * Delivers some messages of a database.
 *
 * @param limit messages at most
 * @param setSize called with the number of messages when it is known
 * @returns whether there may be more that can be delivered
 */
export type Pass = (databaseId: string, limit: number, setSize: (size: number) => void) => Promise<boolean>

/** Databases that wait for a pass, in their order, and the part of the capacity that passes use. */
interface Track {
  waiting: Set<string>
  capacity: number
  used: number
}

export interface Lane {
  /** Starts a pass of a database when there is room. A pass that runs is followed by another one. */
  add(databaseId: string): void
  /** Waits for the passes that run. */
  settled(): Promise<void>
}

/**
 * Runs passes of databases in turn: a database with more messages goes to the end of the queue after each pass.
 * Receivers that do not respond have a capacity of their own, so they do not hold back the others.
 */
export function createLane(settings: LaneSettings, pass: Pass, stopped: AbortSignal): Lane {
  const track = (capacity: number): Track => ({ waiting: new Set(), capacity, used: 0 })
  const quick = track(settings.capacity)
  const slow = track(settings.slowCapacity)
  const running = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const isQuick = new LRUCache<string, boolean>({ max: knownReceivers })

  function add(databaseId: string) {
    if (running.has(databaseId)) again.add(databaseId)
    else (isQuick.get(databaseId) === false ? slow : quick).waiting.add(databaseId)
    start(slow)
    start(quick)
  }

  function start(track: Track) {
    for (const databaseId of track.waiting) {
      const size = isQuick.get(databaseId) ? settings.batch : smallBatch
      if (stopped.aborted || track.used + size > track.capacity) return
      track.waiting.delete(databaseId)
      running.set(databaseId, run(databaseId, track, size))
    }
  }

  async function run(databaseId: string, track: Track, limit: number) {
    const used = { track, size: 0 }
    const use = (next: Track, size: number) => {
      used.track.used -= used.size
      Object.assign(used, { track: next, size })
      next.used += size
    }
    use(track, limit)
    const began = performance.now()
    let hasSent = false
    const timer = setTimeout(() => {
      if (used.track === slow || slow.used + used.size > slow.capacity) return
      use(slow, used.size)
      start(quick)
    }, settings.quickMilliseconds).unref()
    const hasMore = await pass(databaseId, limit, (size) => {
      hasSent = size > 0
      use(used.track, size)
      start(used.track)
    })
    clearTimeout(timer)
    if (hasSent) isQuick.set(databaseId, performance.now() - began < settings.quickMilliseconds)
    use(used.track, 0)
    running.delete(databaseId)
    if (again.delete(databaseId) || hasMore) add(databaseId)
    start(slow)
    start(quick)
  }

  return {
    add,
    async settled() {
      await Promise.all(running.values())
    },
  }
}
