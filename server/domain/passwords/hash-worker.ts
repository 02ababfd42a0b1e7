import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { bestArgon2 } from './argon2.js'
import { storedPasswordHash } from './formats/read-hash.js'
import type { HashJob, HashRequest, HashResponse } from './hash-thread.js'
import { canonicalPassword } from './normalize.js'

// On Linux a priority belongs to the thread, so the main thread, which handles requests, takes precedence.
if (process.platform === 'linux') setPriority(10)

const argon2 = await bestArgon2()

parentPort?.postMessage('ready')

// One job after the other, even with an implementation that has its own threads.
let turn = Promise.resolve()
parentPort?.on('message', (request: HashRequest | 'close') => {
  turn = turn.then(async () => {
    if (request === 'close') parentPort?.close()
    else parentPort?.postMessage(await respond(request))
  })
})

const respond = ({ serial, job }: HashRequest): Promise<HashResponse> =>
  perform(job).then(
    (result) => ({ serial, result }),
    (error: Error) => ({ serial, error: error.message }),
  )

async function perform(job: HashJob) {
  const canonical = canonicalPassword(job.password)
  if (job.kind === 'hash') return argon2.hash(canonical, job.cost)
  const { verify } = storedPasswordHash(job.hash)
  if (await verify(canonical)) return true
  return job.password !== canonical && verify(job.password)
}
