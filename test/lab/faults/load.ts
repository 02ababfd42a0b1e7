import { setTimeout as pause } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { times } from '../form.js'
import type { Server, UsherResponse } from './server.js'

/** A sign-up that was sent once or several times, and its result. */
export interface SignUp {
  email: string
  newTenant?: string
  key?: string
  /** The body of its 201 response. */
  user?: { id: string; tenants: string[] }
}

export interface LoadOptions {
  clients?: number
  /** Statuses of requests that were not processed and may be retried. */
  rejections?: readonly number[]
}

/**
 * Starts clients that sign up in every way, log in and read their user until `stop`. They compare each response with
 * the previous ones, and keep a ledger of all responses.
 */
export function startLoad(server: Server, { clients = 12, rejections = [503] }: LoadOptions = {}) {
  const ledger: SignUp[] = []
  const seen = new Map<number, number>()
  let isOver = false
  let lastSuccess = 0

  /** Counts a response. Its status must be expected or a rejection. */
  async function request(expected: readonly number[], send: () => Promise<UsherResponse>) {
    const response = await send()
    const { status } = response
    expect([...expected, ...rejections]).toContain(status)
    seen.set(status, (seen.get(status) ?? 0) + 1)
    if (status === 200 || status === 201) lastSuccess = performance.now()
    // Clients that are rejected immediately would use all CPU time.
    if (rejections.includes(status)) await pause(10)
    return response
  }

  /**
   * Sends a sign-up. If it is rejected, repeats it once, or with an Idempotency-Key until it is acknowledged.
   *
   * @returns the token
   */
  async function signUp(attempt: SignUp) {
    ledger.push(attempt)
    const { email, newTenant, key } = attempt
    const body = { email, ...(newTenant && { newTenant }) }
    for (let tries = 0; tries < 2 || (key && !isOver); tries++) {
      // A rejected sign-up may have been committed. Without a key, a retry then returns 409.
      const expected = tries > 0 && !key ? [201, 409] : [201]
      const response = await request(expected, () => server.signUp(body, key))
      const { id = '', tenants = [], token } = response.body
      if (response.status === 201) attempt.user = { id, tenants }
      if (expected.includes(response.status)) return token?.jwt
    }
    return undefined
  }

  async function client(number: number) {
    for (let count = 0; !isOver; count++) {
      const attempt: SignUp = { email: `user-${number}-${count}@example.com` }
      if (count % 2) attempt.newTenant = `Tenant of ${attempt.email}`
      if (count % 4 > 1) attempt.key = `key of ${attempt.email}`
      const jwt = await signUp(attempt)
      if (!attempt.user) continue
      if (count % 3 === 0) await request([401], () => server.login(attempt.email, 'not the password'))
      const { status, body } = await request([200], () => server.login(attempt.email))
      if (status === 200) expect(body).toMatchObject(attempt.user)
      if (jwt) await request([200], () => server.me(jwt))
      // The short form leaves the processor to the other tests.
      await pause(times(20, 0))
    }
  }
  const traffic = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  // `until` and `stop` throw its error.
  traffic.catch(() => undefined)

  /** Waits until `holds` does not throw. Throws after 40 s, or if a client received a wrong response. */
  async function until(holds: () => unknown) {
    await Promise.race([vi.waitFor(holds, { timeout: 40_000, interval: 5 }), traffic.then(holds)])
  }

  const count = (status: number) => seen.get(status) ?? 0
  return {
    ledger,
    signUp,
    count,
    sent: () => [...seen.values()].reduce((sum, each) => sum + each, 0),
    lastSuccess: () => lastSuccess,
    /** Waits for more responses with this status than clients, so that at least one request was sent after this call. */
    async sees(status: number) {
      const before = count(status)
      await until(() => expect(count(status)).toBeGreaterThan(before + clients))
    },
    until,
    async stop() {
      isOver = true
      await traffic
    },
  }
}

export type Load = ReturnType<typeof startLoad>
