import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { bestArgon2 } from './argon2id.js'
import { canonicalPassword } from './canonical-password.js'
import type { HashAnswer, HashJob, HashOrder } from './hash-pool.js'
import { storedPasswordHash } from './password-formats.js'

// On Linux a priority is the thread's own: requests that hash nothing go before those that do.
if (process.platform === 'linux') setPriority(10)

const argon2 = await bestArgon2()

const toSkip: Int32Array = workerData

parentPort?.on('message', (order: HashOrder | 'close') => {
  if (order === 'close') return parentPort?.close()
  if (Atomics.load(toSkip, 0) === order.serial) return answer({ skipped: true })
  return perform(order.job).then(
    (result) => answer({ result }),
    (error: Error) => answer({ error: error.message }),
  )
})

const answer = (message: HashAnswer) => parentPort?.postMessage(message)

async function perform(job: HashJob) {
  const canonical = canonicalPassword(job.password)
  if (job.kind === 'hash') return argon2.hash(canonical, job.cost)
  const { verify } = storedPasswordHash(job.hash)
  if (await verify(canonical)) return true
  return job.password !== canonical && verify(job.password)
}
