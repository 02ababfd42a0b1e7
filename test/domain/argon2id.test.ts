import { describe, expect, it } from 'vitest'
import { argon2idPrefix, nodeRsArgon2, referenceArgon2 } from '../../server/domain/passwords/argon2.js'

const cost = { memoryKib: 64, passes: 2, parallelism: 1 }
const fast = await nodeRsArgon2()
const reference = await referenceArgon2()

describe.skipIf(!fast)('the two implementations', () => {
  const [one, two] = [fast ?? reference, reference]

  it('verify each other’s hashes', async () => {
    expect(await two.verify(await one.hash('pässword', cost), 'pässword')).toBe(true)
    expect(await one.verify(await two.hash('pässword', cost), 'pässword')).toBe(true)
    expect(await two.verify(await one.hash('pässword', cost), 'password')).toBe(false)
    expect(await one.verify(await two.hash('pässword', cost), 'password')).toBe(false)
  })

  it('write hashes of one form', async () => {
    const form = /^\$argon2id\$v=19\$m=64,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/
    expect(await one.hash('x', cost)).toMatch(form)
    expect(await two.hash('x', cost)).toMatch(form)
  })
})

it('a hash begins with the prefix of its cost', async () => {
  expect((await reference.hash('x', cost)).startsWith(argon2idPrefix(cost))).toBe(true)
})
