import { LRUCache } from 'lru-cache'
import { isLockFailure, isStoreUnavailable, UnavailableError } from '../errors.js'
import type { Store } from '../store.js'

// With one pool for all workers, a worker that no longer responds would hold every connection.

/** How long a statement waits for its turn. Together with the wait for its worker, this is less than 2 s. */
const turnMilliseconds = 600
const answerMilliseconds = 1_300

/**
 * How long placements are cached. Shards move rarely, and a stale entry only counts a statement for the wrong worker.
 */
const placementMilliseconds = 60_000
const placementEntries = 10_000

/** Statements and transactions on one worker. */
interface Load {
  running: number
  waiting: ((isGranted: boolean) => void)[]
  /** Whether the last statement failed. If so, one statement at a time is tried until one succeeds. */
  isSuspect: boolean
}

/**
 * Returns a store on which the statements and transactions of one worker take at most half of the connections. While a
 * worker does not respond, they fail within 2 s. Without Citus nothing changes.
 *
 * @param store its statements on distributed tables must have the database's id as `$1`
 */
export function shareByWorker(store: Store, connections: number): Store {
  if (!store.connections) return store
  const share = Math.max(1, Math.floor(connections / 2))
  const loads = new Map<string, Load>()
  const placements = new LRUCache<string, string>({
    max: placementEntries,
    ttl: placementMilliseconds,
    fetchMethod: (databaseId) => workerOf(store, databaseId),
  })
  let distributed: Promise<boolean> | undefined

  async function inTurn<Result>(
    databaseId: unknown,
    work: (milliseconds?: number) => Promise<Result>,
  ): Promise<Result> {
    distributed ??= hasPlacements(store)
    const isDistributed = await distributed.catch((error) => {
      distributed = undefined
      throw error
    })
    if (!isDistributed || typeof databaseId !== 'string') return work()
    const worker = (await placements.fetch(databaseId)) ?? ''
    const load = loads.get(worker) ?? { running: 0, waiting: [], isSuspect: false }
    loads.set(worker, load)
    if (!(await turnOf(load, share))) throw new UnavailableError(`worker ${worker} does not respond`)
    try {
      const result = await work(answerMilliseconds)
      load.isSuspect = false
      return result
    } catch (error) {
      load.isSuspect = isStoreUnavailable(error) && !isLockFailure(error)
      throw error
    } finally {
      endTurn(load)
    }
  }
  return {
    ...store,
    query: (text, values, limit) =>
      inTurn(values[0], (milliseconds = limit) => store.query(text, values, milliseconds)),
    transaction: (databaseId, work) =>
      inTurn(databaseId, (milliseconds) => store.transaction(databaseId, work, milliseconds)),
  }
}

/** Waits for a turn. Returns false if the wait is too long or the worker does not respond. */
function turnOf(load: Load, share: number): boolean | Promise<boolean> {
  if (load.running < (load.isSuspect ? 1 : share)) {
    load.running += 1
    return true
  }
  if (load.isSuspect) return false
  return new Promise((resolve) => {
    const finish = (isGranted: boolean) => {
      clearTimeout(timer)
      resolve(isGranted)
    }
    const timer = setTimeout(() => {
      load.waiting.splice(load.waiting.indexOf(finish), 1)
      resolve(false)
    }, turnMilliseconds)
    load.waiting.push(finish)
  })
}

/** Passes the turn to the next statement. While the worker is suspect, no statement waits. */
function endTurn(load: Load) {
  if (load.isSuspect) for (const finish of load.waiting.splice(0)) finish(false)
  const next = load.waiting.shift()
  if (next) next(true)
  else load.running -= 1
}

/** Returns whether the server has Citus, by the catalog of Postgres. */
export async function hasPlacements({ query }: Pick<Store, 'query'>) {
  const [row] = await query<{ found: boolean }>(
    `SELECT to_regclass('pg_dist_partition') IS NOT NULL AS found`,
    [],
  )
  return row?.found ?? false
}

async function workerOf({ query }: Store, databaseId: string) {
  const [row] = await query<{ worker: string }>(
    `SELECT nodename || ':' || nodeport AS worker FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
    WHERE noderole = 'primary'
      AND shardid = get_shard_id_for_distribution_column('usher."user"', $1::uuid)`,
    [databaseId],
  )
  return row?.worker ?? ''
}
