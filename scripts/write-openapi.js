// Writes contract/openapi.json. With --check, fails if the file is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { openApiDocument } from '@usher/contract/openapi'

const file = 'contract/openapi.json'
const { version } = createRequire(import.meta.url)('@usher/server/package.json')
const text = `${JSON.stringify(openApiDocument('http://localhost:3000', version), null, 2)}\n`

if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) throw new Error(`${file} is out of date. Run npm run openapi.`)
