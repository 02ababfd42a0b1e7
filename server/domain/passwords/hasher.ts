import { inSpan, loadedTracer } from '../../telemetry/tracing.js'
import type { Client } from '../caller.js'
import { type Argon2Cost, argon2idPrefix } from './argon2.js'
import { dummyHashOf } from './formats/read-hash.js'
import { HashPool, type HashStats } from './hash-pool.js'
import type { HashJob } from './hash-thread.js'

export interface HashSettings extends Argon2Cost {
  /** Number of threads. */
  concurrency: number
  /** Maximum wait for a thread. */
  queueSeconds: number
}

/** Password hashing: argon2id as PHC strings, on separate threads. */
export interface Hasher {
  /** @throws {Problem} `unavailable` if the wait would exceed the limit */
  hash(password: string, client?: Client): Promise<string>
  /**
   * Returns whether the password matches the hash, as entered or in NFKC, because imported hashes may be of either
   * form.
   *
   * @param client if it disconnects before the job starts, the job is cancelled
   * @throws {Problem} `unavailable` if the wait would exceed the limit
   */
  verify(hash: string, password: string, client?: Client): Promise<boolean>
  /** Returns whether the hash has another algorithm or other parameters than the current ones. */
  isOutdated(hash: string): boolean
  /** A hash of the current algorithm and cost that no password matches. */
  dummyHash: string
  /** @throws {Problem} `unavailable` if a password from this network would be rejected now */
  assertCapacity(network: string): void
  /** Counts a waiting login of a network in the expected wait of the queue, until the returned function is called. */
  hold(network: string): () => void
  /** Returns the expected wait of a new password from the network. */
  waitSeconds(network: string): number
  /** Maximum wait for a thread. */
  queueSeconds: number
  /** @throws {Problem} `unavailable` if no thread works, and none could be started */
  assertWorking(): void
  /** Fulfilled with the reason after a minute in which no thread worked. */
  stopped: Promise<Error>
  stats(): HashStats
  close(): Promise<void>
}

export const currentDummyHash = (cost: Argon2Cost) =>
  dummyHashOf(`${argon2idPrefix(cost)}${'A'.repeat(22)}$${'A'.repeat(43)}`)

/** @param isOnDemand whether the first job starts the threads. A process may have none */
export function createHasher(
  { concurrency, queueSeconds, ...cost }: HashSettings,
  { isOnDemand = false } = {},
): Hasher {
  let started: HashPool | undefined
  const pool = () => {
    started ??= new HashPool(concurrency, queueSeconds)
    return started
  }
  const run = tracedRun((job, client) => pool().run(job, client))
  const prefix = argon2idPrefix(cost)
  // The first hash loads the implementation and measures how long a job takes, before anyone waits.
  if (!isOnDemand) run({ kind: 'hash', password: '', cost }).catch(() => undefined)
  return {
    hash: async (password, client) => String(await run({ kind: 'hash', password, cost }, client)),
    verify: async (hash, password, client) => Boolean(await run({ kind: 'verify', password, hash }, client)),
    isOutdated: (hash) => !hash.startsWith(prefix),
    dummyHash: currentDummyHash(cost),
    assertCapacity: (network) => pool().assertCapacity(network),
    hold: (network) => pool().hold(network),
    waitSeconds: (network) => pool().waitSeconds(network),
    queueSeconds,
    assertWorking: () => pool().assertWorking(),
    get stopped() {
      return pool().stopped
    },
    stats: () => pool().stats(),
    close: async () => started?.close(),
  }
}

/** Returns a function that runs jobs. If an OpenTelemetry SDK is loaded, each has a span that includes its wait. */
function tracedRun(run: HashPool['run']) {
  const tracer = loadedTracer()
  if (!tracer) return run
  return (job: HashJob, client?: Client) =>
    inSpan(tracer, { name: `password ${job.kind}` }, () => run(job, client))
}
