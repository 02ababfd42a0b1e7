import { readFile } from 'node:fs/promises'
import { managementDocument, openApiDocument } from '@usher/contract/openapi'
import { decodeJwt } from 'jose'
import { expect } from 'vitest'
import { operationsOf } from '../contract/document-operations.js'
import { it } from '../support/api.js'

/** The beginning of most paths. */
const database = '/workspaces/{workspaceSlug}/databases/{databaseName}'

const read = (file: string) => readFile(new URL(`../../docs/${file}`, import.meta.url), 'utf8')

it('docs/api.md lists every operation of both OpenAPI documents', async () => {
  const text = await read('api.md')
  const rows = text.match(/^\| `[A-Z]+ .*? \|/gm) ?? []
  const listed = rows.flatMap((row) => [...row.matchAll(/`([A-Z]+ .*?)`/g)].map(([, request]) => request))
  expect(listed.sort()).toEqual(
    operationsOf(openApiDocument('', ''))
      .map(({ method, path }) => `${method} ${path.replace(database, '…')}`)
      .sort(),
  )
  const [, names = ''] = /with documents of its own:\n(.*?)\.\n/s.exec(text) ?? []
  expect([...names.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(
    operationsOf(managementDocument('', '')).map(({ operationId }) => operationId),
  )
})

it('docs/verify.md lists every claim of a token', async ({ database }) => {
  const text = await read('verify.md')
  const [table = ''] = text.match(/^\| header `alg`.*?\n\n/ms) ?? []
  const { token } = await database.opened()
  const claims = Object.keys(decodeJwt(token.jwt))
  expect(claims).toContain('sid')
  expect(claims.filter((claim) => !table.includes(`\`${claim}\``))).toEqual([])
})
