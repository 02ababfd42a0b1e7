import { contract } from '@usher/contract'
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { expect } from 'vitest'
import { report, times } from '../form.js'
import { cases, seed } from './cases.js'
import { expectCleanPrototype, expectHarmless } from './harmless.js'
import { hostileRequests } from './mutations.js'
import { bodyOf, type Request, validRequests } from './requests.js'
import { it as hostileTest } from './world.js'

let sent = 0
const statuses = new Map<number, number>()
/** Successes by operation. Responses to changed paths and methods count too. */
const successes = new Map<string, number>()

/** Requests after which the accounts and their credentials are restored. */
const lifetime = 50

/** Sends a request from a new client address, a second after the previous one. */
const it = hostileTest.extend('send', ({ usher }) => async (request: Request) => {
  usher.clock.now += 1000
  sent += 1
  if (sent % lifetime === 0) await usher.restore()
  const headers = Object.fromEntries(request.headers)
  const payload = bodyOf(request)
  const remoteAddress = `10.0.${(sent >> 8) & 255}.${sent & 255}`
  const method = request.method as NonNullable<InjectOptions['method']>
  const response = await usher.app.inject({
    method,
    url: request.target,
    headers,
    remoteAddress,
    ...(payload && { payload }),
  })
  statuses.set(response.statusCode, (statuses.get(response.statusCode) ?? 0) + 1)
  const url = response.raw.req.url ?? ''
  const bearer = headers.authorization
  expectHarmless({ method, url, bearer, body: payload }, response, usher.world)
  const { operation } = request
  if (response.statusCode < 300) successes.set(operation, (successes.get(operation) ?? 0) + 1)
  return response
})

/** Codes of requests that violate the contract. */
const violations = ['malformed_json', 'payload_too_large', 'unsupported_media_type', 'method_not_allowed']

/** What the schemas of bodies permit, and a rule refuses: by the database's policy, or without the field `code`. */
const fieldsOfRules = ['', 'password', 'newPassword', 'login', 'digits', 'secondFactor', 'redirectUrl']

it('a valid request returns success or a problem of its operation', async ({ usher, send }) => {
  await fc.assert(
    fc.asyncProperty(validRequests(usher.world), async (request) => {
      const response = await send(request)
      if (response.statusCode < 400) return
      expect(violations).not.toContain(response.json().code)
      expect(response.json().code).not.toBe('route_not_found')
      const fields = (response.json().errors ?? []).map((error: { path: string }) => error.path)
      expect(fieldsOfRules).toContain(fields.join())
    }),
    cases(times(600, 12_000)),
  )
  const account = Object.keys({ ...contract.sessions, ...contract.me, ...contract.codes }).map(
    (operation) => [operation, successes.get(operation) ?? 0],
  )
  expect(account.filter(([, count]) => count === 0)).toEqual([])
  report(`successes of account operations: ${account.map((each) => each.join(' ')).join(', ')}`)
})

it.for(Array.from({ length: times(1, 5) }, (_, index) => index + 1))(
  'an invalid request returns success or a documented problem (part %i)',
  async (part, { usher, send }) => {
    await fc.assert(
      fc.asyncProperty(hostileRequests(usher.world), async (request) => {
        await send(request)
        if (sent % 1000 === 0) usher.expectCleanLog()
      }),
      cases(times(400, 18_000), part),
    )
    expectCleanPrototype()
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
    report(`requests ${sent}, seed ${seed}; ${counts.join(', ')}`)
  },
)
