import { describe, expect, it } from 'vitest'
import type { AppContext } from '../../server/domain/context.js'
import { verifyPassword } from '../../server/domain/passwords/authenticate.js'
import { dummyHashOf } from '../../server/domain/passwords/formats/read-hash.js'
import { createHasher } from '../../server/domain/passwords/hasher.js'
import type { Log } from '../../server/telemetry/audit.js'

const settings = { memoryKib: 8, passes: 1, parallelism: 1, concurrency: 1, queueSeconds: 60 }
const current = createHasher(settings)
const past = createHasher({ ...settings, passes: 2 })
const older = createHasher({ ...settings, passes: 3 })

const hashes = {
  current: await current.hash('right'),
  past: await past.hash('right'),
  older: await older.hash('right'),
}

/** Returns a dummy hash for each verified hash, sorted. */
async function verifiedHashes(
  passwordHash: string | undefined,
  password: string,
  disabledAt: Date | null = null,
) {
  const verified: string[] = []
  const verify = async (hash: string, candidate: string) => {
    verified.push(dummyHashOf(hash))
    return current.verify(hash, candidate)
  }
  const context = { hashing: { ...current, verify } } as AppContext
  const database = { dummyHashes: [past.dummyHash, older.dummyHash, current.dummyHash] }
  const user = passwordHash === undefined ? undefined : { passwordHash, disabledAt }
  const client = {
    network: '',
    deadline: Number.POSITIVE_INFINITY,
    isDisconnected: () => false,
    onceDisconnected: () => () => undefined,
    log: {} as Log,
  }
  const matches = await verifyPassword(context, database as never, { user, password, client })
  return { matches, verified: verified.sort() }
}

describe('failed logins', () => {
  const everyDummyHash = [current.dummyHash, past.dummyHash, older.dummyHash].sort()

  it.each([
    ['of an unknown email', undefined, 'x', null],
    ['with a wrong password for a current hash', hashes.current, 'wrong', null],
    ['with a wrong password for an outdated hash', hashes.past, 'wrong', null],
    ['of a disabled user with the right password', hashes.older, 'right', new Date()],
  ])(
    'verifies one hash per set of hash parameters for a failed login %s',
    async (_name, hash, password, disabledAt) => {
      const result = await verifiedHashes(hash, password, disabledAt)
      expect(result).toEqual({ matches: false, verified: everyDummyHash })
    },
  )
})

it('verifies only the hash of the user for a successful login', async () => {
  const result = await verifiedHashes(hashes.past, 'right')
  expect(result).toEqual({ matches: true, verified: [past.dummyHash] })
})
