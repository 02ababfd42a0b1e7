import { readFile } from 'node:fs/promises'
import { contract, ProblemCode } from '@usher/contract'
import { openApiDocument } from '@usher/contract/openapi'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { version } from '../../server/version.js'

const document = openApiDocument('http://localhost:3000', version)
const { components, paths = {} } = JSON.parse(JSON.stringify(document))
const ajv = new Ajv2020({ strict: false })
formats.default(ajv).addFormat('idn-email', true)

const operations = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, item]) => Object.values(item).map((operation) => ({ path, ...operation })),
)

interface Operation {
  operationId: string
  summary?: string
  description?: string
  security: unknown[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content: Record<string, Media> }>
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
    for (const { content } of Object.values(operation.responses)) {
      for (const { schema, examples = {} } of Object.values(content)) {
        for (const { value } of Object.values(examples)) valid(schema, value)
      }
    }
  })
})

it('mentions every problem of an operation', () => {
  const mentioned = new Set(
    operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) =>
        Object.keys(content['application/problem+json']?.examples ?? {}),
      ),
    ),
  )
  const withoutOperation = ['method_not_allowed']
  expect([...mentioned, ...withoutOperation].sort()).toEqual([...ProblemCode.options].sort())
})
