import { readFile } from 'node:fs/promises'
import { isAppRoute } from '@ts-rest/core'
import { contract, FieldErrorCode, type ProblemBody, ProblemCode } from '@usher/contract'
import { openApi30Document, openApiDocument } from '@usher/contract/openapi'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { MediaTypeObject, OpenAPIObject, ReferenceObject, ResponseObject } from 'openapi3-ts/oas31'
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
const examplesOf = ({ example, examples = {} }: MediaTypeObject) => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map((each) => 'value' in each && each.value),
]
const errorsOf = ({ responses }: Operation) =>
  Object.entries(responses).filter(([status]) => !/^[123]/.test(status))

interface Operation {
  operationId: string
  summary?: string
  description?: string
  security: unknown[]
  parameters?: { $ref: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, ResponseObject | ReferenceObject>
}
interface Media {
  schema: object & { $ref?: string }
  example?: unknown
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

it('requires a Bearer token for operations about the current user', () => {
  const secured = operations.filter(({ security }) => security.length === 1)
  const ofMe = operations.filter(({ path }) => /\/users\/me\b/.test(path))
  expect(secured).toEqual(ofMe)
})

it('accepts a Bearer token for the verification of an address, and needs none', () => {
  const optional = operations.filter(({ security }) => security.length > 1)
  expect(optional.map(({ operationId, security }) => [operationId, security])).toEqual([
    ['verifyEmail', [{ bearer: [] }, {}]],
  ])
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
      for (const media of Object.values(resolveResponse(response)?.content ?? {})) {
        for (const example of examplesOf(media)) valid(media.schema ?? {}, example)
      }
    }
  })

  it.each(operations)('contains a valid example of the body of $operationId', ({ requestBody }) => {
    for (const { schema, example } of Object.values(requestBody?.content ?? {})) valid(schema, example)
  })

  it('has an example of every JSON body of a success', () => {
    const schemas = operations.flatMap(({ responses: { 200: ok, 201: created } }) => {
      const success = resolveResponse(ok ?? created)
      if (!success) return []
      const schema = success.content?.['application/json']?.schema
      return schema?.$ref ? schema.$ref.replace('#/components/schemas/', '') : 'inline'
    })
    expect(schemas.filter((name) => !components.schemas[name]?.examples)).toEqual([])
  })

  it('uses the address of the server, not of another', () => {
    const text = JSON.stringify(openApiDocument('https://users.example.com', version))
    expect(text).not.toContain('localhost')
    expect(text).toContain('"https://users.example.com/problems/email_taken"')
  })

  // A value would be sent again by everyone who imports the document, and the second sign-up would get 422.
  it('has none for Idempotency-Key', () => {
    expect(components.parameters.IdempotencyKey).not.toHaveProperty('example')
    expect(JSON.stringify(components.parameters.IdempotencyKey.schema)).not.toContain('example')
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
      const examples = examplesOf(documented?.content?.['application/problem+json'] ?? {})
      expect(examples.map(({ code }) => code)).toEqual(body.shape.code.options)
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
    const { example } = components.responses.Unavailable.content['application/problem+json']
    const users = '/workspaces/demo/databases/app/users'
    const respond = (code: string) => ({
      statusCode: 409,
      headers: { 'content-type': 'application/problem+json' },
      body: JSON.stringify({ ...example, code }),
    })
    expectDocumented('POST', users, respond('email_taken'))
    expect(() => expectDocumented('POST', users, respond('unavailable'))).toThrow(/problem codes/)
  })
})

describe('clients of the document', () => {
  const schemasOf = (part: object): Record<string, unknown>[] =>
    Object.entries(part).flatMap(([key, value]) => {
      if (typeof value !== 'object' || value === null || /^examples?$/.test(key)) return []
      return 'type' in value && typeof value.type !== 'object'
        ? [value, ...schemasOf(value)]
        : schemasOf(value)
    })
  const { CreateUserBody, LoginBody } = components.schemas
  const ofResponses = Object.entries<object>(components.schemas).filter(([name]) => !name.endsWith('Body'))

  it.each(ofResponses)('may receive more fields and codes in %s', (_name, schema) => {
    for (const each of schemasOf({ schema })) {
      if (each.type === 'object') expect(each).toMatchObject({ additionalProperties: true })
      // An enum of one value is a fixed one.
      expect(each.enum ?? ['one']).toHaveLength(1)
    }
  })

  it('get the known codes as x-extensible-enum', () => {
    expect(components.schemas.ProblemCode['x-extensible-enum']).toEqual(ProblemCode.options)
    expect(components.schemas.FieldErrorCode['x-extensible-enum']).toEqual(FieldErrorCode.options)
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

  it('get parameters as components, and paths of one schema', () => {
    const parameters = operations.flatMap((operation) => operation.parameters ?? [])
    for (const parameter of parameters) expect(parameter.$ref).toMatch(/^#\/components\/parameters\//)
    const schema = { $ref: '#/components/schemas/PathName' }
    expect(components.parameters).toMatchObject({ WorkspaceSlug: { schema }, DatabaseName: { schema } })
  })

  it('get operations whose names are verbs, and unlike those of schemas', () => {
    const names = operations.map(({ operationId }) => operationId)
    expect(
      names.filter(
        (name) =>
          !/^(change|create|delete|end|get|list|login|open|refresh|request|reset|update|verify)/.test(name),
      ),
    ).toEqual([])
    const schemas = Object.keys(components.schemas).map((name) => name.toLowerCase())
    expect(names.filter((name) => schemas.includes(name.toLowerCase()))).toEqual([])
  })

  it('get formats of numbers and passwords, and the limit of new passwords', () => {
    const { AccessToken, Problem } = components.schemas
    expect(AccessToken.properties.maxAge).toMatchObject({ type: 'integer', format: 'int32' })
    expect(Problem.properties.status).toMatchObject({ type: 'integer', format: 'int32' })
    expect(components.headers['Retry-After'].schema).toMatchObject({ type: 'integer', format: 'int32' })
    expect(CreateUserBody.properties.password).toMatchObject({ format: 'password', maxLength: 256 })
    // Longer than any policy allows: the response is 401, not 400. A body has at most 16 KiB.
    expect(LoginBody.properties.password).toMatchObject({ format: 'password', maxLength: 16384 })
  })

  it('get fixed values as an enum, since orval writes no valid code for an object of constants', () => {
    expect(JSON.stringify(document).includes('"const":')).toBe(false)
    const { AccessToken, Health, PublicKey, RefreshToken } = components.schemas
    expect(Health.properties.status).toMatchObject({ type: 'string', enum: ['ok'] })
    expect(AccessToken.properties.type.enum).toEqual(['ACCESS_TOKEN'])
    expect(RefreshToken.properties.type.enum).toEqual(['REFRESH_TOKEN'])
    expect(PublicKey.properties.use.enum).toEqual(['sig'])
  })

  it('get links that say what their target takes, without a request body, which some generators reject', () => {
    const links: [string, { operationId: string }][] = Object.entries(components.links)
    expect(links.length).toBeGreaterThan(0)
    for (const [name, link] of links) {
      const target = operations.find(({ operationId }) => operationId === link.operationId)
      const { $ref = '' } = target?.requestBody?.content['application/json']?.schema ?? {}
      const body = components.schemas[$ref.split('/').at(-1) ?? '']
      const taken = target?.security.length === 1 ? ['jwt'] : Object.keys(body.properties)
      const said = ['jwt', 'refreshToken', 'code'].filter((each) =>
        JSON.stringify(link).match(new RegExp(`[.\`]${each}\``)),
      )
      expect(said, name).toHaveLength(1)
      expect(taken, name).toContain(said[0])
      expect(link, name).not.toHaveProperty('requestBody')
    }
  })

  it('get a link from each response with an access token to the current user', () => {
    const target = components.links.GetMe
    expect(operations.map(({ operationId }) => operationId)).toContain(target.operationId)
    const linked = operations.filter(({ responses: { 200: ok, 201: created } }) =>
      JSON.stringify([ok, created]).includes('"#/components/links/GetMe"'),
    )
    expect(linked.map(({ operationId }) => operationId)).toEqual([
      'createUser',
      'login',
      'openSession',
      'refreshSession',
      'changePassword',
      'resetPassword',
    ])
  })

  it('get a server with a concrete address', () => {
    expect(document.servers?.map(({ url }) => url)).toEqual(['http://localhost:3000'])
  })

  it('download less than 3 KiB per operation', () => {
    for (const each of [document, openApi30Document('http://localhost:3000', version)]) {
      expect(Buffer.byteLength(JSON.stringify(each)) / operations.length).toBeLessThan(3 * 1024)
    }
  })
})

describe('the document in OpenAPI 3.0', () => {
  const document30 = openApi30Document('http://localhost:3000', version)

  it('names its version', () => expect(document30.openapi).toBe('3.0.3'))

  it('has the same operations, responses and components', () => {
    const outline = ({ paths = {}, components = {} }: OpenAPIObject) => ({
      paths: Object.entries(paths).map(([path, item]) => [
        path,
        ...Object.values(item as Record<string, Operation>).flatMap(({ operationId, responses }) => [
          operationId,
          ...Object.keys(responses),
        ]),
      ]),
      names: Object.values(components).flatMap((each) => Object.keys(each)),
    })
    expect(outline(document30)).toEqual(outline(document))
  })

  it('uses the words of its version', () => {
    const { schemas } = document30.components as {
      schemas: Record<string, { properties: Record<string, object> }>
    }
    expect(schemas.User?.properties.preferredName).toMatchObject({
      type: 'string',
      nullable: true,
      example: 'Ada',
    })
    expect(schemas.Health?.properties.status).toMatchObject({ enum: ['ok'] })
  })
})
