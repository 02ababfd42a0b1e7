// Writes the clients of the OpenAPI document in each folder. In one process, because loading the generators takes longer
// than running them: node generate.js FOLDER …
import { writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'
import openapiTypescript, { astToString } from 'openapi-typescript'

/** Validates responses, as clients in other languages do when they parse one. */
const plugins = [
  '@hey-api/client-fetch',
  '@hey-api/typescript',
  'zod',
  { name: '@hey-api/sdk', auth: true, validator: { response: 'zod' } },
]

for (const folder of process.argv.slice(2)) {
  const input = `${folder}/openapi.json`
  await createClient({ input, output: `${folder}/hey-api`, plugins, logs: { level: 'silent' } })
  const types = await openapiTypescript(pathToFileURL(input))
  await writeFile(`${folder}/openapi-typescript.d.ts`, astToString(types))
}
