import type { AppRoute, AppRouter } from '@ts-rest/core'
import { contract, FieldErrorCode, ProblemCode } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import { openApi30Document, openApiDocument } from '@usher/contract/openapi'
import { operatorContract } from '@usher/contract/operator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { version } from '../../server/version.js'
import { expectDocumented, resolveResponse } from '../support/documented.js'
import { operationsOf } from './document-operations.js'

const document = openApiDocument('http://localhost:3000', version)
const { components } = JSON.parse(JSON.stringify(document))
const operations = operationsOf(document)
const ajv = new Ajv2020({ strict: false })
formats.default(ajv).addFormat('idn-email', true)

/** Returns the codes of all problems of a contract. */
const codesOf = (routers: AppRouter): string[] =>
  Object.values(routers)
    .flatMap((routes) => Object.values(routes) as AppRoute[])
    .flatMap(
      ({ responses }) =>
        Object.values(responses) as { body?: { shape?: { code?: { options?: string[] } } } }[],
    )
    .flatMap(({ body }) => body?.shape?.code?.options ?? [])

it('requires a Bearer token for operations about the current user, tenants and invitations', () => {
  const secured = operations.filter(({ security }) => security.length === 1)
  // The challenge of a login, or the code of an invitation, can take the place of the token.
  const others = ['enrolTotp', 'addTotp', 'enrolPasskey', 'addPasskey', 'readInvitation']
  const ofMe = operations.filter(
    ({ path, operationId }) =>
      /\/users\/me\b|\/(tenants|invitations)\b/.test(path) && !others.includes(operationId),
  )
  expect(secured).toEqual(ofMe)
})

it('accepts a Bearer token for the verification of an address and the end of an enrolment, and needs none', () => {
  const optional = operations.filter(({ security }) => security.length > 1)
  expect(optional.map(({ operationId, security }) => [operationId, security])).toEqual([
    ['enrolTotp', [{ bearer: [] }, {}]],
    ['addTotp', [{ bearer: [] }, {}]],
    ['enrolPasskey', [{ bearer: [] }, {}]],
    ['addPasskey', [{ bearer: [] }, {}]],
    ['verifyEmail', [{ bearer: [] }, {}]],
  ])
})

describe('examples', () => {
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
  it('list every code of the catalogue', () => {
    // A path without the method has no operation, and only a command deletes a workspace.
    const others = ['method_not_allowed', 'workspace_not_empty']
    const listed = [contract, managementContract, operatorContract].flatMap(codesOf)
    expect([...new Set([...listed, ...others])].sort()).toEqual([...ProblemCode.options].sort())
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
  const { CreateUserBody, LoginBody } = components.schemas

  it('get the known codes as x-extensible-enum', () => {
    const used = new Set([...codesOf(contract), 'method_not_allowed'])
    const known = components.schemas.ProblemCode['x-extensible-enum']
    expect(known).toEqual(ProblemCode.options.filter((code) => used.has(code)))
    expect(components.schemas.FieldErrorCode['x-extensible-enum']).toEqual(FieldErrorCode.options)
  })

  it('get parameters as components, and paths of one schema', () => {
    const parameters = operations.flatMap((operation) => operation.parameters ?? [])
    for (const parameter of parameters) expect(parameter.$ref).toMatch(/^#\/components\/parameters\//)
    const schema = { $ref: '#/components/schemas/PathName' }
    expect(components.parameters).toMatchObject({ WorkspaceSlug: { schema }, DatabaseName: { schema } })
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
      const said = ['jwt', 'refreshToken', 'code', 'connection', 'state'].filter((each) =>
        JSON.stringify(link).match(new RegExp(`[.\`]${each}\``)),
      )
      if (/same Bearer token/.test(JSON.stringify(link))) expect([taken, said], name).toEqual([['jwt'], []])
      else {
        expect(said, name).toHaveLength(1)
        expect(taken, name).toContain(said[0])
      }
      expect(link, name).not.toHaveProperty('requestBody')
    }
  })

  it('get links with every parameter of the path, of the request or of what it has created', () => {
    const links = operations.flatMap(({ path, responses: { 200: ok, 201: created, 202: accepted } }) => {
      const response = resolveResponse(ok ?? created ?? accepted)
      return Object.values(response?.links ?? {}).map((link) => ({
        path,
        name: String(link.$ref).replace('#/components/links/', ''),
      }))
    })
    expect(links.length).toBeGreaterThan(10)
    for (const { path, name } of links) {
      const { operationId, parameters } = components.links[name]
      const target = operations.find((each) => each.operationId === operationId)
      const names = [...(target?.path.matchAll(/\{(\w+)\}/g) ?? [])].map(([, parameter = '']) => parameter)
      const values = names.map((each) =>
        path.includes(`{${each}}`) ? `$request.path.${each}` : '$response.body#/id',
      )
      expect(parameters, name).toEqual(Object.fromEntries(names.map((each, index) => [each, values[index]])))
    }
  })

  it('say to send the same Bearer token after a tenant was created, because the response has none', () => {
    for (const name of ['GetTenant', 'ListMembers'])
      expect(components.links[name].description).toBe('Send the same Bearer token.')
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
      'finishLogin',
      'addTenantProof',
      'loginWithIdToken',
      'openSession',
      'refreshSession',
      'changePassword',
      'unlinkIdentity',
      'verifySecondFactor',
      'addTotp',
      'removeFactor',
      'setSecondFactor',
      'loginWithPasskey',
      'addPasskey',
      'resetPassword',
    ])
  })

  it('get a server with a concrete address', () => {
    expect(document.servers?.map(({ url }) => url)).toEqual(['http://localhost:3000'])
  })

  it('download less than 3.5 KiB per operation', () => {
    for (const each of [document, openApi30Document('http://localhost:3000', version)]) {
      expect(Buffer.byteLength(JSON.stringify(each)) / operations.length).toBeLessThan(3.5 * 1024)
    }
  })
})

describe('the document in OpenAPI 3.0', () => {
  const document30 = openApi30Document('http://localhost:3000', version)

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
