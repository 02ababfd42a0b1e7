import { readFile } from 'node:fs/promises'
import { decodeJwt } from 'jose'
import { expect } from 'vitest'
import { it } from '../support/api.js'

it('docs/verify.md lists every claim of a token', async ({ database }) => {
  const text = await readFile(new URL('../../docs/verify.md', import.meta.url), 'utf8')
  const [table = ''] = text.match(/^\| header `alg`.*?\n\n/ms) ?? []
  const { token } = await database.opened()
  const claims = Object.keys(decodeJwt(token.jwt))
  expect(claims).toContain('sid')
  expect(claims.filter((claim) => !table.includes(`\`${claim}\``))).toEqual([])
})
