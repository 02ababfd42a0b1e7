import type { DatabasePath } from '@usher/contract'
import {
  claimPruning,
  findPrunableDatabases,
  type PrunableDatabase,
  pagesOfPasswordHashes,
  removeDummyHashes,
} from '../../store/queries/databases.js'
import type { ServerStore } from '../../store/store.js'
import { audit, type Log } from '../../telemetry/audit.js'
import { clockSkewSeconds } from '../clock-skew.js'
import type { AppContext } from '../context.js'
import { dummyHashOf } from '../passwords/formats/read-hash.js'
import type { Hasher } from '../passwords/hasher.js'
import { requireDatabase } from './databases.js'

const hourMilliseconds = 3_600_000
const dayMilliseconds = 24 * hourMilliseconds

interface PruningContext {
  store: ServerStore
  hashing: Pick<Hasher, 'dummyHash'>
}

/**
 * Each set of hash parameters costs every failed login a verification. If a user with removed parameters is created
 * meanwhile, the first login records them again.
 *
 * @param isStopped ends the search without removing anything
 */
async function prune(
  { store, hashing }: PruningContext,
  { id, dummyHashes }: PrunableDatabase,
  isStopped = () => false,
) {
  const unused = new Set(dummyHashes)
  unused.delete(hashing.dummyHash)
  if (unused.size > 0) {
    for await (const passwordHashes of pagesOfPasswordHashes(store, id)) {
      if (isStopped()) return { removed: 0, left: dummyHashes.length }
      for (const passwordHash of passwordHashes) unused.delete(dummyHashOf(passwordHash))
      if (unused.size === 0) break
    }
  }
  if (unused.size > 0) await removeDummyHashes(store, id, [...unused])
  return { removed: unused.size, left: dummyHashes.length - unused.size }
}

export async function pruneHashParameters(context: PruningContext, path: DatabasePath) {
  const database = await requireDatabase(context.store, path)
  return { id: database.id, ...(await prune(context, database)) }
}

type PruningServer = Pick<AppContext, 'store' | 'hashing' | 'now'>

/** Prunes each database with several sets of hash parameters once a day, in one of all processes. */
export async function pruneDueDatabases(context: PruningServer, log: Log, isStopped = () => false) {
  for (const database of await findPrunableDatabases(context.store)) {
    const now = context.now()
    const pruned = [new Date(now - dayMilliseconds), new Date(now + clockSkewSeconds * 1000)] as [Date, Date]
    if (isStopped()) return
    if (!(await claimPruning(context.store, database.id, new Date(now), pruned))) continue
    const { removed } = await prune(context, database, isStopped)
    if (removed > 0) audit(log, 'database.hash_parameters_pruned', { databaseId: database.id, removed })
  }
}

/** Looks for databases to prune every hour, without keeping the process alive. */
export function startPruning(context: PruningServer, log: Log) {
  let isStopped = false
  let running = Promise.resolve()
  const timer = setInterval(() => {
    running = running
      .then(() => pruneDueDatabases(context, log, () => isStopped))
      .catch((err) => log.warn({ err }, 'hash parameters not pruned'))
  }, hourMilliseconds).unref()
  return {
    async stop() {
      isStopped = true
      clearInterval(timer)
      await running
    },
  }
}
