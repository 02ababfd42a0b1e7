import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createVerifier, type Requirement, type Verifier } from '@usher/verify'
import { requireUser as requireUserOfExpress } from '@usher/verify/express'
import { requireUser as requireUserOfFastify } from '@usher/verify/fastify'
import { requireUser as requireUserOfHono } from '@usher/verify/hono'
import fastify from 'fastify'
import { Hono } from 'hono'
import { beforeEach, describe, expect, onTestFinished } from 'vitest'
import { isInstalled, loadExpress } from '../clients/installed.js'
import { freePort } from '../support/postgres-server.js'
import { it } from './live.js'

/** A backend with a route that returns the id of the user. */
type Get = (authorization?: string) => Promise<{ status: number; headers: Headers; text: string }>

const read = async (response: Response) => ({
  status: response.status,
  headers: response.headers,
  text: await response.text(),
})
const headersOf = (authorization?: string): Record<string, string> => (authorization ? { authorization } : {})

const backends: [string, (verifier: Verifier, requirement?: Requirement) => { get: Get }][] = [
  [
    'Fastify',
    (verifier, requirement) => {
      const app = fastify()
      const onRequest = requireUserOfFastify(verifier, requirement)
      app.get('/', { onRequest }, async (request) => request.user.userId)
      return {
        async get(authorization) {
          const response = await app.inject({ url: '/', headers: headersOf(authorization) })
          const headers = new Headers(response.headers as Record<string, string>)
          return { status: response.statusCode, headers, text: response.body }
        },
      }
    },
  ],
  [
    'Express',
    (verifier, requirement) => {
      const app = loadExpress()()
      app.get('/', requireUserOfExpress(verifier, requirement), (request, response) => {
        response.send(request.user?.userId)
      })
      return {
        async get(authorization) {
          const server = app.listen(0, '127.0.0.1')
          await once(server, 'listening')
          const { port } = server.address() as AddressInfo
          const result = await read(
            await fetch(`http://127.0.0.1:${port}/`, { headers: headersOf(authorization) }),
          )
          server.closeAllConnections()
          server.close()
          return result
        },
      }
    },
  ],
  [
    'Hono',
    (verifier, requirement) => {
      const app = new Hono().get('/', requireUserOfHono(verifier, requirement), (context) =>
        context.text(context.var.user.userId),
      )
      return {
        get: async (authorization) => read(await app.request('/', { headers: headersOf(authorization) })),
      }
    },
  ],
]

describe.each(backends)('requireUser of %s', (name, start) => {
  beforeEach(({ skip }) => skip(name === 'Express' && !isInstalled))

  it('passes the user to the route', async ({ database, verifier }) => {
    const { id, token } = await database.signedUp()
    const response = await start(verifier).get(`Bearer ${token.jwt}`)
    expect(response).toMatchObject({ status: 200, text: id })
  })

  it('responds with 401, a challenge and a problem document', async ({ verifier }) => {
    const { get } = start(verifier)
    const missing = await get()
    expect(missing.status).toBe(401)
    expect(missing.headers.get('www-authenticate')).toBe('Bearer')
    expect(missing.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(JSON.parse(missing.text)).toMatchObject({ status: 401, code: 'token_missing' })
    const invalid = await get('Bearer a.b.c')
    expect(invalid.status).toBe(401)
    expect(invalid.headers.get('www-authenticate')).toMatch(
      /^Bearer error="invalid_token", error_description="/,
    )
    expect(JSON.parse(invalid.text)).toMatchObject({ status: 401, code: 'token_invalid' })
  })

  it('responds with 401 and a challenge to step up if the token does not meet the options', async ({
    database,
    verifier,
  }) => {
    const { id, token } = await database.signedUp()
    const requirement = { acr: 'aal2', maxAuthAgeSeconds: 600 } as const
    const response = await start(verifier, requirement).get(`Bearer ${token.jwt}`)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(
      /^Bearer error="insufficient_user_authentication", .*, acr_values="aal2", max_age="600"$/,
    )
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(JSON.parse(response.text)).toMatchObject({ status: 401, code: 'step_up_required' })
    const recent = await start(verifier, { maxAuthAgeSeconds: 600 }).get(`Bearer ${token.jwt}`)
    expect(recent).toMatchObject({ status: 200, text: id })
  })

  it('throws a TypeError when a route is declared with invalid options', ({ verifier }) => {
    const declare = () => start(verifier, { acr: 'high' as 'aal2' })
    expect(declare).toThrow(new TypeError("requireUser: acr must be 'aal1' or 'aal2'"))
  })

  it('responds with 503 and Retry-After while no key can be read', async ({ database, options }) => {
    const { jwt } = (await database.signedUp()).token
    const verifier = createVerifier({ ...options, baseUrl: `http://127.0.0.1:${await freePort()}` })
    const response = await start(verifier).get(`Bearer ${jwt}`)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(JSON.parse(response.text)).toMatchObject({ status: 503, code: 'unavailable' })
  })

  it('responds with 503 while revocations cannot be read, if tokens are then refused', async ({
    database,
    options,
  }) => {
    const { jwt } = (await database.signedUp()).token
    const revocations = { apiKey: 'usher_wrong', onStale: 'refuse' } as const
    const verifier = createVerifier({ ...options, revocations })
    onTestFinished(verifier.close)
    const response = await start(verifier).get(`Bearer ${jwt}`)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(JSON.parse(response.text)).toEqual({
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      detail: 'It is unknown whether the token was revoked',
      code: 'revocations_stale',
    })
  })
})
