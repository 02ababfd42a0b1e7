import { problems } from '@usher/contract'
import { describe, expect } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { password, startApp, validUser } from '../support/app.js'

const it = apiTest.extend(
  'post',
  ({ usher, database }) =>
    (payload: string | Buffer, headers: Record<string, string> = {}) =>
      usher.send({ method: 'POST', url: database.users, payload, headers }),
)

describe('a problem', () => {
  it('is RFC 9457 problem details with a code and the id of the request', async ({ usher }) => {
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
    'makes an id where the caller gave none that is fit for a log: %j',
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

describe('a body', () => {
  it.for([
    ['cut short', '{"email":'],
    ['not JSON at all', 'email=ada@example.com'],
    ['empty', ''],
    ['two documents', '{} {}'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ] as const)('that is %s is malformed_json', async ([, payload], { post }) => {
    const response = await post(payload, { 'content-type': 'application/json' })
    expect(response.statusCode).toBe(400)
    expect(response.json().code).toBe('malformed_json')
  })

  it.for([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/vnd.usher+json',
    'application/x-www-form-urlencoded',
  ])('is read as JSON under %s', async (type, { post }) => {
    const response = await post(JSON.stringify(validUser()), { 'content-type': type })
    expect(response.statusCode).toBe(201)
  })

  it('is read as JSON without a type', async ({ post }) => {
    const response = await post(Buffer.from(JSON.stringify(validUser())))
    expect(response.statusCode).toBe(201)
  })

  it.for([
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'nonsense',
  ])('under %s is refused with 415', async (type, { post }) => {
    const response = await post(JSON.stringify(validUser()), { 'content-type': type })
    expect(response.statusCode).toBe(415)
    expect(response.json().code).toBe('unsupported_media_type')
  })

  it('may have 16 KiB and no more', async ({ post }) => {
    const body = JSON.stringify(validUser({ padding: '' }))
    const fill = (bytes: number) =>
      body.replace('"padding":""', `"padding":"${'x'.repeat(bytes - body.length)}"`)
    const headers = { 'content-type': 'application/json' }
    expect((await post(fill(16 * 1024), headers)).statusCode).toBe(201)
    const response = await post(fill(16 * 1024 + 1), headers)
    expect(response.statusCode).toBe(413)
    expect(response.json().code).toBe('payload_too_large')
  })

  it('does not reach the prototype of anything', async ({ post }) => {
    const payload = `{"email":"proto@example.com","password":"${password}","__proto__":{"newTenant":"X"}}`
    const response = await post(payload, { 'content-type': 'application/json' })
    expect(response.statusCode).toBe(201)
    expect(response.json().tenants).toEqual([])
  })
})

describe('a path', () => {
  it.for(['GET', 'PUT', 'DELETE', 'HEAD'] as const)(
    'that lacks the method %s answers 405 with Allow',
    async (method, { usher, database }) => {
      const response = await usher.inject({ method, url: database.users })
      expect(response.statusCode).toBe(405)
      expect(response.headers.allow).toBe('POST')
      if (method !== 'HEAD') expect(response.json().code).toBe('method_not_allowed')
    },
  )

  it('answers 405 whatever the body is', async ({ usher, database }) => {
    const response = await usher.send({
      method: 'PUT',
      url: database.users,
      payload: 'x',
      headers: { 'content-type': 'text/plain' },
    })
    expect(response.statusCode).toBe(405)
  })

  it('of a GET allows HEAD too', async ({ usher, database }) => {
    const response = await usher.send({ method: 'DELETE', url: `${database.users}/me` })
    expect(response.headers.allow).toBe('GET, HEAD')
  })

  it.for(['/', '/workspaces', '/workspaces/demo/databases', '/%', '/workspaces/%zz/databases/a/users'])(
    'outside the API answers 404: %s',
    async (url, { usher }) => {
      const response = await usher.send({ method: 'GET', url })
      expect(response.statusCode).toBe(404)
      expect(response.json().code).toBe('route_not_found')
    },
  )
})

it('a path outside the API answers 404 whatever the body is', async ({ usher }) => {
  for (const payload of ['{', 'x'.repeat(20_000)]) {
    const headers = { 'content-type': 'text/plain' }
    const response = await usher.send({ method: 'POST', url: '/nowhere', payload, headers })
    expect(response.json().code).toBe('route_not_found')
  }
})

describe('an error of our own', () => {
  it('is a 500 that says nothing of it, and is logged', async ({ usher, database }) => {
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
  it('are allowed from everywhere, never with credentials', async ({ usher }) => {
    const response = await usher.send({
      method: 'GET',
      url: '/healthz',
      headers: { origin: 'https://app.example.com' },
    })
    expect(response.headers['access-control-allow-origin']).toBe('*')
    expect(response.headers).not.toHaveProperty('access-control-allow-credentials')
  })

  it('are announced with the headers that they need', async ({ usher, database }) => {
    const response = await usher.inject({
      method: 'OPTIONS',
      url: database.users,
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
    })
    expect(response.statusCode).toBe(204)
    expect(response.headers['access-control-allow-methods']).toBe('GET, POST')
    expect(response.headers['access-control-allow-headers']).toContain('Authorization')
  })

  it('are allowed from the listed origins alone where CORS_ORIGINS lists some', async ({ usher }) => {
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

it('sends security headers with everything', async ({ usher }) => {
  const { headers } = await usher.send({ method: 'GET', url: '/nowhere' })
  expect(headers).toMatchObject({
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
})

it('logs no password, token or header of a request', async ({ usher, database, post }) => {
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
