import { randomBytes } from 'node:crypto'
import argon2 from 'argon2'
import fastq from 'fastq'
import type { Config } from '../config.js'
import { decoyOf, storedPasswordHash } from './password-formats.js'
import { canonicalPassword } from './passwords.js'
import { Problem } from './problem.js'

/** Password hashing: argon2id in PHC strings, as many at once as the machine has cores. */
export interface Hashing {
  /** @throws {Problem} `unavailable` when the queue is longer than it may be */
  hash(password: string): Promise<string>
  /**
   * Whether the password is the one of the hash, as entered or in NFKC: hashes from elsewhere may be of either.
   *
   * @throws {Problem} `unavailable` when the queue is longer than it may be
   */
  verify(hash: string, password: string): Promise<boolean>
  /** Whether the hash was made by another algorithm or with other parameters than those of now. */
  isOutdated(hash: string): boolean
  /** A hash of the present algorithm and cost that no password matches. */
  decoy: string
}

/** @returns hashing with the given argon2id parameters (RFC 9106) and a bounded queue */
export async function createHashing(settings: Config['hashing']): Promise<Hashing> {
  const parameters = {
    memoryCost: settings.memoryKib,
    timeCost: settings.passes,
    parallelism: settings.parallelism,
  }
  const bounded = createBoundedQueue(settings.concurrency, settings.queueSeconds)
  const hash = (password: string) =>
    bounded(() => argon2.hash(canonicalPassword(password), { ...parameters, type: argon2.argon2id }))
  return {
    hash,
    verify: (stored, password) =>
      bounded(async () => {
        const { verify } = storedPasswordHash(stored)
        const canonical = canonicalPassword(password)
        if (await verify(canonical)) return true
        return password !== canonical && verify(password)
      }),
    isOutdated: (stored) => !stored.startsWith('$argon2id$') || argon2.needsRehash(stored, parameters),
    decoy: decoyOf(await hash(randomBytes(16).toString('base64'))),
  }
}

/**
 * Runs `concurrency` jobs at once and lets others wait, but never longer than `queueSeconds` by the pace of
 * the jobs so far: past that a job is refused at once, and told when to come back.
 */
function createBoundedQueue(concurrency: number, queueSeconds: number) {
  let secondsPerJob = 0
  const queue = fastq.promise<undefined, () => Promise<unknown>, unknown>(async (job) => {
    const start = performance.now()
    const result = await job()
    const seconds = (performance.now() - start) / 1000
    secondsPerJob = secondsPerJob === 0 ? seconds : 0.9 * secondsPerJob + 0.1 * seconds
    return result
  }, concurrency)
  return async <Result>(job: () => Promise<Result>): Promise<Result> => {
    const waitSeconds = (queue.length() / concurrency) * secondsPerJob
    if (waitSeconds > queueSeconds) {
      throw new Problem('unavailable', {
        detail: 'Too many are logging in at once.',
        retryAfterSeconds: Math.ceil(waitSeconds),
      })
    }
    return queue.push(job) as Promise<Result>
  }
}
