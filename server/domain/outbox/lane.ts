import { LRUCache } from 'lru-cache'
import { entryLimit } from '../../store/entry-limit.js'

/** How many messages of one kind are delivered in parallel. */
export interface LaneSettings {
  /** Limit for all databases whose receiver responds in time. */
  capacity: number
  /** Additional limit for databases whose receiver has not responded in time, and for passes that take too long. */
  slowCapacity: number
  /** Limit for one database whose receiver responds in time. */
  batch: number
  /** A receiver responds in time if a pass takes less than this. */
  quickMilliseconds: number
}

/** Limit for one database whose receiver did not respond in time, or has not been tried yet. */
const smallBatch = 2

/** Maximum number of databases for which the lane remembers whether the receiver responds in time. */
const knownReceivers = 10_000

/**
 * Delivers some messages of a database.
 *
 * @param limit maximum number of messages
 * @param setSize called with the number of messages when it is known
 * @returns whether there may be more that can be delivered
 */
export type Pass = (databaseId: string, limit: number, setSize: (size: number) => void) => Promise<boolean>

/** Databases that wait for a pass, in order, and the part of the capacity that running passes use. */
interface Track {
  waiting: Set<string>
  capacity: number
  used: number
}

/** The part of the capacity that one pass uses. A pass that takes too long moves to the other track. */
class Share {
  constructor(
    public track: Track,
    public size: number,
  ) {
    track.used += size
  }

  resize(size: number) {
    this.track.used += size - this.size
    this.size = size
  }

  moveTo(track: Track) {
    this.track.used -= this.size
    track.used += this.size
    this.track = track
  }
}

export interface Lane {
  /**
   * Starts a pass of a database when there is capacity. If a pass of the database is running, starts another one
   * after it.
   */
  add(databaseId: string): void
  /** Waits for the running passes. */
  settled(): Promise<void>
}

/**
 * Creates a lane, which runs passes of databases in turn. A database with more messages goes to the end of the queue
 * after each pass. Receivers that do not respond have a separate capacity, so that they do not delay the others.
 */
export function createLane(settings: LaneSettings, pass: Pass, stopped: AbortSignal): Lane {
  const track = (capacity: number): Track => ({ waiting: new Set(), capacity, used: 0 })
  const quick = track(settings.capacity)
  const slow = track(settings.slowCapacity)
  const running = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const isQuick = new LRUCache<string, boolean>(entryLimit(knownReceivers))

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
    const share = new Share(track, limit)
    const began = performance.now()
    let hasSent = false
    const timer = setTimeout(() => {
      if (share.track === slow || slow.used + share.size > slow.capacity) return
      share.moveTo(slow)
      start(quick)
    }, settings.quickMilliseconds).unref()
    const hasMore = await pass(databaseId, limit, (size) => {
      hasSent = size > 0
      share.resize(size)
      start(share.track)
    })
    clearTimeout(timer)
    if (hasSent) isQuick.set(databaseId, performance.now() - began < settings.quickMilliseconds)
    share.resize(0)
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
