import argon2 from 'argon2'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../server/config.js'
import { dummyHashOf } from '../../server/domain/passwords/formats/read-hash.js'
import { createHasher } from '../../server/domain/passwords/hasher.js'
import { Problem } from '../../server/domain/problem.js'

const cheap = { memoryKib: 8, passes: 1, parallelism: 1, concurrency: 1, queueSeconds: 60 }

describe('hashes', () => {
  it('creates argon2id PHC strings with the parameters of OWASP by default', async () => {
    const { hash } = createHasher(loadConfig({}).hashing)
    expect(await hash('correct horse battery')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  it('creates each hash with a new salt', async () => {
    const { hash } = createHasher(cheap)
    expect(await hash('same')).not.toBe(await hash('same'))
  })

  it('normalizes a password to NFKC before hashing', async () => {
    const { hash } = createHasher(cheap)
    expect(await argon2.verify(await hash('ｆｕｌｌ'), 'full')).toBe(true)
  })

  it('hashes every byte of a long password', async () => {
    const { hash, verify } = createHasher(cheap)
    const long = 'x'.repeat(255)
    expect(await verify(await hash(`${long}a`), `${long}b`)).toBe(false)
  })

  it.each([
    ['another memory size', { memoryKib: 16 }],
    ['another number of passes', { passes: 2 }],
    ['another parallelism', { parallelism: 2, memoryKib: 16 }],
  ])('reports a hash with %s as outdated', async (_name, change) => {
    const { hash } = createHasher(cheap)
    const now = createHasher({ ...cheap, ...change })
    expect(now.isOutdated(await hash('x'))).toBe(true)
    expect(now.isOutdated(await now.hash('x'))).toBe(false)
  })

  it('reports an argon2i hash as outdated', async () => {
    const { isOutdated } = createHasher(cheap)
    const parameters = { memoryCost: 8, timeCost: 1, parallelism: 1 }
    expect(isOutdated(await argon2.hash('x', { ...parameters, type: argon2.argon2i }))).toBe(true)
  })
})

describe('the dummy hash', () => {
  it('creates a dummy hash with the parameters of current hashes that matches no password', async () => {
    const { dummyHash, hash, verify } = createHasher(cheap)
    expect(dummyHashOf(await hash('x'))).toBe(dummyHash)
    expect(dummyHashOf(await hash('y'))).toBe(dummyHash)
    expect(await verify(dummyHash, 'x')).toBe(false)
  })
})

describe('a full hash queue', () => {
  it('rejects passwords that cannot be hashed in time, and hashes the others', async () => {
    const { hash } = createHasher({ ...cheap, queueSeconds: 0.000_001 })
    await hash('the pace')
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => hash('x')))
    const rejected = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    expect(rejected.length).toBeGreaterThan(0)
    for (const problem of rejected) {
      expect(problem).toBeInstanceOf(Problem)
      expect(problem.code).toBe('unavailable')
      expect(problem.retryAfterSeconds).toBeGreaterThanOrEqual(1)
    }
  })
})
