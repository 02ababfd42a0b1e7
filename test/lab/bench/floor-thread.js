import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashSync, verifySync } from '@node-rs/argon2'

// Hashing of the baseline. JavaScript, because worker threads do not load TypeScript.

if (process.platform === 'linux') setPriority(10)
parentPort?.on('message', ({ password, hash }) =>
  parentPort?.postMessage(
    hash
      ? verifySync(hash, password)
      : hashSync(password, { memoryCost: 19456, timeCost: 2, parallelism: 1 }),
  ),
)
