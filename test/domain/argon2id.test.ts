import { describe, expect, it } from 'vitest'
import { argon2idPrefix, nodeRsArgon2, referenceArgon2 } from '../../server/domain/passwords/argon2.js'

const cost = { memoryKib: 64, passes: 2, parallelism: 1 }
const fast = await nodeRsArgon2()
const reference = await referenceArgon2()

describe.skipIf(!fast)('argon2 implementations', () => {
  const [one, two] = [fast ?? reference, reference]

  it('verifies the hashes of one implementation with the other', async () => {
    expect(await two.verify(await one.hash('pässword', cost), 'pässword')).toBe(true)
    expect(await one.verify(await two.hash('pässword', cost), 'pässword')).toBe(true)
    expect(await two.verify(await one.hash('pässword', cost), 'password')).toBe(false)
    expect(await one.verify(await two.hash('pässword', cost), 'password')).toBe(false)
  })

  it('creates hashes of the same format with both implementations', async () => {
    const format = /^\$argon2id\$v=19\$m=64,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/
    expect(await one.hash('x', cost)).toMatch(format)
    expect(await two.hash('x', cost)).toMatch(format)
  })
})

it('creates hashes that begin with the prefix of their cost', async () => {
  expect((await reference.hash('x', cost)).startsWith(argon2idPrefix(cost))).toBe(true)
})
