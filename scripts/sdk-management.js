// Writes the types and the endpoints of @usher/sdk/management from the contract of the management API.
import { everyProblem } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import { managementDocument } from '@usher/contract/openapi'
import {
  capitalize,
  codesIn,
  comment,
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

const document = managementDocument('http://localhost:3000', '0')
const { components } = document
const { service: _service, ...routers } = managementContract
const operations = Object.keys(routers).flatMap((tag) => operationsOf(document, tag))
const codesOf = codesIn(document)
const root = '/workspaces/{workspaceSlug}/databases/{databaseName}/management'

const resolve = (schema) => (schema?.$ref ? components.schemas[nameOf(schema.$ref)] : schema)
const idsOf = ({ path }) => [...path.slice(root.length).matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
const parametersOf = ({ parameters = [] }, location) =>
  parameters.map(({ $ref }) => components.parameters[nameOf($ref)]).filter((each) => each.in === location)
const queryOf = (operation) => parametersOf(operation, 'query')
const headersOf = (operation) => parametersOf(operation, 'header').map(({ name }) => name)

/** Returns type and schema of the body. */
function bodyOf({ requestBody }) {
  if (!requestBody) return undefined
  const [[type, { schema }]] = Object.entries(requestBody.content)
  return { type, schema, isRequired: !!requestBody.required }
}

/** Returns the type of a query parameter, which a URL has as text. */
function queryTypeOf({ enum: values, pattern, ...schema }) {
  if (values?.join() === 'true,false') return 'boolean'
  const isNumber = pattern && new RegExp(pattern).test('1') && !/[a-z]/i.test(pattern.replaceAll('\\d', ''))
  return isNumber ? 'number' : typeOf(values ? { enum: values } : schema)
}

const queryName = (operation) => `${capitalize(methodOf(operation))}Query`
const queryInterface = (operation) =>
  queryOf(operation).length === 0
    ? ''
    : `/** Query of \`${methodOf(operation)}\`. */
export interface ${queryName(operation)} {
${queryOf(operation)
  .map((each) => `${comment(each)}${each.name}?: ${queryTypeOf(each.schema)} | undefined`)
  .join('\n')}
}\n`

/** Returns the parameters of a method before the options: ids, and the body or the query. */
function argumentsOf(operation) {
  const body = bodyOf(operation)
  const type = body && (body.type === 'application/json' ? typeOf(body.schema) : 'string')
  return [
    ...idsOf(operation).map((id) => `${id}: string`),
    ...(body ? [body.isRequired ? `body: ${type}` : `body?: ${type} | undefined`] : []),
    ...(queryOf(operation).length > 0 ? [`query?: ${queryName(operation)} | undefined`] : []),
  ]
}

const optionsOf = (operation) =>
  [
    'CallOptions',
    headersOf(operation).includes('Idempotency-Key') && 'PostOptions',
    headersOf(operation).includes('If-Match') && 'ChangeOptions',
  ]
    .filter(Boolean)
    .join(' & ')

/** Returns the field of a page with its items, if the operation is a list. */
function itemsOf(operation) {
  const { properties = {} } = resolve(successOf(operation).schema) ?? {}
  if (!properties.next || !queryOf(operation).some(({ name }) => name === 'after')) return undefined
  return Object.keys(properties).find((name) => properties[name].type === 'array')
}

function methodDeclaration(operation) {
  const { schema } = successOf(operation)
  const name = methodOf(operation)
  const parameters = [...argumentsOf(operation), `options?: ${optionsOf(operation)}`].join(', ')
  return `/** ${operation.description} */
${name}(${parameters}): Promise<ManagementResult<${schema ? typeOf(schema) : 'undefined'}, ${capitalize(name)}ErrorCode>>`
}

/** Returns the name of the iterator of a list: `users` for `listUsers`. */
const iteratorOf = ({ operationId }) =>
  operationId.replace(/^list([A-Z])/, (_, letter) => letter.toLowerCase())

function iteratorDeclaration(operation) {
  const items = itemsOf(operation)
  if (!items) return []
  const { schema } = successOf(operation)
  const parameters = [...argumentsOf(operation), 'options?: CallOptions'].join(', ')
  return `/**
 * Yields the items of every page of \`${methodOf(operation)}\`, and requests a page when it is needed.
 *
 * @throws {UsherError} if a request fails
 */
${iteratorOf(operation)}(${parameters}): AsyncGenerator<${typeOf(schema)}['${items}'][number], void, undefined>`
}

/** Returns an endpoint of the SDK (sdk/management-operation.ts). False members are left out. */
function endpointOf(tag, operation) {
  const { method, path, operationId } = operation
  const { status, schema } = successOf(operation)
  if (!path.startsWith(root)) throw new Error(`${operationId} belongs to no database`)
  const headers = headersOf(operation)
  const unsupported = headers.filter((name) => !['Idempotency-Key', 'If-Match'].includes(name))
  if (unsupported.length > 0) throw new Error(`${operationId}: unsupported headers ${unsupported}`)
  const { required = [] } = resolve(schema) ?? {}
  const { isRepeatable = !['POST', 'PATCH'].includes(method) } = routers[tag][operationId].metadata ?? {}
  const { type } = bodyOf(operation) ?? {}
  const items = itemsOf(operation)
  const members = {
    method,
    path: path.slice(root.length),
    bodyType: type,
    hasQuery: queryOf(operation).length > 0,
    acceptsIdempotencyKey: headers.includes('Idempotency-Key'),
    isRepeatable,
    status,
    // Many services return an \`id\`.
    field: required.find((field) => field !== 'id'),
    items,
    iterator: items && iteratorOf(operation),
    codes: codesOf(operation),
  }
  return `${methodOf(operation)}: ${JSON.stringify(members, (_key, value) => value || undefined)}`
}

/** Writes sdk/management-schemas.ts and sdk/management-endpoints.ts. */
export function writeManagement() {
  const names = schemaNamesOf(document, operations)
  const declared = [...new Set(operations.flatMap(codesOf))]
  const schemas = [
    header,
    ...names.sort().map((name) => declaration(name, components.schemas[name])),
    ...operations.map(queryInterface),
    `/** A message for each \`error.code\` of the management API. */
export interface ManagementErrorMessages {
${declared.map((code) => `/** ${everyProblem[code].title}. ${everyProblem[code].advice} */\n${code}: string`).join('\n')}
/** There was no response from Usher. \`cause\` has the reason. Try again later. */
no_answer: string
}\n`,
    `/** Every \`error.code\` of every operation of the management API. */
export type ManagementErrorCode = keyof ManagementErrorMessages\n`,
  ]
  const methods = operations.map(methodDeclaration).join('\n')
  const iterators = operations.flatMap(iteratorDeclaration).join('\n')
  const queries = operations.filter((each) => queryOf(each).length > 0).map(queryName)
  const used = [...names, ...queries].filter((name) => new RegExp(`\\b${name}\\b`).test(methods + iterators))
  const options = ['ChangeOptions', 'PostOptions'].filter((name) => methods.includes(name))
  const endpoints = [
    header,
    `import type { ${[...options, 'ManagementEndpoint', 'ManagementResult'].sort().join(', ')} } from './management-operation.js'`,
    `import type { ${used.sort().join(', ')} } from './management-schemas.js'`,
    "import type { CallOptions } from './send.js'\n",
    `/** Endpoints of the management API. */
export const managementEndpoints = {
${operations.map((operation) => endpointOf(operation.tags[0], operation))}
} as const satisfies Record<string, ManagementEndpoint>\n`,
    ...operations.map((operation) => {
      const name = methodOf(operation)
      return `/** Every \`error.code\` of \`${name}\`. */
export type ${capitalize(name)}ErrorCode = (typeof managementEndpoints.${name}.codes)[number] | 'no_answer'\n`
    }),
    `/** The operations of the management API as functions. */
export interface ManagementOperations {
${methods}
}\n`,
    `/** The lists of the management API, which request their pages when they are needed. */
export interface ManagementLists {
${iterators}
}\n`,
  ]
  writeFiles({ 'sdk/management-schemas.ts': schemas, 'sdk/management-endpoints.ts': endpoints })
}
