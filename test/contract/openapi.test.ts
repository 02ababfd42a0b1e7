import { readFile } from 'node:fs/promises'
import { isAppRoute } from '@ts-rest/core'
import { contract, type ProblemBody, ProblemCode } from '@usher/contract'
import { openApiDocument } from '@usher/contract/openapi'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { ReferenceObject, ResponseObject } from 'openapi3-ts/oas31'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { version } from '../../server/version.js'
import { expectDocumented, resolveResponse } from '../support/documented.js'

const document = openApiDocument('http://localhost:3000', version)
const { components, paths = {} } = JSON.parse(JSON.stringify(document))
const ajv = new Ajv2020({ strict: false })
formats.default(ajv).addFormat('idn-email', true)

const operations = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, item]) => Object.values(item).map((operation) => ({ path, ...operation })),
)
const errorsOf = ({ responses }: Operation) =>
  Object.entries(responses).filter(([status]) => !/^[123]/.test(status))

interface Operation {
  operationId: string
  summary?: string
  description?: string
  security: unknown[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, ResponseObject | ReferenceObject>
}
interface Media {
  schema: object
  examples?: Record<string, { value: unknown }>
}

it('generates the committed contract/openapi.json (npm run openapi writes it)', async () => {
  const committed = await readFile(new URL('../../contract/openapi.json', import.meta.url), 'utf8')
  expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(document)))
})

it('generates the same document each time', () => {
  expect(openApiDocument('http://localhost:3000', version)).toEqual(document)
})

it('contains no schema of the global registry of zod', () => {
  const foreign = z.string().meta({ id: 'Foreign' })
  onTestFinished(() => void z.globalRegistry.remove(foreign))
  expect(openApiDocument('http://localhost:3000', version)).toEqual(document)
})

it('contains every route of the contract under its name', () => {
  const names = Object.values(contract).flatMap((router) => Object.keys(router))
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(names.sort())
})

it.each(operations)(
  'describes $operationId with a summary, a description and several responses',
  ({ summary, description, responses }) => {
    expect(summary).toBeTruthy()
    expect(description).toBeTruthy()
    expect(Object.keys(responses).length).toBeGreaterThan(1)
  },
)

it('requires a Bearer token only for me', () => {
  const secured = operations.filter(({ security }) => security.length > 0)
  expect(secured.map(({ operationId }) => operationId)).toEqual(['me'])
})

describe('examples', () => {
  const valid = (schema: object, value: unknown) => {
    const validate = ajv.compile({ components, ...schema })
    expect(validate(value), ajv.errorsText(validate.errors)).toBe(true)
  }

  it.each(Object.entries(components.schemas as Record<string, { examples?: unknown[] }>))(
    'contains only valid examples of %s',
    (_name, schema) => {
      for (const example of schema.examples ?? []) valid(schema, example)
    },
  )

  it.each(
    Object.entries(
      components.schemas as Record<string, { properties?: Record<string, { examples?: unknown[] }> }>,
    ),
  )('contains only valid examples of the properties of %s', (_name, { properties = {} }) => {
    for (const property of Object.values(properties)) {
      for (const example of property.examples ?? []) valid(property, example)
    }
  })

  it.each(operations)('contains only valid examples of the responses of $operationId', (operation) => {
    for (const response of Object.values(operation.responses)) {
      for (const { schema = {}, examples = {} } of Object.values(resolveResponse(response)?.content ?? {})) {
        for (const example of Object.values(examples)) valid(schema, 'value' in example && example.value)
      }
    }
  })
})

describe('problem responses', () => {
  it.each(operations)('are components of the schema Problem for $operationId', (operation) => {
    for (const [status, response] of errorsOf(operation)) {
      expect(response, status).toHaveProperty('$ref')
      const schema = resolveResponse(response)?.content?.['application/problem+json']?.schema
      expect(schema).toEqual({ $ref: '#/components/schemas/Problem' })
    }
  })

  it.each(operations)('have a status for $operationId', ({ responses }) => {
    expect(Object.keys(responses).filter((status) => !/^[1-5]\d\d$/.test(status))).toEqual([])
  })

  it('have names that no schema has', () => {
    const { responses, schemas } = components
    expect(Object.keys(responses).filter((name) => name in schemas)).toEqual([])
  })

  const routes = Object.values(contract).flatMap((router) => Object.entries(router))

  it.each(routes)('list and show the codes of %s by status', (name, route) => {
    const operation = operations.find(({ operationId }) => operationId === name)
    if (!operation || !isAppRoute(route)) throw new Error(`${name} is not in the document`)
    for (const [status, response] of errorsOf(operation)) {
      const { body } = route.responses[Number(status)] as unknown as { body: typeof ProblemBody }
      const documented = resolveResponse(response)
      expect(documented?.['x-problem-codes']).toEqual(body.shape.code.options)
      const examples = documented?.content?.['application/problem+json']?.examples
      expect(Object.keys(examples ?? {})).toEqual(body.shape.code.options)
    }
  })

  it('list every code of the catalogue', () => {
    const listed = operations.flatMap((operation) =>
      errorsOf(operation).flatMap(([, response]) => resolveResponse(response)?.['x-problem-codes']),
    )
    const withoutOperation = ['method_not_allowed']
    expect([...new Set([...listed, ...withoutOperation])].sort()).toEqual([...ProblemCode.options].sort())
  })

  it('let no test accept a code of another status', () => {
    const { value } =
      components.responses.Unavailable.content['application/problem+json'].examples.unavailable
    const users = '/workspaces/demo/databases/app/users'
    const respond = (code: string) => ({
      statusCode: 409,
      headers: { 'content-type': 'application/problem+json' },
      body: JSON.stringify({ ...value, code }),
    })
    expectDocumented('POST', users, respond('email_taken'))
    expect(() => expectDocumented('POST', users, respond('unavailable'))).toThrow(/problem codes/)
  })
})
