import { setTimeout as pause } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import type { Answer, Server } from './server.js'

/** A sign-up that was sent, once or again and again, and what came back. */
export interface SignUp {
  email: string
  newTenant?: string
  key?: string
  /** What its 201 said. */
  user?: { id: string; tenants: string[] }
}

export interface LoadOptions {
  clients?: number
  /** Statuses that mean that the request was not served, so that it may be tried again. */
  refusals?: readonly number[]
}

/**
 * Clients that sign up in every way, log in and ask who they are, until told to stop. They hold each answer
 * to what was said before, and keep a ledger of all that they were told.
 */
export function startLoad(server: Server, { clients = 12, refusals = [503] }: LoadOptions = {}) {
  const ledger: SignUp[] = []
  const seen = new Map<number, number>()
  let isOver = false
  let lastSuccess = 0

  /** Counts an answer, which must be one of those expected or a refusal. */
  async function ask(expected: readonly number[], request: () => Promise<Answer>) {
    const answer = await request()
    const { status } = answer
    expect([...expected, ...refusals]).toContain(status)
    seen.set(status, (seen.get(status) ?? 0) + 1)
    if (status === 200 || status === 201) lastSuccess = performance.now()
    // Clients that are refused at once would leave the machine no time for anything else.
    if (refusals.includes(status)) await pause(10)
    return answer
  }

  /**
   * Sends a sign-up, and where it was refused once more, or with a key until it is acknowledged.
   *
   * @returns the token
   */
  async function signUp(attempt: SignUp) {
    ledger.push(attempt)
    const { email, newTenant, key } = attempt
    const body = { email, ...(newTenant && { newTenant }) }
    for (let tries = 0; tries < 2 || (key && !isOver); tries++) {
      // One that was refused may have been written all the same: without a key its address is taken then.
      const expected = tries > 0 && !key ? [201, 409] : [201]
      const answer = await ask(expected, () => server.signUp(body, key))
      const { id = '', tenants = [], token } = answer.body
      if (answer.status === 201) attempt.user = { id, tenants }
      if (expected.includes(answer.status)) return token?.jwt
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
      if (count % 3 === 0) await ask([401], () => server.login(attempt.email, 'not the password'))
      const { status, body } = await ask([200], () => server.login(attempt.email))
      if (status === 200) expect(body).toMatchObject(attempt.user)
      if (jwt) await ask([200], () => server.me(jwt))
    }
  }
  const traffic = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  // Thrown by `until` and `stop`; nobody may be waiting before.
  traffic.catch(() => undefined)

  /** Waits until something holds; fails where it does not, or where a client was told what may not be. */
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
    /** Waits for more answers of a status than there are clients, so that they were sent from now on. */
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
