// Writes TypeScript from the schemas of an OpenAPI document, for scripts/write-sdk-api.js.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

export const nameOf = ($ref) => $ref.split('/').at(-1)
export const capitalize = (name) => name[0].toUpperCase() + name.slice(1)
export const header =
  '// Generated from the contract by scripts/write-sdk-api.js (npm run sdk-api). Do not edit.\n'

/** Returns the name of the operation in the SDK: `me` for `getMe`. */
export const methodOf = ({ operationId }) =>
  operationId.replace(/^get([A-Z])/, (_, letter) => letter.toLowerCase())

/** Returns the name of the iterator of a list: `users` for `listUsers`. */
export const iteratorOf = ({ operationId }) =>
  operationId.replace(/^list([A-Z])/, (_, letter) => letter.toLowerCase())

export const databasePath = '/workspaces/{workspaceSlug}/databases/{databaseName}'

/** Returns the operations of a document with a tag. */
export const operationsOf = ({ paths }, tag) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )

/** Returns the codes of an operation. */
export const codesIn =
  ({ components }) =>
  ({ responses }) =>
    Object.values(responses).flatMap(
      ({ $ref }) => ($ref && components.responses[nameOf($ref)]['x-problem-codes']) ?? [],
    )

/** Returns status, schema and headers of the successful response. A 204 has no schema. */
export function successOf({ responses }) {
  const [status, response] = Object.entries(responses).find(([, { $ref }]) => !$ref)
  return { status: Number(status), schema: response.content?.['application/json'].schema }
}

/** Returns the type of the body as an argument, and the media type of lines. Undefined if the operation has no body. */
export function bodyOf({ requestBody }) {
  if (!requestBody) return undefined
  const [[type, { schema }]] = Object.entries(requestBody.content)
  const lines = schema['x-item-schema']
  const argument = lines ? `{ lines: readonly ${typeOf(lines)}[] }` : typeOf(schema)
  return { linesType: lines && type, argument, isRequired: !!requestBody.required }
}

/** Returns the names of all schemas that the part references, directly or indirectly. */
export function schemaNamesOf({ components }, part) {
  const found = new Set()
  const visit = (each) => {
    for (const [reference] of JSON.stringify(each).matchAll(/(?<="\$ref":"#\/components\/)\w+\/[\w-]+/g)) {
      if (found.has(reference)) continue
      found.add(reference)
      const [kind, name] = reference.split('/')
      visit(components[kind][name])
    }
  }
  visit(part)
  return [...found].filter((reference) => reference.startsWith('schemas/')).map(nameOf)
}

export function comment({ description, examples }) {
  const lines = [description, examples && typeof examples[0] !== 'object' && `@example ${examples[0]}`]
  const text = lines.filter(Boolean)
  if (text.length < 2) return text.length ? `/** ${text[0]} */\n` : ''
  return `/**\n${text.map((line) => ` * ${line}\n`).join(' *\n')} */\n`
}

export function typeOf(schema) {
  if (schema.$ref) return nameOf(schema.$ref)
  const values = schema.enum ?? schema['x-extensible-enum']
  if (values) {
    const texts = values.map((value) => `'${value}'`)
    return [...texts, ...(schema.type.includes('null') ? ['null'] : [])].join(' | ')
  }
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return alternatives.map(typeOf).join(' | ')
  if (Object.keys(schema).every((key) => ['description', 'examples'].includes(key))) return 'unknown'
  const types = [schema.type].flat().map((type) => typeOfOne(type, schema))
  return types.join(' | ')
}

function typeOfOne(type, schema) {
  if (type === 'integer') return 'number'
  if (type === 'array') return `(${typeOf(schema.items)})[]`
  if (type === 'object')
    return Object.keys(schema.properties ?? {}).length === 0
      ? '{ [field: string]: unknown }'
      : `{\n${fieldsOf(schema)}\n}`
  if (!['string', 'number', 'boolean', 'null'].includes(type))
    throw new Error(`unsupported schema: ${JSON.stringify(schema)}`)
  return type
}

const fieldsOf = ({ properties = {}, required = [] }) =>
  Object.entries(properties)
    .map(([field, value]) =>
      required.includes(field)
        ? `${comment(value)}${field}: ${typeOf(value)}`
        : `${comment(value)}${field}?: ${typeOf(value)} | undefined`,
    )
    .join('\n')

/** Returns the declaration of a named schema. */
export function declaration(name, schema) {
  const isEmpty = schema.type === 'object' && Object.keys(schema.properties ?? {}).length === 0
  // A body of an API that refuses unknown fields, or a response without fields.
  if (isEmpty && !schema.propertyNames)
    return `${comment(schema)}export type ${name} = { [field: string]: never }\n`
  return schema.type === 'object' && !isEmpty
    ? `${comment(schema)}export interface ${name} {\n${fieldsOf(schema)}\n}\n`
    : `${comment(schema)}export type ${name} = ${typeOf(schema)}\n`
}

/** Returns functions that return the parameters of an operation. */
export function parametersIn({ components }) {
  const parametersOf = ({ parameters = [] }, location) =>
    parameters.map(({ $ref }) => components.parameters[nameOf($ref)]).filter((each) => each.in === location)
  return { parametersOf, queryOf: (operation) => parametersOf(operation, 'query') }
}

/** Returns the name of the interface of the query of an operation. */
export const queryName = (operation) => `${capitalize(methodOf(operation))}Query`

/** Returns a function that returns the declaration of the query of an operation, or an empty text. */
export function queryInterfaceIn(document) {
  const { queryOf } = parametersIn(document)
  return (operation) =>
    queryOf(operation).length === 0
      ? ''
      : `/** Query of \`${methodOf(operation)}\`. */
export interface ${queryName(operation)} {
${queryOf(operation)
  .map((each) => `${comment(each)}${each.name}?: ${typeOf(each.schema)} | undefined`)
  .join('\n')}
}\n`
}

/** Writes formatted files, by name. With --check, throws if a file is out of date. */
export function writeFiles(files) {
  for (const [file, lines] of Object.entries(files)) {
    const biome = ['node_modules/@biomejs/biome/bin/biome', 'format', `--stdin-file-path=${file}`]
    const text = execFileSync(process.execPath, biome, { input: lines.join('\n'), encoding: 'utf8' })
    if (!process.argv.includes('--check')) writeFileSync(file, text)
    else if (readFileSync(file, 'utf8') !== text)
      throw new Error(`${file} is out of date. Run npm run sdk-api.`)
  }
}
