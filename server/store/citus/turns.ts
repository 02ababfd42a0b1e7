import {
  isInternalError,
  isLockFailure,
  isStatementTimeout,
  isStoreUnavailable,
  UnavailableError,
} from '../errors.js'

/**
 * Time limit of a statement. A statement waits for its turn for as long while no other one succeeds, because those before it
 * may take so long: Citus locks tables of a worker for up to a second when it deletes a shard that was moved.
 */
const statementMilliseconds = 1_300
/** Time limit of a statement together with its wait, while no other one succeeds: less than 2 s. */
const totalMilliseconds = 1_900
/** How long a statement waits for its turn while others succeed, for example those that open the first connections. */
const longestMilliseconds = 3_000

/** Where the rows of a database are. */
export interface Place {
  worker: string
  shard: string
}

/** Statements and transactions on one worker or one shard. */
interface Load {
  name: string
  limit: number
  running: number
  waiting: ((isGranted: boolean) => void)[]
  respondedAt: number
  /** Whether the last statement failed. If so, one statement at a time is tried until one succeeds. */
  isSuspect: boolean
}

interface Worker extends Load {
  /** The shards that have exceeded the time limit since a statement on the worker succeeded. */
  late: Set<Load>
}

interface Shard extends Load {
  worker: Worker
}

const newLoad = (name: string, limit: number): Load => ({
  name,
  limit,
  running: 0,
  waiting: [],
  respondedAt: 0,
  isSuspect: false,
})

/**
 * Returns a function that runs work on a shard in turn, with the time limit of each of its statements. It throws an
 * {@link UnavailableError} if the work has to wait too long, or if the shard or its worker does not respond.
 *
 * @param limit maximum number of works that run on one worker. Those on one shard take at most half of it
 */
export function createTurns(limit: number) {
  const workers = new Map<string, Worker>()
  const shards = new Map<string, Shard>()

  function shardOf(place: Place): Shard {
    const name = `worker ${place.worker}`
    const worker = workers.get(name) ?? { ...newLoad(name, limit), late: new Set() }
    workers.set(name, worker)
    const ownName = `shard ${place.shard} of ${name}`
    const shard = shards.get(ownName) ?? { ...newLoad(ownName, Math.ceil(limit / 2)), worker }
    shards.set(ownName, shard)
    return shard
  }

  return async <Result>(place: Place, work: (milliseconds: number) => Promise<Result>) => {
    const shard = shardOf(place)
    const start = performance.now()
    await takeTurn(shard, start)
    try {
      const result = await work(timeLeft(shard.worker, start))
      trust(shard)
      return result
    } catch (error) {
      const hasResponded = isLockFailure(error) || isInternalError(error)
      if (isStoreUnavailable(error) && !hasResponded) suspect(shard, error)
      else trust(shard)
      throw error
    } finally {
      endTurn(shard.worker)
      endTurn(shard)
    }
  }
}

async function takeTurn(shard: Shard, start: number) {
  if (!(await waitFor(shard, start))) throw new UnavailableError(`${shard.name} does not respond`)
  if (await waitFor(shard.worker, start)) return
  endTurn(shard)
  throw new UnavailableError(`${shard.worker.name} does not respond`)
}

/** Returns the time limit of a statement that gets its turn now. */
function timeLeft({ respondedAt }: Worker, start: number) {
  const waited = performance.now() - Math.max(start, respondedAt)
  return Math.min(statementMilliseconds, totalMilliseconds - Math.min(waited, statementMilliseconds))
}

/** Waits for a turn. Returns false if the wait is too long or the worker or shard does not respond. */
function waitFor(load: Load, start: number): boolean | Promise<boolean> {
  if (load.running < (load.isSuspect ? 1 : load.limit)) {
    load.running += 1
    return true
  }
  if (load.isSuspect) return false
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout
    function finish(isGranted: boolean) {
      clearTimeout(timer)
      resolve(isGranted)
    }
    function waitOn() {
      const until = Math.max(start, load.respondedAt) + statementMilliseconds
      const left = Math.min(until, start + longestMilliseconds) - performance.now()
      if (left > 0) timer = setTimeout(waitOn, left)
      else {
        load.waiting.splice(load.waiting.indexOf(finish), 1)
        resolve(false)
      }
    }
    load.waiting.push(finish)
    waitOn()
  })
}

/** Passes the turn to the next statement. While the worker or shard is suspect, no statement waits. */
function endTurn(load: Load) {
  if (load.isSuspect) for (const finish of load.waiting.splice(0)) finish(false)
  const next = load.waiting.shift()
  if (next) next(true)
  else load.running -= 1
}

/** Notes that a shard responded. If its worker was suspect, all shards of the worker may be used again. */
function trust(shard: Shard) {
  const { worker } = shard
  shard.respondedAt = performance.now()
  worker.respondedAt = shard.respondedAt
  shard.isSuspect = false
  if (worker.isSuspect) for (const late of worker.late) late.isSuspect = false
  worker.isSuspect = false
  worker.late.clear()
}

/**
 * Notes that a statement failed. One that exceeds its time limit may have waited for a lock on its shard, so the worker
 * is suspect only when another shard of it has done so too, and no statement has succeeded meanwhile.
 */
function suspect(shard: Shard, error: unknown) {
  const { worker } = shard
  shard.isSuspect = true
  worker.late.add(shard)
  worker.isSuspect ||= !isStatementTimeout(error) || worker.late.size > 1
}
