import { readFile } from 'node:fs/promises'
import { contract } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import { decodeJwt } from 'jose'
import { expect } from 'vitest'
import { it } from '../support/api.js'

const read = (file: string) => readFile(new URL(`../../docs/${file}`, import.meta.url), 'utf8')

it('docs/api.md lists every operation on users', async () => {
  const text = await read('api.md')
  const listed = [...text.matchAll(/^\| `([A-Z]+ …\/users\S*)` \|/gm)].map(([, operation]) => operation)
  const routes = Object.values({
    ...contract.users,
    ...contract.sessions,
    ...contract.me,
    ...contract.codes,
    ...contract.emailChange,
  })
  expect(listed.sort()).toEqual(routes.map(({ method, path }) => `${method} …${rest(path, 'Name')}`).sort())
})

it('docs/management.md lists every operation with its scope', async () => {
  const text = await read('management.md')
  const listed = [...text.matchAll(/^\| `([A-Z]+ …\S*)` \| .* \| `([a-z]+:[a-z]+)`[^|]* \|$/gm)].map(
    ([, operation, scope]) => `${operation} ${scope}`,
  )
  expect(listed.sort()).toEqual(
    Object.values(managementContract)
      .flatMap((noun) => Object.values(noun))
      .filter(({ metadata }) => metadata.scope)
      .map(({ method, path, metadata }) => `${method} …${rest(path, 'management')} ${metadata.scope}`)
      .sort(),
  )
})

/** Returns the path below a word, as the documents write it. */
const rest = (path: string, word: string) => path.split(word)[1]?.replace(/:(\w+)/g, '{$1}')

it('docs/verify.md lists every claim of a token', async ({ database }) => {
  const text = await read('verify.md')
  const [table = ''] = text.match(/^\| header `alg`.*?\n\n/ms) ?? []
  const { token } = await database.opened()
  const claims = Object.keys(decodeJwt(token.jwt))
  expect(claims).toContain('sid')
  expect(claims.filter((claim) => !table.includes(`\`${claim}\``))).toEqual([])
})
