import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { bestArgon2 } from './argon2.js'
import { storedPasswordHash } from './formats/read-hash.js'
import type { HashJob, HashRequest, HashResponse } from './hash-thread.js'
import { canonicalPassword } from './normalize.js'

// On Linux a priority belongs to the thread, so the main thread, which handles requests, takes precedence.
if (process.platform === 'linux') setPriority(10)

const argon2 = await bestArgon2()
// The first hash of a thread takes much longer than the next ones, which must not count as the time of a job.
await argon2.hash('', { memoryKib: 8, passes: 1, parallelism: 1 })

parentPort?.postMessage('ready')

// One job after the other, even with an implementation that has its own threads.
let turn = Promise.resolve()
parentPort?.on('message', (request: HashRequest | 'close') => {
  turn = turn.then(async () => {
    if (request === 'close') parentPort?.close()
    else parentPort?.postMessage(await respond(request))
  })
})

async function respond({ serial, job }: HashRequest): Promise<HashResponse> {
  const startedAt = performance.now()
  const outcome = await perform(job).then(
    (result) => ({ result }),
    (error: Error) => ({ error: error.message }),
  )
  return { serial, milliseconds: performance.now() - startedAt, ...outcome }
}

async function perform(job: HashJob) {
  const canonical = canonicalPassword(job.password)
  if (job.kind === 'hash') return argon2.hash(canonical, job.cost)
  const { verify } = storedPasswordHash(job.hash)
  if (await verify(canonical)) return true
  return job.password !== canonical && verify(job.password)
}
