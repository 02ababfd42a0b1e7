import { describe, expect, it } from 'vitest'
import type { AppContext } from '../../server/domain/context.js'
import { dummyHashOf } from '../../server/domain/passwords/formats/read-hash.js'
import { createHasher } from '../../server/domain/passwords/hasher.js'
import { verifyPassword } from '../../server/domain/users/verify-password.js'

const settings = { memoryKib: 8, passes: 1, parallelism: 1, concurrency: 1, queueSeconds: 60 }
const present = createHasher(settings)
const past = createHasher({ ...settings, passes: 2 })
const older = createHasher({ ...settings, passes: 3 })

const hashes = {
  present: await present.hash('right'),
  past: await past.hash('right'),
  older: await older.hash('right'),
}

/** The shapes that a login verified, in order of name. */
async function shapesVerified(
  passwordHash: string | undefined,
  password: string,
  disabledAt: Date | null = null,
) {
  const verified: string[] = []
  const verify = async (hash: string, candidate: string) => {
    verified.push(dummyHashOf(hash))
    return present.verify(hash, candidate)
  }
  const context = { hashing: { ...present, verify } } as AppContext
  const database = { dummyHashes: [past.dummyHash, older.dummyHash, present.dummyHash] }
  const user = passwordHash === undefined ? undefined : { passwordHash, disabledAt }
  const client = {
    deadline: Number.POSITIVE_INFINITY,
    isDisconnected: () => false,
    onceDisconnected: () => () => undefined,
  }
  const matches = await verifyPassword(context, database as never, user, password, client)
  return { matches, verified: verified.sort() }
}

describe('a failed login verifies one hash of each shape of the database', () => {
  const everyShape = [present.dummyHash, past.dummyHash, older.dummyHash].sort()

  it.each([
    ['of an unknown address', undefined, 'x', null],
    ['with a wrong password for a present hash', hashes.present, 'wrong', null],
    ['with a wrong password for an outdated hash', hashes.past, 'wrong', null],
    ['of a disabled user with the right password', hashes.older, 'right', new Date()],
  ])('%s', async (_what, hash, password, disabledAt) => {
    const outcome = await shapesVerified(hash, password, disabledAt)
    expect(outcome).toEqual({ matches: false, verified: everyShape })
  })
})

it('a successful login verifies its own hash alone', async () => {
  const outcome = await shapesVerified(hashes.past, 'right')
  expect(outcome).toEqual({ matches: true, verified: [past.dummyHash] })
})
