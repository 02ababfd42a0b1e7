import type { Config } from '../../config.js'
import { inSpan, loadedTracer } from '../../telemetry/tracing.js'
import { argon2idPrefix } from './argon2.js'
import { dummyHashOf } from './formats/read-hash.js'
import { type Client, createHashPool, type HashPool, type HashStats } from './hash-pool.js'

/** Password hashing: argon2id in PHC strings, as many at once as the machine has cores. */
export interface Hasher {
  /** @throws {Problem} `unavailable` when the queue is longer than it may be */
  hash(password: string, client?: Client): Promise<string>
  /**
   * Whether the password is the one of the hash, as entered or in NFKC: hashes from elsewhere may be of either.
   *
   * @param client who is gone before its turn comes is not worked for
   * @throws {Problem} `unavailable` when the queue is longer than it may be
   */
  verify(hash: string, password: string, client?: Client): Promise<boolean>
  /** Whether the hash was made by another algorithm or with other parameters than those of now. */
  isOutdated(hash: string): boolean
  /** A hash of the present algorithm and cost that no password matches. */
  dummyHash: string
  /** @throws {Problem} `unavailable` where a password would be refused for the length of the queue */
  assertCapacity(): void
  stats(): HashStats
  /** Ends the threads. */
  close(): Promise<void>
}

/** A hash of the present algorithm and of a cost that no password matches. */
export const currentDummyHash = (cost: Parameters<typeof argon2idPrefix>[0]) =>
  dummyHashOf(`${argon2idPrefix(cost)}${'A'.repeat(22)}$${'A'.repeat(43)}`)

/** @returns hashing with the given argon2id parameters (RFC 9106), threads and bounded queue */
export function createHasher({ concurrency, queueSeconds, ...cost }: Config['hashing']): Hasher {
  const pool = createHashPool(concurrency, queueSeconds)
  const run = tracedRun(pool)
  const prefix = argon2idPrefix(cost)
  // The first hash tells the queue its pace before anyone waits, and loads the implementation.
  pool.run({ kind: 'hash', password: '', cost }).catch(() => undefined)
  return {
    hash: async (password, client) => String(await run({ kind: 'hash', password, cost }, client)),
    verify: async (hash, password, client) => Boolean(await run({ kind: 'verify', password, hash }, client)),
    isOutdated: (hash) => !hash.startsWith(prefix),
    dummyHash: currentDummyHash(cost),
    assertCapacity: pool.assertCapacity,
    stats: pool.stats,
    close: pool.close,
  }
}

/** With a span for each job, its wait included, where the operator has loaded an OpenTelemetry SDK. */
function tracedRun({ run }: HashPool): HashPool['run'] {
  const tracer = loadedTracer()
  return tracer ? (job, client) => inSpan(tracer, `password ${job.kind}`, {}, () => run(job, client)) : run
}
