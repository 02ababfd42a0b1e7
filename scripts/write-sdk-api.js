// Writes sdk/api.ts, the types of the SDK, from the OpenAPI document. With --check, fails if the file is out of date.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { openApiDocument } from '@usher/contract/openapi'

const file = 'sdk/api.ts'
const { components, paths } = openApiDocument('http://localhost:3000', '0')
const operations = Object.values(paths)
  .flatMap((path) => Object.values(path))
  .filter(({ tags }) => tags.includes('users'))

const nameOf = ($ref) => $ref.split('/').at(-1)
const referencesIn = (part) => JSON.stringify(part).match(/(?<="\$ref":"#\/components\/)\w+\/[\w-]+/g) ?? []

/** Returns all components, as `kind/name`, that the part references, directly or indirectly. */
function referencedComponents(part, found = new Set()) {
  for (const reference of referencesIn(part)) {
    if (found.has(reference)) continue
    found.add(reference)
    const [kind, name] = reference.split('/')
    referencedComponents(components[kind][name], found)
  }
  return found
}

const schemaNames = [...referencedComponents(operations)]
  .filter((reference) => reference.startsWith('schemas/'))
  .map(nameOf)

function comment({ description, examples }) {
  const lines = [description, examples && typeof examples[0] !== 'object' && `@example ${examples[0]}`]
  const text = lines.filter(Boolean)
  if (text.length < 2) return text.length ? `/** ${text[0]} */\n` : ''
  return `/**\n${text.map((line) => ` * ${line}\n`).join(' *\n')} */\n`
}

function typeOf(schema) {
  if (schema.$ref) return nameOf(schema.$ref)
  if (schema.const !== undefined) return `'${schema.const}'`
  const values = schema.enum ?? schema['x-extensible-enum']
  if (values) return values.map((value) => `'${value}'`).join(' | ')
  if (schema.type === 'array') return `${typeOf(schema.items)}[]`
  const types = [schema.type].flat().map((type) => (type === 'integer' ? 'number' : type))
  if (types.some((type) => !['string', 'number', 'boolean', 'null'].includes(type)))
    throw new Error(`unsupported schema: ${JSON.stringify(schema)}`)
  return types.join(' | ')
}

function declaration(name) {
  const schema = components.schemas[name]
  if (schema.type !== 'object') return `${comment(schema)}export type ${name} = ${typeOf(schema)}\n`
  const fields = Object.entries(schema.properties).map(([field, value]) =>
    schema.required?.includes(field)
      ? `${comment(value)}${field}: ${typeOf(value)}`
      : `${comment(value)}${field}?: ${typeOf(value)} | undefined`,
  )
  return `${comment(schema)}export interface ${name} {\n${fields.join('\n')}\n}\n`
}

/** Returns the name of the operation in the SDK: `me` for `getMe`. */
const methodOf = ({ operationId }) => operationId.replace(/^get([A-Z])/, (_, letter) => letter.toLowerCase())

const codesOf = ({ responses }) =>
  Object.values(responses).flatMap(({ $ref }) =>
    $ref ? components.responses[nameOf($ref)]['x-problem-codes'] : [],
  )

const capitalize = (name) => name[0].toUpperCase() + name.slice(1)

const generated = [
  '// Generated from the contract by scripts/write-sdk-api.js (npm run sdk-api). Do not edit.\n',
  ...schemaNames.sort().map(declaration),
  `/** The problem codes of each operation. */
export const problemCodes = {
${operations.map((each) => `${methodOf(each)}: ${JSON.stringify(codesOf(each))},`).join('\n')}
} as const\n`,
  ...operations.map(methodOf).map(
    (id) => `/** Every \`error.code\` of \`${id}\`. */
export type ${capitalize(id)}ErrorCode = (typeof problemCodes.${id})[number] | 'no_answer'\n`,
  ),
].join('\n')

const biome = ['node_modules/@biomejs/biome/bin/biome', 'format', `--stdin-file-path=${file}`]
const text = execFileSync(process.execPath, biome, { input: generated, encoding: 'utf8' })

if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) throw new Error(`${file} is out of date. Run npm run sdk-api.`)
