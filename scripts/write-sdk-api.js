// Writes the types and the endpoints of the SDK, sdk/schemas.ts and sdk/endpoints.ts, from the contract. With --check,
// fails if a file is out of date.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { contract, problems } from '@usher/contract'
import { openApiDocument } from '@usher/contract/openapi'

const { components, paths } = openApiDocument('http://localhost:3000', '0')

const { discovery: _discovery, service: _service, ...routers } = contract
const operationsOf = (tag) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
const operations = Object.keys(routers).flatMap(operationsOf)

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
  const values = schema.enum ?? schema['x-extensible-enum']
  if (values) return values.map((value) => `'${value}'`).join(' | ')
  if (schema.type === 'array') return `${typeOf(schema.items)}[]`
  if (schema.type === 'object') return `{\n${fieldsOf(schema)}\n}`
  const types = [schema.type].flat().map((type) => (type === 'integer' ? 'number' : type))
  if (types.some((type) => !['string', 'number', 'boolean', 'null'].includes(type)))
    throw new Error(`unsupported schema: ${JSON.stringify(schema)}`)
  return types.join(' | ')
}

const fieldsOf = ({ properties = {}, required = [] }) =>
  Object.entries(properties)
    .map(([field, value]) =>
      required.includes(field)
        ? `${comment(value)}${field}: ${typeOf(value)}`
        : `${comment(value)}${field}?: ${typeOf(value)} | undefined`,
    )
    .join('\n')

function declaration(name) {
  const schema = components.schemas[name]
  if (schema.type === 'object' && Object.keys(schema.properties ?? {}).length === 0)
    return `${comment(schema)}export type ${name} = { [field: string]: never }\n`
  return schema.type === 'object'
    ? `${comment(schema)}export interface ${name} {\n${fieldsOf(schema)}\n}\n`
    : `${comment(schema)}export type ${name} = ${typeOf(schema)}\n`
}

/** Returns the name of the operation in the SDK: `me` for `getMe`. */
const methodOf = ({ operationId }) => operationId.replace(/^get([A-Z])/, (_, letter) => letter.toLowerCase())

const declaredCodesOf = ({ responses }) =>
  Object.values(responses).flatMap(({ $ref }) =>
    $ref ? components.responses[nameOf($ref)]['x-problem-codes'] : [],
  )
const declaredCodes = operations.flatMap(declaredCodesOf)

/** Returns the codes of an operation, the most common ones first: lists that begin alike compress well. */
function codesOf(operation) {
  const usesOf = (code) => declaredCodes.filter((each) => each === code).length
  return declaredCodesOf(operation).sort((a, b) => usesOf(b) - usesOf(a))
}

const capitalize = (name) => name[0].toUpperCase() + name.slice(1)
const jsonSchemaOf = ({ content }) => content?.['application/json'].schema
const resolve = (schema) => (schema?.$ref ? components.schemas[nameOf(schema.$ref)] : schema)

/** Returns status and schema of the successful response. A 204 has no schema. */
function successOf({ responses }) {
  const [status, response] = Object.entries(responses).find(([, { $ref }]) => !$ref)
  return { status: Number(status), schema: jsonSchemaOf(response) }
}

/** Returns the name of the path parameter at the end of a path, if any. */
const idOf = ({ path }) => path.match(/\{(\w+)\}$/)?.[1]

/** Returns the first parameter of a method, if it has one before the options. */
function argumentOf(operation) {
  const { requestBody } = operation
  if (!requestBody) return idOf(operation) && `${idOf(operation)}: string`
  const type = typeOf(jsonSchemaOf(requestBody))
  return requestBody.required ? `body: ${type}` : `body?: ${type} | undefined`
}

function methodDeclaration(operation) {
  const { schema } = successOf(operation)
  const name = methodOf(operation)
  const parameters = [argumentOf(operation), 'options?: CallOptions'].filter(Boolean).join(', ')
  const data = schema ? typeOf(schema) : 'undefined'
  return `/** ${operation.description} */
${name}(${parameters}): Promise<Result<${data}, ${capitalize(name)}ErrorCode>>`
}

const databasePath = '/workspaces/{workspaceSlug}/databases/{databaseName}'

/** Returns an endpoint of the SDK (sdk/operation.ts). False members are left out. */
function endpointOf(tag, operation) {
  const { method, path, operationId, requestBody, parameters, security } = operation
  const { status, schema } = successOf(operation)
  if (!path.startsWith(databasePath)) throw new Error(`${operationId} belongs to no database`)
  const names = parameters.map(({ $ref }) => nameOf($ref))
  const id = idOf(operation)
  const supported = ['WorkspaceSlug', 'DatabaseName', 'IdempotencyKey', !requestBody && id && capitalize(id)]
  const unsupported = names.filter((name) => !supported.includes(name))
  if (unsupported.length > 0) throw new Error(`${operationId}: unsupported parameters ${unsupported}`)
  const { properties, required = [] } = resolve(schema) ?? {}
  const acceptsIdempotencyKey = names.includes('IdempotencyKey')
  const { isRepeatable = method === 'GET', signsOut } = routers[tag][operationId].metadata ?? {}
  const members = {
    method,
    path: path.slice(databasePath.length).replace(`{${id}}`, ''),
    hasId: !!id,
    hasBody: !!requestBody,
    needsToken: security.length > 1 ? 'optional' : security.length > 0,
    acceptsIdempotencyKey,
    isRepeatable,
    status,
    // Many services return an `id`.
    field: required.find((field) => field !== 'id'),
    signsIn: properties?.token?.$ref === '#/components/schemas/AccessToken',
    signsOut,
    codes: codesOf(operation),
  }
  return `${methodOf(operation)}: ${JSON.stringify(members, (_key, value) => value || undefined)}`
}

const header = '// Generated from the contract by scripts/write-sdk-api.js (npm run sdk-api). Do not edit.\n'

const schemas = [
  header,
  ...schemaNames.sort().map(declaration),
  `/** A message for each \`error.code\`, such as a translation. */
export interface ErrorMessages {
${[...new Set(declaredCodes)].map((code) => `/** ${problems[code].title}. ${problems[code].advice} */\n${code}: string`).join('\n')}
/** There was no response from Usher. \`cause\` has the reason. Try again later. */
no_answer: string
}\n`,
  `/** Every \`error.code\` of every operation. */
export type ErrorCode = keyof ErrorMessages\n`,
]

const used = operations.map(methodDeclaration).join('\n')
const usedSchemas = schemaNames.filter((name) => new RegExp(`\\b${name}\\b`).test(used))

const endpoints = [
  header,
  "import type { Endpoint } from './endpoint.js'",
  "import type { Result } from './result.js'",
  `import type { ${usedSchemas.join(', ')} } from './schemas.js'`,
  "import type { CallOptions } from './send.js'\n",
  ...Object.keys(routers).map(
    (tag) => `/** Endpoints of the router \`${tag}\`. */
export const ${tag} = {
${operationsOf(tag).map((operation) => endpointOf(tag, operation))}
} as const satisfies Record<string, Endpoint>\n`,
  ),
  ...operations.map((operation) => {
    const name = methodOf(operation)
    return `/** Every \`error.code\` of \`${name}\`. */
export type ${capitalize(name)}ErrorCode = (typeof ${operation.tags[0]}.${name}.codes)[number] | 'no_answer'\n`
  }),
  `/** The operations of the API as functions. */
export interface Operations {
${used}
}\n`,
]

for (const [file, lines] of Object.entries({ 'sdk/schemas.ts': schemas, 'sdk/endpoints.ts': endpoints })) {
  const biome = ['node_modules/@biomejs/biome/bin/biome', 'format', `--stdin-file-path=${file}`]
  const text = execFileSync(process.execPath, biome, { input: lines.join('\n'), encoding: 'utf8' })
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text)
    throw new Error(`${file} is out of date. Run npm run sdk-api.`)
}
