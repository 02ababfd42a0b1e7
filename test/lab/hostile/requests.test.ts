import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { report, times } from '../form.js'
import { cases, seed } from './cases.js'
import { expectCleanPrototype, expectHarmless } from './harmless.js'
import { hostileRequests } from './mutations.js'
import { bodyOf, type Request, validRequests } from './requests.js'
import { startWorld } from './world.js'

let usher: Awaited<ReturnType<typeof startWorld>>
beforeEach(async () => {
  usher = await startWorld()
})
afterEach(() => usher.close())

let sent = 0
const statuses = new Map<number, number>()

/** Sends a request from a new client address, a second after the previous one. */
async function send(request: Request) {
  usher.clock.now += 1000
  sent += 1
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
  expectHarmless(method, url, response, usher.world, headers.authorization)
  return response
}

/** Codes of requests that violate the contract. */
const violations = ['malformed_json', 'payload_too_large', 'unsupported_media_type', 'method_not_allowed']

it('a valid request returns success or a problem of its operation', async () => {
  await fc.assert(
    fc.asyncProperty(validRequests(usher.world), async (request) => {
      const response = await send(request)
      if (response.statusCode < 400) return
      expect(violations).not.toContain(response.json().code)
      expect(response.json().code).not.toBe('route_not_found')
      const fields = (response.json().errors ?? []).map((error: { path: string }) => error.path)
      expect(['', 'password']).toContain(fields.join())
    }),
    cases(times(600, 12_000)),
  )
})

it.each(Array.from({ length: times(1, 5) }, (_, index) => index + 1))(
  'an invalid request returns success or a documented problem (part %i)',
  async (part) => {
    await fc.assert(
      fc.asyncProperty(hostileRequests(usher.world), async (request) => {
        await send(request)
        if (sent % 1000 === 0) usher.expectCleanLog()
      }),
      cases(times(1400, 18_000), part),
    )
    expectCleanPrototype()
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
    report(`requests ${sent}, seed ${seed}; ${counts.join(', ')}`)
  },
)
