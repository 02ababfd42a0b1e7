import { problems } from '@usher/contract'
import { openApiDocument } from '@usher/contract/openapi'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { OperationObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31'
import { expect } from 'vitest'

const { paths = {}, components } = openApiDocument('http://localhost:3000', '0')

/** Headers of transport, CORS and security, which every answer may have; the others must be documented. */
const general =
  /^(access-control-.*|connection|content-length|content-security-policy|content-type|cross-origin-.*|date|keep-alive|origin-agent-cluster|referrer-policy|strict-transport-security|transfer-encoding|vary|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection))$/

/** What a path outside the document, or a method that it lacks, is answered with. */
const outside = ['route_not_found', 'method_not_allowed']

/** An answer as it came, by inject or over a socket. */
export interface Answer {
  statusCode: number
  headers: Record<string, string | string[] | number | undefined>
  body: string
}

/**
 * Fails unless the OpenAPI document describes the answer: its status, headers, media type and body, which a HEAD
 * is spared.
 */
export function expectDocumented(method: string, url: string, response: Answer) {
  const operation = findOperation(method, pathOf(url))
  if (!operation) {
    if (method === 'HEAD') return expect([404, 405]).toContain(response.statusCode)
    const { code } = JSON.parse(response.body)
    expect(outside).toContain(code)
    expect(response.statusCode).toBe(problems[code as keyof typeof problems].status)
    expectValid({ $ref: '#/components/schemas/Problem' }, response)
    return
  }
  const documented: ResponseObject | undefined = operation.responses?.[response.statusCode]
  if (!documented) throw new Error(`${method} ${url} answered what is not documented: ${response.body}`)
  const type = String(response.headers['content-type']).split(';', 1)[0] ?? ''
  const media = documented.content?.[type]
  if (!media?.schema) throw new Error(`${method} ${url} answered ${response.statusCode} in ${type}`)
  if (method !== 'HEAD' && type !== 'text/html') expectValid(media.schema, response)
  const names = Object.keys(documented.headers ?? {}).map((name) => name.toLowerCase())
  const undocumented = Object.keys(response.headers).filter(
    (name) => !general.test(name) && !names.includes(name),
  )
  expect(undocumented, 'undocumented headers').toEqual([])
}

/** The path that a request's target names: without query, and without the host of the absolute form (RFC 9112 §3.2.2).
 * Empty where it cannot be decoded, and so names none. */
export function pathOf(url: string) {
  const path = url.replace(/^https?:\/\/[^/]*(?=\/)/, '').split(/[?#]/, 1)[0] ?? ''
  try {
    return decodeURI(path)
  } catch {
    return ''
  }
}

function findOperation(method: string, path: string): OperationObject | undefined {
  const found = Object.entries(paths).find(([template]) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]*')}$`).test(path),
  )
  return found?.[1][(method === 'HEAD' ? 'get' : method.toLowerCase()) as 'get']
}

const ajv = new Ajv2020({ strict: false })
formats.default(ajv).addFormat('idn-email', true)
const validators = new Map<object, ValidateFunction>()

function expectValid(schema: SchemaObject | { $ref: string }, { body }: Answer) {
  const validate = validators.get(schema) ?? ajv.compile({ components, ...schema })
  validators.set(schema, validate)
  const valid = validate(JSON.parse(body))
  expect(valid, `${ajv.errorsText(validate.errors)} in ${body}`).toBe(true)
}
