import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVerifier } from '@usher/verify'
import { expect, it } from 'vitest'
import { report } from '../form.js'
import { runCommand } from './recipes.js'

const vectors = 'github.com/c2sp/wycheproof@v0.0.0-20260902155932-3fa63dd0344a'

interface Group {
  public?: { alg?: string; kty: string }
  tests: { tcId: number; jws: unknown; result: 'valid' | 'invalid' }[]
}

/** Errors of claims, which jose reads only after it has verified the signature. No vector has claims of Usher. */
const claimErrors = ['ERR_JWT_INVALID', 'ERR_JWT_CLAIM_VALIDATION_FAILED']

it('verifies the signatures of the Wycheproof vectors for its algorithms', async ({ skip }) => {
  const download = runCommand(['go', 'mod', 'download', '-json', vectors], tmpdir())
  const { Dir } = JSON.parse(await download.catch((error) => skip(`no Wycheproof vectors: ${error}`)))
  const text = await readFile(join(Dir, 'testvectors_v1', 'json_web_signature_test.json'), 'utf8')
  const { testGroups }: { testGroups: Group[] } = JSON.parse(text)
  const groups = testGroups.filter(
    (group) =>
      // Keys without alg are for encryption: the verifier must not use them.
      ['ES256', 'RS256', undefined].includes(group.public?.alg) &&
      ['EC', 'RSA'].includes(group.public?.kty ?? ''),
  )
  const counts = { valid: 0, invalid: 0 }
  for (const { public: key, tests } of groups) {
    const { verify } = createVerifier({
      baseUrl: 'https://users.example.com',
      workspace: 'demo',
      database: 'app',
      fetch: async () => Response.json({ keys: [key] }),
    })
    for (const { tcId, jws, result } of tests) {
      const { error } = await verify(jws as string)
      const cause = error?.cause as { code?: string } | undefined
      // A JWT is never empty.
      const isEmpty = typeof jws === 'string' && jws.includes('..')
      expect(claimErrors.includes(cause?.code ?? ''), `vector ${tcId}`).toBe(result === 'valid' && !isEmpty)
      counts[result] += 1
    }
  }
  report(
    `Wycheproof: ${counts.valid} valid and ${counts.invalid} invalid signatures in ${groups.length} groups`,
  )
  expect(counts).toEqual({ valid: 10, invalid: 266 })
})
