import { type ProblemCode, problems } from '@usher/contract'
import { managementDocument, openApiDocument } from '@usher/contract/openapi'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type {
  ComponentsObject,
  OpenAPIObject,
  OperationObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31'
import { expect } from 'vitest'

const documents = [openApiDocument, managementDocument].map((document) =>
  closed(document('http://localhost:3000', '0')),
)

/** Returns a document whose objects have only the fields that it names. Clients ignore others, but none should be sent. */
function closed(document: OpenAPIObject): OpenAPIObject {
  return JSON.parse(JSON.stringify(document), (name, value) =>
    value?.properties && (value.additionalProperties ?? true) === true && name !== 'OpenApiDocument'
      ? { ...value, additionalProperties: false }
      : value,
  )
}

/** Headers of transport, CORS and security, which need no documentation per operation. */
const commonHeaders =
  /^(access-control-.*|connection|content-encoding|content-length|content-security-policy|content-type|cross-origin-.*|date|etag|keep-alive|origin-agent-cluster|referrer-policy|strict-transport-security|transfer-encoding|vary|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection))$/

/** Codes for paths and methods that are not in the document. */
const unknownRouteCodes = ['route_not_found', 'method_not_allowed']

/** A response of inject or of a socket. */
export interface RawResponse {
  statusCode: number
  headers: Record<string, string | string[] | number | undefined>
  body: string
}

/**
 * Fails unless the OpenAPI document describes status, headers, media type, body and problem code of the response. A
 * response to HEAD needs no body.
 */
export function expectDocumented(method: string, url: string, response: RawResponse) {
  const { operation, components } = findOperation(method, pathOf(url))
  // A path with percent-encoded words is no path of the document.
  const isEncoded = url.includes('%') && response.body.includes('"code":"route_not_found"')
  if (!operation || isEncoded) {
    if (method === 'HEAD') return expect([404, 405]).toContain(response.statusCode)
    const { code } = JSON.parse(response.body)
    expect(unknownRouteCodes).toContain(code)
    expect(response.statusCode).toBe(problems[code as ProblemCode].status)
    expectValid(components, { $ref: '#/components/schemas/Problem' }, response)
    return
  }
  const documented = resolveResponse(operation.responses?.[response.statusCode], components)
  if (!documented) throw new Error(`${method} ${url} returned an undocumented response: ${response.body}`)
  if (!documented.content) expect(response.body).toBe('')
  const type = String(response.headers['content-type']).split(';', 1)[0] ?? ''
  const media = documented.content?.[type]
  if (documented.content && !media?.schema)
    throw new Error(`${method} ${url} returned ${response.statusCode} with the undocumented type ${type}`)
  if (media?.schema && method !== 'HEAD' && type !== 'text/html') {
    expectValid(components, media.schema, response)
    const codes = documented['x-problem-codes']
    if (codes) expect(codes, 'problem codes of the response').toContain(JSON.parse(response.body).code)
  }
  const names = Object.keys(documented.headers ?? {}).map((name) => name.toLowerCase())
  // The description of the document states both for all operations.
  names.push('x-request-id')
  if (response.statusCode >= 400 && response.headers['cache-control'] === 'no-store')
    names.push('cache-control')
  const undocumented = Object.keys(response.headers).filter(
    (name) => !commonHeaders.test(name) && !names.includes(name),
  )
  expect(undocumented, 'undocumented headers').toEqual([])
}

/** Returns the response, which may be a reference to a component. */
export const resolveResponse = (
  response: ResponseObject | ReferenceObject | undefined,
  components: ComponentsObject = documents[0]?.components ?? {},
): ResponseObject | undefined =>
  response && '$ref' in response
    ? resolveResponse(
        components.responses?.[response.$ref.replace('#/components/responses/', '')],
        components,
      )
    : response

/** Returns the decoded path of a request target, which may have the absolute form (RFC 9112 §3.2.2), or an empty string
 * if it cannot be decoded. */
export function pathOf(url: string) {
  const path = url.replace(/^https?:\/\/[^/]*(?=\/)/, '').split(/[?#]/, 1)[0] ?? ''
  try {
    return decodeURI(path)
  } catch {
    return ''
  }
}

/** The operations of both documents by the pattern of their path. */
const operations = documents.flatMap(({ paths = {}, components = {} }) =>
  Object.entries(paths)
    // The one with the fewest parameters, as OpenAPI says: `/users/import` is not `/users/{userId}`.
    .sort(([one], [other]) => one.split('{').length - other.split('{').length)
    .map(([template, item]) => ({
      pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]*')}$`),
      item,
      components,
    })),
)

/** Returns the operation of a document, or nothing but the components of the first one. */
function findOperation(
  method: string,
  path: string,
): { operation?: OperationObject | undefined; components: ComponentsObject } {
  const found = operations.find(({ pattern }) => pattern.test(path))
  if (!found) return { components: documents[0]?.components ?? {} }
  const operation = found.item[(method === 'HEAD' ? 'get' : method.toLowerCase()) as 'get']
  return { operation, components: found.components }
}

const ajv = new Ajv2020({ strict: false })
formats.default(ajv).addFormat('idn-email', true)
// Each component is compiled once, not for each schema that refers to it.
for (const [index, { components }] of documents.entries()) ajv.addSchema({ components }, `document-${index}`)
const validators = new Map<object, ValidateFunction>()

function expectValid(
  components: ComponentsObject,
  schema: SchemaObject | { $ref: string },
  { body }: RawResponse,
) {
  const validate = validators.get(schema) ?? compile(components, schema)
  validators.set(schema, validate)
  const valid = validate(JSON.parse(body))
  expect(valid, `${ajv.errorsText(validate.errors)} in ${body}`).toBe(true)
}

/** Compiles a schema that refers to components of its document. */
function compile(components: ComponentsObject, schema: object) {
  const index = documents.findIndex((document) => document.components === components)
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"document-${index}#/`)))
}
