import { problems } from '@usher/contract'
import { openApiDocument } from '@usher/contract/openapi'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Response } from 'light-my-request'
import type { OperationObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31'
import { expect } from 'vitest'

const { paths = {}, components } = openApiDocument('http://localhost:3000', '0')

/** Headers of transport, CORS and security, which every answer may have; the others must be documented. */
const general =
  /^(access-control-.*|connection|content-length|content-security-policy|content-type|cross-origin-.*|date|keep-alive|origin-agent-cluster|referrer-policy|strict-transport-security|transfer-encoding|vary|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection))$/

/** What a path outside the document, or a method that it lacks, is answered with. */
const outside = ['route_not_found', 'method_not_allowed', 'payload_too_large']

/** Fails unless the OpenAPI document describes the answer: its status, headers, media type and body. */
export function expectDocumented(method: string, url: string, response: Response) {
  const operation = findOperation(method, url.split('?', 1)[0] ?? '')
  if (!operation) {
    const { code } = response.json()
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
  if (type !== 'text/html') expectValid(media.schema, response)
  const names = Object.keys(documented.headers ?? {}).map((name) => name.toLowerCase())
  const undocumented = Object.keys(response.headers).filter(
    (name) => !general.test(name) && !names.includes(name),
  )
  expect(undocumented, 'undocumented headers').toEqual([])
}

function findOperation(method: string, path: string): OperationObject | undefined {
  const found = Object.entries(paths).find(([template]) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  return found?.[1][(method === 'HEAD' ? 'get' : method.toLowerCase()) as 'get']
}

const ajv = new Ajv2020({ strict: false })
formats.default(ajv).addFormat('idn-email', true)
const validators = new Map<object, ValidateFunction>()

function expectValid(schema: SchemaObject | { $ref: string }, response: Response) {
  const validate = validators.get(schema) ?? ajv.compile({ components, ...schema })
  validators.set(schema, validate)
  const valid = validate(response.json())
  expect(valid, `${ajv.errorsText(validate.errors)} in ${response.body}`).toBe(true)
}
