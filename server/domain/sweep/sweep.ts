import { setTimeout as sleep } from 'node:timers/promises'
import { NIL } from 'uuid'
import { isForeignKeyViolation, isStoreUnavailable } from '../../store/errors.js'
import {
  findDummyHashes,
  pagesOfPasswordHashes,
  removeDummyHashes,
} from '../../store/queries/hash-parameters.js'
import { findDaysOfEvents, keptEvents, revocations } from '../../store/queries/numbered-lists.js'
import { countUsersAfter, storeUserCount } from '../../store/queries/statistics.js'
import {
  claimSweep,
  deleteEnded,
  type Ends,
  findDatabaseIds,
  findOuterDatabaseIds,
} from '../../store/queries/sweep.js'
import { audit, type Log } from '../../telemetry/audit.js'
import { untraced } from '../../telemetry/tracing.js'
import { shownMilliseconds } from '../api-keys/api-key.js'
import { clockSkewSeconds } from '../clock.js'
import type { AppContext } from '../context.js'
import { noticeMilliseconds } from '../notices/notice.js'
import { deleteEndedRows } from '../numbered-lists/read-list.js'
import { dummyHashOf } from '../passwords/formats/read-hash.js'
import type { Hasher } from '../passwords/hasher.js'
import { checkDomains, type DomainContext, pendingMilliseconds } from '../sso/check-domains.js'
import { knownMilliseconds, retentionMilliseconds } from '../throttle/rules.js'
import { longestTokenSeconds, revocationMilliseconds } from '../tokens/access-token.js'
import { replayMilliseconds } from '../users/idempotent-replay.js'

// Deletes expired rows. Every process visits one database after the other. The first process that visits a database which is
// due sweeps it.

const minuteMilliseconds = 60_000
const hourMilliseconds = 60 * minuteMilliseconds
const dayMilliseconds = 24 * hourMilliseconds

/** Pause between the visits of two databases: 21,600 visits a day. */
const visitMilliseconds = 4_000
/** Pause between the batches of a database with many rows to delete. */
const batchMilliseconds = 50
/** Minimum time between the starts of two rounds over all databases. */
const roundMilliseconds = hourMilliseconds
/** A database is swept again after this time. */
const intervalMilliseconds = 12 * hourMilliseconds
const databasesAtATime = 100
/** How long actions of operators and counts of a day are kept. */
const recordMilliseconds = 400 * dayMilliseconds

type SweepContext = Pick<AppContext, 'store' | 'hashing'> & DomainContext

/** Returns the instants before which rows have expired, even if the clocks of servers differ. */
export function endsAt(now: number): Ends {
  const before = (milliseconds: number) => new Date(now - milliseconds)
  return {
    // The row of an ended session rejects the tokens of the session, so it is kept until they have expired.
    session: before(longestTokenSeconds * 1000 + minuteMilliseconds),
    login_failures: before(retentionMilliseconds),
    network_failures: before(minuteMilliseconds),
    known_network: before(knownMilliseconds),
    idempotency_key: before(replayMilliseconds + minuteMilliseconds),
    api_request: before(replayMilliseconds + minuteMilliseconds),
    code: before(minuteMilliseconds),
    // The row of a login at a provider rejects its state, which is valid for 10 minutes.
    login_attempt: before(15 * minuteMilliseconds),
    used_challenge: before(minuteMilliseconds),
    reserved_address: before(minuteMilliseconds),
    invitation: before(minuteMilliseconds),
    code_request: before(hourMilliseconds),
    api_key: before(shownMilliseconds),
    unsent_notice: before(noticeMilliseconds),
    operator_action: before(recordMilliseconds),
    pending_domain: before(pendingMilliseconds + minuteMilliseconds),
    sso_portal: before(minuteMilliseconds),
    server_status: before(dayMilliseconds),
    daily_statistics: before(recordMilliseconds),
  }
}

/** How a sweep pauses, and what ends it. */
export interface Sweeping {
  log: Log
  stopped: AbortSignal
  pause: (milliseconds: number) => Promise<unknown>
}

/** Deletes the expired rows of a database, unless a process started to do so less than 12 hours ago. */
export async function sweepDatabase(context: SweepContext, databaseId: string, sweeping: Sweeping) {
  const { log, stopped, pause } = sweeping
  const { store, now } = context
  const started = {
    now: new Date(now()),
    since: new Date(now() - intervalMilliseconds),
    future: new Date(now() + clockSkewSeconds * 1000),
  }
  if (!(await claimSweep(store, databaseId, started))) return
  let swept = await deleteEnded(store, databaseId, endsAt(now()))
  let { notices } = swept
  while (!swept.isComplete && !stopped.aborted) {
    await pause(batchMilliseconds)
    swept = await deleteEnded(store, databaseId, endsAt(now()))
    notices += swept.notices
  }
  if (notices > 0)
    log.warn({ databaseId, notices }, 'notices were deleted, because they could not be sent for 30 days')
  await sweepLists(context, databaseId, sweeping)
  await checkDomains(context, databaseId, sweeping)
  await countUsers(context, databaseId, sweeping)
  if (swept.hashParameters < 2) return
  const removed = await pruneHashParameters(context, databaseId, stopped)
  if (removed > 0) audit(log, 'database.hash_parameters_pruned', { databaseId, removed })
}

/** Counts the users of a database for the console, many small statements for a large one. */
async function countUsers({ store, now }: SweepContext, databaseId: string, { stopped, pause }: Sweeping) {
  let users = 0
  for (let after: string | null = NIL; after !== null; ) {
    if (stopped.aborted) return
    const counted: Awaited<ReturnType<typeof countUsersAfter>> = await countUsersAfter(
      store,
      databaseId,
      after,
    )
    users += counted.users
    after = counted.last
    if (after !== null) await pause(batchMilliseconds)
  }
  await storeUserCount(store, databaseId, { users, countedAt: new Date(now()) })
}

/** Deletes the events that are older than the setting of the database allows, and the revocations of expired tokens. */
async function sweepLists({ store, now }: SweepContext, databaseId: string, { stopped, pause }: Sweeping) {
  // Read for each batch, because an operator may raise the days during a long sweep.
  const eventMilliseconds = async () => (await findDaysOfEvents(store, databaseId)) * dayMilliseconds
  for (const [list, millisecondsOf] of [
    [keptEvents, eventMilliseconds],
    [revocations, () => revocationMilliseconds],
  ] as const) {
    const deleteBatch = async () => {
      const at = now()
      return deleteEndedRows(store, { list, databaseId }, new Date(at - (await millisecondsOf())))
    }
    while (!stopped.aborted && (await deleteBatch())) await pause(batchMilliseconds)
  }
}

/** Sweeps all databases until it is stopped, without keeping the process alive. */
export function startSweep(
  context: SweepContext,
  log: Log,
  { random = Math.random, pause }: { random?: () => number; pause?: Sweeping['pause'] } = {},
) {
  const stopping = new AbortController()
  const stopped = stopping.signal
  const wait = (milliseconds: number) =>
    sleep(milliseconds, undefined, { ref: false, signal: stopped }).catch(() => undefined)
  const sweeping = { log, stopped, pause: pause ?? wait }
  const running = untraced(() => sweepInRounds(context, sweeping, random))
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Returns the id at a position between two ids, from 0 to 1. */
export function idBetween({ lowest, highest }: { lowest: string; highest: string }, position: number) {
  const [from, to] = [lowest, highest].map((id) => BigInt(`0x${id.replaceAll('-', '')}`)) as [bigint, bigint]
  const digits = (from + ((to - from) * BigInt(Math.floor(position * 2 ** 32))) / 2n ** 32n).toString(16)
  return digits.padStart(32, '0').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Starts at a random database, so that processes that were started together visit different ones. */
async function sweepInRounds(context: SweepContext, sweeping: Sweeping, random: () => number) {
  const { log, stopped, pause } = sweeping
  const { store } = context
  /** Returns undefined after a failure, so that an unavailable node does not stop the sweep of other nodes. */
  const attempt = <Result>(work: Promise<Result>) =>
    work.catch((err) => {
      if (!isStoreUnavailable(err) && !isForeignKeyViolation(err))
        log.warn({ err }, 'a database was not swept')
    })
  await pause(random() * minuteMilliseconds)
  const outer = stopped.aborted ? undefined : await attempt(findOuterDatabaseIds(store))
  let after = outer && idBetween(outer, random())
  let visits = 0
  while (!stopped.aborted) {
    const ids = (await attempt(findDatabaseIds(store, after ?? NIL, databasesAtATime))) ?? []
    for (const id of ids) {
      if (stopped.aborted) return
      await attempt(sweepDatabase(context, id, sweeping))
      await pause(visitMilliseconds)
    }
    visits += ids.length
    after = ids[databasesAtATime - 1]
    if (after) continue
    await pause(Math.max(visitMilliseconds, roundMilliseconds - visits * visitMilliseconds))
    visits = 0
  }
}

/**
 * Removes the hash parameters that no user of a database has, because every failed login verifies one hash of each set.
 * If a user with removed parameters is created meanwhile, the user's first login records them again.
 *
 * @param stopped ends the search without removing anything
 * @returns the number of removed sets
 */
async function pruneHashParameters(
  { store, hashing }: Pick<AppContext, 'store'> & { hashing: Pick<Hasher, 'dummyHash'> },
  databaseId: string,
  stopped: AbortSignal,
) {
  const unused = new Set(await findDummyHashes(store, databaseId))
  unused.delete(hashing.dummyHash)
  if (unused.size > 0) {
    for await (const passwordHashes of pagesOfPasswordHashes(store, databaseId)) {
      if (stopped.aborted) return 0
      for (const passwordHash of passwordHashes) unused.delete(dummyHashOf(passwordHash))
      if (unused.size === 0) break
    }
  }
  if (unused.size > 0) await removeDummyHashes(store, databaseId, [...unused])
  return unused.size
}
