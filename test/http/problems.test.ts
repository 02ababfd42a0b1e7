import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core'
import { contract, databasePath, problems } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import { operatorContract } from '@usher/contract/operator'
import { describe, expect } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { password, startApp, validUser } from '../support/app.js'

const it = apiTest.extend(
  'post',
  ({ usher, database }) =>
    (payload: string | Buffer, headers: Record<string, string> = {}) =>
      usher.send({ method: 'POST', url: database.users, payload, headers }),
)

const routesOf = (api: AppRouter): AppRoute[] =>
  Object.values(api).flatMap((each) => (isAppRoute(each) ? [each] : routesOf(each)))

describe('problem details', () => {
  it('returns RFC 9457 problem details with a code and the request id', async ({ usher }) => {
    const headers = { 'x-request-id': 'my.request-1' }
    const response = await usher.send({ method: 'GET', url: '/nowhere?secret=1', headers })
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(response.headers['x-request-id']).toBe('my.request-1')
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.json()).toEqual({
      type: 'http://localhost:3000/problems/route_not_found',
      title: problems.route_not_found.title,
      status: 404,
      detail: 'Route not found.',
      instance: '/nowhere',
      code: 'route_not_found',
      requestId: 'my.request-1',
    })
  })

  it.for([undefined, 'has spaces in it', 'x'.repeat(129), 'line\tbreak'])(
    'generates a request id when the X-Request-Id of the caller is %j',
    async (id, { usher }) => {
      const response = await usher.send({
        method: 'GET',
        url: '/healthz',
        headers: id === undefined ? {} : { 'x-request-id': id },
      })
      expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    },
  )
})

describe('request bodies', () => {
  it.for([
    ['truncated', '{"email":'],
    ['not JSON', 'email=ada@example.com'],
    ['empty', ''],
    ['two documents', '{} {}'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ] as const)('returns malformed_json for a body that is %s', async ([, payload], { post }) => {
    const response = await post(payload, { 'content-type': 'application/json' })
    expect(response.statusCode).toBe(400)
    expect(response.json().code).toBe('malformed_json')
  })

  it.for([
    ['POST', 'me/session', 201],
    ['POST', 'me/email-verification', 202],
    ['DELETE', 'me/sessions', 204],
  ] as const)(
    'accepts an empty body with a content type for %s %s, which needs none',
    async ([method, path, status], { usher, database }) => {
      const { token } = await database.signedUp()
      const send = async (payload: string) => {
        const headers = { authorization: `Bearer ${token.jwt}`, 'content-type': 'application/json' }
        const response = await usher.send({ method, url: `${database.users}/${path}`, headers, payload })
        return response.statusCode
      }
      expect(await send('{')).toBe(400)
      expect(await send('')).toBe(status)
    },
  )

  it.for([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/vnd.usher+json',
    'application/x-www-form-urlencoded',
  ])('reads a body of type %s as JSON', async (type, { post }) => {
    const response = await post(JSON.stringify(validUser()), { 'content-type': type })
    expect(response.statusCode).toBe(201)
  })

  it('reads a body without a content type as JSON', async ({ post }) => {
    const response = await post(Buffer.from(JSON.stringify(validUser())))
    expect(response.statusCode).toBe(201)
  })

  it.for([
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'nonsense',
  ])('returns 415 for a body of type %s', async (type, { post }) => {
    const response = await post(JSON.stringify(validUser()), { 'content-type': type })
    expect(response.statusCode).toBe(415)
    expect(response.json().code).toBe('unsupported_media_type')
  })

  it.for(['gzip', 'identity, br', 'x'])(
    'returns 415 with Accept-Encoding for a body with Content-Encoding: %s',
    async (coding, { post }) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': coding }
      const response = await post(JSON.stringify(validUser()), headers)
      expect(response.statusCode).toBe(415)
      expect(response.json()).toMatchObject({
        code: 'unsupported_media_type',
        detail: 'Send the body without Content-Encoding.',
      })
      expect(response.headers['accept-encoding']).toBe('identity')
    },
  )

  it('accepts Content-Encoding: identity', async ({ post }) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'Identity' }
    expect((await post(JSON.stringify(validUser()), headers)).statusCode).toBe(201)
  })

  it('sends no Accept-Encoding with a 415 for another media type (RFC 9110 §12.5.3)', async ({ post }) => {
    const response = await post('x', { 'content-type': 'text/plain' })
    expect(response.headers).not.toHaveProperty('accept-encoding')
  })

  it('accepts a body of 16 KiB and returns 413 for a larger one', async ({ post }) => {
    const body = JSON.stringify(validUser({ padding: '' }))
    const fill = (bytes: number) =>
      body.replace('"padding":""', `"padding":"${'x'.repeat(bytes - body.length)}"`)
    const headers = { 'content-type': 'application/json' }
    expect((await post(fill(16 * 1024), headers)).statusCode).toBe(201)
    const response = await post(fill(16 * 1024 + 1), headers)
    expect(response.statusCode).toBe(413)
    expect(response.json().code).toBe('payload_too_large')
  })

  it('ignores __proto__ in a body', async ({ post }) => {
    const payload = `{"email":"proto@example.com","password":"${password}","__proto__":{"newTenant":"X"}}`
    const response = await post(payload, { 'content-type': 'application/json' })
    expect(response.statusCode).toBe(201)
    expect(response.json().tenants).toEqual([])
  })
})

describe('paths and methods', () => {
  it.for(['GET', 'PUT', 'DELETE', 'HEAD'] as const)(
    'returns 405 with Allow for %s on a path without that method',
    async (method, { usher, database }) => {
      const response = await usher.inject({ method, url: database.users })
      expect(response.statusCode).toBe(405)
      expect(response.headers.allow).toBe('OPTIONS, POST')
      if (method !== 'HEAD') expect(response.json().code).toBe('method_not_allowed')
    },
  )

  it('returns 405 regardless of the body', async ({ usher, database }) => {
    const response = await usher.send({
      method: 'PUT',
      url: database.users,
      payload: 'x',
      headers: { 'content-type': 'text/plain' },
    })
    expect(response.statusCode).toBe(405)
  })

  it.for(METHODS.filter((method) => !['CONNECT', 'GET', 'HEAD', 'OPTIONS'].includes(method)))(
    'returns 405 with Allow for %s on a path that has GET, and 404 on an unknown path',
    async (method, { usher, database }) => {
      const keySet = database.users.replace('users', '.well-known/jwks.json')
      const known = await usher.inject({ method: method as 'PUT', url: keySet })
      expect([known.statusCode, known.json().code]).toEqual([405, 'method_not_allowed'])
      expect(known.headers.allow).toBe('GET, HEAD, OPTIONS')
      const unknown = await usher.inject({ method: method as 'PUT', url: `${database.users}/nowhere` })
      expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'route_not_found'])
    },
  )

  it('returns 405 with Allow for each method that a path of the contracts lacks', async ({ store }) => {
    const usher = await startApp(store, { CONSOLE: 'on' })
    const { users } = await usher.newDatabase()
    const methods = new Map<string, Set<string>>()
    for (const { method, path } of [contract, managementContract, operatorContract].flatMap(routesOf))
      methods.set(path, (methods.get(path) ?? new Set(['OPTIONS'])).add(method))
    const [found, expected]: [object[], object[]] = [[], []]
    for (const [path, own] of methods) {
      if (own.has('GET')) own.add('HEAD')
      const url = path.replace(databasePath, users.replace('/users', '')).replace(/:\w+/g, randomUUID())
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        if (own.has(method)) continue
        const { statusCode, headers } = await usher.inject({ method, url })
        found.push({ method, path, statusCode, allow: headers.allow })
        expected.push({ method, path, statusCode: 405, allow: [...own].sort().join(', ') })
      }
    }
    await usher.close()
    expect(found).toEqual(expected)
  })

  it('logs the pattern of a path that does not have the method', async ({ usher, database }) => {
    usher.forgetLog()
    await usher.inject({ method: 'PUT', url: database.users })
    await usher.inject({ method: 'OPTIONS', url: database.users })
    const lines = usher.logged().trim().split('\n')
    const answered = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'answered')
    const route = '/workspaces/:workspaceSlug/databases/:databaseName/users'
    expect(answered.map((line) => [line.status, line.route, line.path])).toEqual([
      [405, route, undefined],
      [204, route, undefined],
    ])
  })

  it('lists the methods of a path in Allow for OPTIONS', async ({ usher, database }) => {
    const options = (url: string) => usher.inject({ method: 'OPTIONS', url })
    const signUp = await options(database.users)
    expect([signUp.statusCode, signUp.headers.allow, signUp.body]).toEqual([204, 'OPTIONS, POST', ''])
    expect((await options(`${database.users}/me`)).headers.allow).toBe('GET, HEAD, OPTIONS, PATCH')
    for (const url of ['/readyz', '/healthz', '/problems/email_taken', '/docs', '/docs']) {
      const response = await options(url)
      expect([url, response.statusCode, response.headers.allow]).toEqual([url, 204, 'GET, HEAD, OPTIONS'])
    }
  })

  it('returns 404 for OPTIONS on an unknown path', async ({ usher, database }) => {
    const response = await usher.inject({ method: 'OPTIONS', url: `${database.users}/nowhere` })
    expect([response.statusCode, response.json().code]).toEqual([404, 'route_not_found'])
    expect(response.headers).not.toHaveProperty('allow')
  })

  it('lists HEAD next to GET in Allow', async ({ usher, database }) => {
    const response = await usher.send({ method: 'DELETE', url: `${database.users}/me` })
    expect(response.headers.allow).toBe('GET, HEAD, OPTIONS, PATCH')
  })

  it.for(['/', '/workspaces', '/workspaces/demo/databases', '/%', '/workspaces/%zz/databases/a/users'])(
    'returns 404 for %s, a path outside the API',
    async (url, { usher }) => {
      const response = await usher.send({ method: 'GET', url })
      expect(response.statusCode).toBe(404)
      expect(response.json().code).toBe('route_not_found')
    },
  )
})

it('returns 404 for a path outside the API regardless of the body', async ({ usher }) => {
  for (const payload of ['{', 'x'.repeat(20_000)]) {
    const headers = { 'content-type': 'text/plain' }
    const response = await usher.send({ method: 'POST', url: '/nowhere', payload, headers })
    expect(response.json().code).toBe('route_not_found')
  }
})

describe('internal errors', () => {
  it('returns 500 without the message of an internal error, and logs it', async ({ usher, database }) => {
    const { findDatabase } = usher.context
    usher.context.findDatabase = () => Promise.reject(new Error('SELECT secret FROM inner_workings'))
    const response = await database.createUser(validUser())
    usher.context.findDatabase = findDatabase
    expect(response.statusCode).toBe(500)
    expect(response.json().code).toBe('internal_error')
    expect(response.body).not.toContain('inner_workings')
    expect(usher.logged()).toContain('inner_workings')
  })
})

describe('cross-origin requests', () => {
  it('allows requests from every origin, but without credentials', async ({ usher }) => {
    const response = await usher.send({
      method: 'GET',
      url: '/healthz',
      headers: { origin: 'https://app.example.com' },
    })
    expect(response.headers['access-control-allow-origin']).toBe('*')
    expect(response.headers).not.toHaveProperty('access-control-allow-credentials')
    expect(response.headers['access-control-expose-headers']).toBe(
      'X-Request-Id, Retry-After, WWW-Authenticate',
    )
  })

  it('returns the allowed methods and headers to a preflight request', async ({ usher, database }) => {
    const response = await usher.inject({
      method: 'OPTIONS',
      url: database.users,
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
    })
    expect(response.statusCode).toBe(204)
    expect(response.headers['access-control-allow-methods']).toBe('GET, POST, PUT, PATCH, DELETE')
    expect(response.headers['access-control-allow-headers']).toContain('Authorization')
  })

  it('allows only the origins in CORS_ORIGINS when it is set', async ({ usher }) => {
    const listed = await startApp(usher.store, {
      CORS_ORIGINS: 'https://app.example.com, https://b.example.com',
    })
    const allowed = async (origin: string) =>
      (await listed.inject({ url: '/healthz', headers: { origin } })).headers['access-control-allow-origin']
    expect(await allowed('https://app.example.com')).toBe('https://app.example.com')
    expect(await allowed('https://evil.example.com')).toBeUndefined()
    await listed.close()
  })
})

it('sends security headers even with a 404 response', async ({ usher }) => {
  const { headers } = await usher.send({ method: 'GET', url: '/nowhere' })
  expect(headers).toMatchObject({
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
})

it('logs no password, token, email or Authorization header', async ({ usher, database, post }) => {
  const secret = 'a very secret phrase'
  const { token } = await database.signedUp({ email: 'log@example.com', password: secret })
  await database.login({ email: 'log@example.com', password: `${secret}!` })
  await database.me(token.jwt)
  await database.me(`${token.jwt}x`)
  await post(`{"password":"${secret}"`, {
    'content-type': 'application/json',
    authorization: 'Bearer abcdefg',
  })
  const log = usher.logged()
  expect(log).toContain('answered')
  for (const word of [secret, token.jwt.slice(0, 40), 'abcdefg', 'log@example.com'])
    expect(log).not.toContain(word)
})
