import pLimit from 'p-limit'
import {
  countNotRetried,
  findSearchPlaces,
  type NotRetried,
  type SearchPlace,
  searchPlace,
} from '../../store/citus/search.js'
import { isStoreUnavailable } from '../../store/errors.js'
import { type SearchPosition, searchStart, type Visited } from '../../store/queries/search.js'
import type { Store } from '../../store/store.js'
import type { Log } from '../../telemetry/audit.js'
import { untraced } from '../../telemetry/tracing.js'
import type { DeliveryIntervals } from './intervals.js'
import { type Channel, channels, type DeliveryStatistics } from './statistics.js'

/** A Citus worker is searched every second tick. */
const workerTicks = 2
/** Longest wait, in ticks, before a worker that does not respond is searched again. The wait doubles each time. */
const maxTicks = 8
/** Once a minute the workers are looked up, and messages that wait for the operator are counted. */
const minuteTicks = 30
/** Concurrent searches. A worker that does not respond occupies only one of them. */
const maxStatements = 2

type OldestDue = Record<Channel, number>

const noneDue: OldestDue = { mail: Number.POSITIVE_INFINITY, webhook: Number.POSITIVE_INFINITY }

/** The state of the search of a place. */
interface Searched {
  place: SearchPlace
  position: SearchPosition
  isRunning: boolean
  /** The tick of the next search. */
  nextTick: number
  /** The tick of the next count. */
  countTick: number
  failures: number
  /** When the longest due messages are due, by the last complete round over all databases, and by this round so far. */
  lastRound: OldestDue
  thisRound: OldestDue
  notRetried: NotRetried[]
}

export interface SearchContext {
  store: Pick<Store, 'query'>
  now: () => number
  log: Log
  statistics: DeliveryStatistics
  intervals: Pick<DeliveryIntervals, 'search'>
  /** Called with each database that has due messages. */
  found(databaseId: string, channel: Channel): void
  stopped: AbortSignal
}

/**
 * Searches for messages that were stored by commands, other servers and killed processes, without keeping the process
 * alive. Starts at a random time, so that processes do not search at the same time.
 *
 * @returns a function that waits for the running searches
 */
export function startSearch(context: SearchContext) {
  const { stopped, log, intervals } = context
  const limit = pLimit(maxStatements)
  const running = new Set<Promise<void>>()
  let places: Searched[] = []
  let lookUpTick = 0

  async function lookUp(tick: number) {
    const found = await findSearchPlaces(context.store)
    const known = new Map(places.map((each) => [each.place.name, each]))
    places = found.map((place) => {
      const before = known.get(place.name)
      return before ? Object.assign(before, { place }) : newlySearched(place, tick)
    })
    lookUpTick = tick + minuteTicks
  }

  function logUnexpected(err: unknown) {
    if (!isStoreUnavailable(err)) log.warn({ err }, 'messages were not searched')
  }

  async function search(searched: Searched, tick: number) {
    searched.isRunning = true
    try {
      await limit(() => searchOnce(context, searched, tick))
      searched.failures = 0
    } catch (error) {
      logUnexpected(error)
      searched.failures += 1
      lookUpTick = tick
    }
    const ticks = searched.place.shards ? workerTicks : 1
    searched.nextTick =
      tick + Math.max(ticks, searched.failures && Math.min(2 ** searched.failures, maxTicks))
    searched.isRunning = false
    publish(context.statistics, places)
  }

  function run(work: Promise<void>) {
    running.add(work)
    return work.finally(() => running.delete(work))
  }

  async function onTick(tick: number) {
    if (tick >= lookUpTick && !stopped.aborted) await run(lookUp(tick).catch(logUnexpected))
    for (const searched of places) {
      if (stopped.aborted || searched.isRunning || tick < searched.nextTick) continue
      run(untraced(() => search(searched, tick)))
    }
  }

  const tickAfter = (milliseconds: number, tick: number): NodeJS.Timeout =>
    setTimeout(async () => {
      await untraced(() => onTick(tick))
      if (!stopped.aborted) tickAfter(intervals.search, tick + 1)
    }, milliseconds).unref()
  tickAfter(Math.random() * intervals.search, 0)

  return async () => {
    await Promise.all(running)
  }
}

const newlySearched = (place: SearchPlace, tick: number): Searched => ({
  place,
  position: searchStart,
  isRunning: false,
  nextTick: tick,
  countTick: tick,
  failures: 0,
  lastRound: noneDue,
  thisRound: noneDue,
  notRetried: [],
})

async function searchOnce(context: SearchContext, searched: Searched, tick: number) {
  const now = new Date(context.now())
  const visited = await searchPlace(context.store, searched.place, { ...searched.position, now })
  const oldest = { ...searched.thisRound }
  for (const { channel, databaseId, dueAt } of visited) {
    if (dueAt === null || dueAt > now) continue
    context.found(databaseId, channel)
    oldest[channel] = Math.min(oldest[channel], dueAt.getTime())
  }
  searched.position = positionAfter(visited)
  const isComplete = channels.every((channel) => searched.position[channel] === searchStart[channel])
  if (isComplete) searched.lastRound = oldest
  searched.thisRound = isComplete ? noneDue : oldest
  if (tick < searched.countTick) return
  searched.notRetried = await countNotRetried(context.store, searched.place)
  searched.countTick = tick + minuteTicks
}

/** Returns where the next search continues: after the first database at which the search of a table has ended. */
function positionAfter(visited: readonly Visited[]): SearchPosition {
  const after = (channel: Channel) => {
    const ended = visited.filter((each) => each.isLast && each.channel === channel)
    return ended.map(({ databaseId }) => databaseId).sort()[0] ?? searchStart[channel]
  }
  return { mail: after('mail'), webhook: after('webhook') }
}

function publish(statistics: DeliveryStatistics, places: readonly Searched[]) {
  for (const channel of channels) {
    const oldest = Math.min(
      ...places.map(({ lastRound, thisRound }) => Math.min(lastRound[channel], thisRound[channel])),
    )
    statistics[channel].oldestDueAt = Number.isFinite(oldest) ? oldest : undefined
    const waiting = places.flatMap(({ notRetried }) => notRetried.filter(({ kind }) => kind === channel))
    statistics[channel].notRetried = waiting.reduce((sum, { count }) => sum + count, 0)
    statistics[channel].notRetriedIn = waiting.find(({ databaseId }) => databaseId)?.databaseId ?? undefined
  }
}
