import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { bestArgon2 } from './argon2.js'
import { storedPasswordHash } from './formats/read-hash.js'
import type { HashJob, HashOutcome, HashRequest, HashResponse } from './hash-pool.js'
import { canonicalPassword } from './normalize.js'

// On Linux a priority is the thread's own: requests that hash nothing go before those that do.
if (process.platform === 'linux') setPriority(10)

const argon2 = await bestArgon2()

const toSkip: Int32Array = workerData

// One after the other, also where a hash is not made on this very thread.
let turn = Promise.resolve()
parentPort?.on('message', (order: HashRequest | 'close') => {
  turn = turn.then(async () => {
    if (order === 'close') parentPort?.close()
    else parentPort?.postMessage({ serial: order.serial, ...(await outcome(order)) } satisfies HashResponse)
  })
})

async function outcome({ serial, job }: HashRequest): Promise<HashOutcome> {
  if (Atomics.load(toSkip, 0) === serial) return { skipped: true }
  return perform(job).then(
    (result) => ({ result }),
    (error: Error) => ({ error: error.message }),
  )
}

async function perform(job: HashJob) {
  const canonical = canonicalPassword(job.password)
  if (job.kind === 'hash') return argon2.hash(canonical, job.cost)
  const { verify } = storedPasswordHash(job.hash)
  if (await verify(canonical)) return true
  return job.password !== canonical && verify(job.password)
}
