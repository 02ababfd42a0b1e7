import { readFile } from 'node:fs/promises'
import { openApiDocument } from '@usher/contract/openapi'
import { expect, it } from 'vitest'
import { version } from '../../server/version.js'

it('is committed as contract/openapi.json (npm run openapi writes it)', async () => {
  const committed = JSON.parse(
    await readFile(new URL('../../contract/openapi.json', import.meta.url), 'utf8'),
  )
  expect(committed).toEqual(JSON.parse(JSON.stringify(openApiDocument('http://localhost:3000', version))))
})
