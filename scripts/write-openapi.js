// Writes contract/openapi.json and contract/management-openapi.json. With --check, fails if a file is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { managementDocument, openApiDocument } from '@usher/contract/openapi'

const { version } = createRequire(import.meta.url)('@usher/server/package.json')
const documents = {
  'contract/openapi.json': openApiDocument,
  'contract/management-openapi.json': managementDocument,
}

for (const [file, document] of Object.entries(documents)) {
  const text = `${JSON.stringify(document('http://localhost:3000', version), null, 2)}\n`
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text)
    throw new Error(`${file} is out of date. Run npm run openapi.`)
}
