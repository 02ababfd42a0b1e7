// Writes the types and the endpoints of the SDK, sdk/schemas.ts, sdk/endpoints.ts and those of the management API, from
// the contract. With --check, fails if a file is out of date.
import { contract, problems } from '@usher/contract'
import { openApiDocument } from '@usher/contract/openapi'
import { writeManagement } from './sdk-management.js'
import {
  capitalize,
  codesIn,
  declaration,
  header,
  methodOf,
  nameOf,
  operationsOf,
  schemaNamesOf,
  successOf,
  typeOf,
  writeFiles,
} from './sdk-types.js'

const document = openApiDocument('http://localhost:3000', '0')
const { components } = document

const { discovery: _discovery, service: _service, ...routers } = contract
const operations = Object.keys(routers).flatMap((tag) => operationsOf(document, tag))

const schemaNames = schemaNamesOf(document, operations)
const declaredCodesOf = codesIn(document)
const declaredCodes = operations.flatMap(declaredCodesOf)

/** Returns the codes of an operation, the most common ones first: lists that begin alike compress well. */
function codesOf(operation) {
  const usesOf = (code) => declaredCodes.filter((each) => each === code).length
  return declaredCodesOf(operation).sort((a, b) => usesOf(b) - usesOf(a))
}

const jsonSchemaOf = ({ content }) => content?.['application/json'].schema
const resolve = (schema) => (schema?.$ref ? components.schemas[nameOf(schema.$ref)] : schema)

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

const schemas = [
  header,
  ...schemaNames.sort().map((name) => declaration(name, components.schemas[name])),
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
${operationsOf(document, tag).map((operation) => endpointOf(tag, operation))}
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

writeFiles({ 'sdk/schemas.ts': schemas, 'sdk/endpoints.ts': endpoints })
writeManagement()
