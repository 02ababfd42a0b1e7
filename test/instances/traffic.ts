import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'

const clients = 6
const password = 'correct horse battery'
const json = { 'content-type': 'application/json' }

/** Starts clients that sign up, log in and read their user in a loop. They never retry a request. */
export function startTraffic(base: string) {
  const failures: string[] = []
  const emails: string[] = []
  let responses = 0
  let isOver = false

  async function send(status: number, path: string, init: RequestInit) {
    try {
      const response = await fetch(`${base}${path}`, { ...init, signal: AbortSignal.timeout(15_000) })
      const text = await response.text()
      responses += 1
      if (response.status !== status) throw new Error(`${response.status} ${text}`)
      return JSON.parse(text)
    } catch (error) {
      failures.push(`${path}: ${error instanceof Error ? (error.cause ?? error) : error}`)
    }
  }
  const post = (status: number, path: string, body: object) =>
    send(status, path, { method: 'POST', headers: json, body: JSON.stringify(body) })
  const logIn = (email: string) => post(200, '/users/login', { email, password })

  async function client() {
    while (!isOver) {
      const email = `${randomUUID()}@example.com`
      const signedUp = await post(201, '/users', { email, password, newTenant: email })
      if (signedUp) emails.push(email)
      const { token } = (await logIn(email)) ?? {}
      const me = await send(200, '/users/me', { headers: { authorization: `Bearer ${token?.jwt}` } })
      if (me?.tenants.join() !== signedUp?.tenants.join()) failures.push(`${email} has other tenants`)
      // Leaves the processor to the servers that start.
      await pause(200)
    }
  }
  async function logInAll(remaining: string[]) {
    for (let email = remaining.pop(); email; email = remaining.pop()) await logIn(email)
  }
  const fromEach = (work: () => Promise<void>) => Promise.all(Array.from({ length: clients }, work))
  const traffic = fromEach(client)
  return {
    /** Waits for ten more responses per client. */
    async more() {
      const before = responses
      const enough = () => responses - before >= 10 * clients
      await expect.poll(enough, { timeout: 20_000, interval: 10 }).toBe(true)
    },
    /** Stops the clients. Fails if a request failed or a signed-up user cannot log in. */
    async end() {
      isOver = true
      await traffic
      const users = emails.length
      await fromEach(() => logInAll(emails))
      expect(failures).toEqual([])
      return { responses, users }
    },
  }
}
