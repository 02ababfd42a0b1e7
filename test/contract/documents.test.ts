import { readFile } from 'node:fs/promises'
import { type AppRouter, isAppRoute } from '@ts-rest/core'
import { contract, type ProblemBody } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import {
  management30Document,
  managementDocument,
  openApi30Document,
  openApiDocument,
} from '@usher/contract/openapi'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { MediaTypeObject, OpenAPIObject } from 'openapi3-ts/oas31'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { version } from '../../server/version.js'
import { resolveResponse } from '../support/documented.js'
import { type DocumentedOperation, errorsOf, operationsOf } from './document-operations.js'

const ajv = new Ajv2020({ strict: false })
formats.default(ajv).addFormat('idn-email', true)

const examplesOf = ({ example, examples = {} }: MediaTypeObject) => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map((each) => 'value' in each && each.value),
]

describe.each([
  { file: 'openapi.json', api: contract, documentOf: openApiDocument, document30Of: openApi30Document },
  {
    ...{ file: 'management-openapi.json', api: managementContract },
    ...{ documentOf: managementDocument, document30Of: management30Document },
  },
])('the document $file', ({ file, api, documentOf, document30Of }) => {
  const document = documentOf('http://localhost:3000', version)
  const document30 = document30Of('http://localhost:3000', version)
  const { components } = JSON.parse(JSON.stringify(document))
  const operations = operationsOf(document)
  const routes = Object.values<AppRouter>(api).flatMap((router) => Object.entries(router))

  it('is the committed one (npm run openapi writes it)', async () => {
    const committed = await readFile(new URL(`../../contract/${file}`, import.meta.url), 'utf8')
    expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(document)))
  })

  it('is the same each time', () => {
    expect(documentOf('http://localhost:3000', version)).toEqual(document)
  })

  it('contains no schema of the global registry of zod', () => {
    const foreign = z.string().meta({ id: 'Foreign' })
    onTestFinished(() => void z.globalRegistry.remove(foreign))
    expect(documentOf('http://localhost:3000', version)).toEqual(document)
  })

  it('has no schema with the name of the constructor or the nullable type that openapi-generator writes of another one in Go', () => {
    const names = Object.keys(components.schemas)
    const written = names.flatMap((name) => [`New${name}`, `New${name}WithDefaults`, `Nullable${name}`])
    expect(names.filter((name) => written.includes(name))).toEqual([])
  })

  it('contains every route of the contract under its name', () => {
    const names = routes.map(([name]) => name)
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

  describe('examples', () => {
    /** By schema: many responses have the same one. */
    const validators = new Map<string, ValidateFunction>()
    const valid = (schema: object, value: unknown) => {
      const key = JSON.stringify(schema)
      const validate = validators.get(key) ?? ajv.compile({ components, ...schema })
      validators.set(key, validate)
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
        for (const media of Object.values(resolveResponse(response, components)?.content ?? {})) {
          for (const example of examplesOf(media)) valid(media.schema ?? {}, example)
        }
      }
    })

    it.each(operations)('contains a valid example of the body of $operationId', ({ requestBody }) => {
      for (const { schema, example } of Object.values(requestBody?.content ?? {})) valid(schema, example)
    })
  })
  describe('problem responses', () => {
    it.each(operations)('are components of the schema Problem for $operationId', (operation) => {
      for (const [status, response] of errorsOf(operation)) {
        expect(response, status).toHaveProperty('$ref')
        const schema = resolveResponse(response, components)?.content?.['application/problem+json']?.schema
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

    it.each(routes)('list and show the codes of %s by status', (name, route) => {
      const operation = operations.find(({ operationId }) => operationId === name)
      if (!operation || !isAppRoute(route)) throw new Error(`${name} is not in the document`)
      for (const [status, response] of errorsOf(operation)) {
        const { body } = route.responses[Number(status)] as unknown as { body: typeof ProblemBody }
        const documented = resolveResponse(response, components)
        expect(documented?.['x-problem-codes']).toEqual(body.shape.code.options)
        const examples = examplesOf(documented?.content?.['application/problem+json'] ?? {})
        expect(examples.map(({ code }) => code)).toEqual(body.shape.code.options)
      }
    })
  })
  describe('its clients', () => {
    const schemasOf = (part: object): Record<string, unknown>[] =>
      Object.entries(part).flatMap(([key, value]) => {
        if (typeof value !== 'object' || value === null || /^examples?$/.test(key)) return []
        return 'type' in value && typeof value.type !== 'object'
          ? [value, ...schemasOf(value)]
          : schemasOf(value)
      })

    const ofResponses = Object.entries<object>(components.schemas).filter(([name]) => !name.endsWith('Body'))
    it.each(ofResponses)('may receive more fields and codes in %s', (_name, schema) => {
      for (const each of schemasOf({ schema })) {
        if (each.type === 'object') expect(each).toMatchObject({ additionalProperties: true })
        // An enum of one value is a fixed one.
        expect(each.enum ?? ['one']).toHaveLength(1)
      }
    })

    it('get a description of every schema, property, parameter and header', () => {
      const { schemas, parameters, headers } = components
      const properties = Object.values<{ properties?: object }>(schemas).flatMap(({ properties = {} }) =>
        Object.entries(properties),
      )
      const described = [schemas, parameters, headers].flatMap((each) => Object.entries<object>(each))
      const silent = [...described, ...properties].filter(([, each]) => !each.description && !each.$ref)
      expect(silent.map(([name]) => name)).toEqual([])
    })

    it('get operations whose names are verbs, and unlike those of schemas', () => {
      const names = operations.map(({ operationId }) => operationId)
      expect(
        names.filter(
          (name) =>
            !/^(accept|add|begin|change|check|create|delete|end|enrol|finish|get|import|invite|link|list|login|open|put|read|refresh|remove|rename|request|reset|revoke|route|set|start|step|undo|unlink|unlock|update|verify)/.test(
              name,
            ),
        ),
      ).toEqual([])
      const schemas = Object.keys(components.schemas).map((name) => name.toLowerCase())
      expect(names.filter((name) => schemas.includes(name.toLowerCase()))).toEqual([])
    })
  })
  describe('in OpenAPI 3.0', () => {
    it('names its version', () => expect(document30.openapi).toBe('3.0.3'))

    it('has the same operations, responses and components', () => {
      const outline = ({ paths = {}, components = {} }: OpenAPIObject) => ({
        paths: Object.entries(paths).map(([path, item]) => [
          path,
          ...Object.values(item as Record<string, DocumentedOperation>).flatMap(
            ({ operationId, responses }) => [operationId, ...Object.keys(responses)],
          ),
        ]),
        names: Object.values(components).flatMap((each) => Object.keys(each)),
      })
      expect(outline(document30)).toEqual(outline(document))
    })
  })
})
