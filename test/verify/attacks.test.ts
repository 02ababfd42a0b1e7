import { createVerifier } from '@usher/verify'
import { expect } from 'vitest'
import type { SigningAlgorithm } from '../../server/store/generated/enums.js'
import { makeAttacks } from './attacks.js'
import { it, optionsOf } from './live.js'

it.for<SigningAlgorithm>(['ES256', 'RS256', 'EdDSA'])(
  'accepts a token of %s, and refuses every attack on it',
  async (algorithm, { usher, origin }) => {
    const { database, valid, attacks, header } = await makeAttacks(usher, algorithm)
    expect(header.alg).toBe(algorithm)
    const { verify } = createVerifier(optionsOf(usher, origin, database))
    expect((await verify(valid)).error).toBeUndefined()
    const results: Record<string, unknown> = {}
    const expected: Record<string, unknown> = {}
    for (const [name, token] of Object.entries(attacks)) {
      results[name] = await verify(token).then(({ data, error }) => data ?? error?.code)
      expected[name] = name === 'an expired token' ? 'token_expired' : 'token_invalid'
    }
    expect(results).toEqual(expected)
  },
)
