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

/** Sends a request from an address of its own, a second after the one before. */
async function send(request: Request) {
  usher.clock.now += 1000
  sent += 1
  const headers = Object.fromEntries(request.headers)
  const payload = bodyOf(request)
  const remoteAddress = `10.0.${(sent >> 8) & 255}.${sent & 255}`
  const method = request.method as NonNullable<InjectOptions['method']>
  const answer = await usher.app.inject({
    method,
    url: request.target,
    headers,
    remoteAddress,
    ...(payload && { payload }),
  })
  statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1)
  const url = answer.raw.req.url ?? ''
  expectHarmless(method, url, answer, usher.world, headers.authorization)
  return answer
}

/** What only a request that does not obey the contract is told. */
const faults = ['malformed_json', 'payload_too_large', 'unsupported_media_type', 'method_not_allowed']

it('answers a request that obeys the contract with success or a problem of its operation', async () => {
  await fc.assert(
    fc.asyncProperty(validRequests(usher.world), async (request) => {
      const answer = await send(request)
      if (answer.statusCode < 400) return
      expect(faults).not.toContain(answer.json().code)
      expect(answer.json().code).not.toBe('route_not_found')
      const fields = (answer.json().errors ?? []).map((fault: { path: string }) => fault.path)
      expect(['', 'password']).toContain(fields.join())
    }),
    cases(times(600, 12_000)),
  )
})

it.each(Array.from({ length: times(1, 5) }, (_, index) => index + 1))(
  'answers a request that does not with a documented problem, or as if it were right (%i)',
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
