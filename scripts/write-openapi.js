import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { openApiDocument } from '@usher/contract/openapi'

const { version } = createRequire(import.meta.url)('@usher/server/package.json')
const document = openApiDocument('http://localhost:3000', version)
writeFileSync('contract/openapi.json', `${JSON.stringify(document, null, 2)}\n`)
