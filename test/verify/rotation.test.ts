import { createVerifier } from '@usher/verify'
import { decodeProtectedHeader } from 'jose'
import { expect, vi } from 'vitest'
import { password } from '../support/app.js'
import { rotateKeys } from '../support/operator-changes.js'
import { it, optionsOf } from './live.js'

it('no request fails while a key is rotated and the server is then unavailable', async ({
  usher,
  origin,
}) => {
  const database = await usher.newDatabase()
  const path = { workspaceSlug: database.workspaceSlug, databaseName: database.databaseName }
  const email = 'ada@example.com'
  await database.signedUp({ email })
  let isDown = false
  let fetches = 0
  const verifier = createVerifier({
    ...optionsOf(usher, origin, database),
    fetch: (url, init) => {
      fetches += 1
      return isDown ? Promise.reject(new TypeError('fetch failed')) : fetch(url, init)
    },
  })

  let token = ''
  const logIn = async () => {
    token = (await database.login({ email, password })).json().token.jwt
    return decodeProtectedHeader(token).kid
  }
  await logIn()
  const errors: unknown[] = []
  let requests = 0
  let isOver = false
  /** Verifies the newest token and the previous ones without a pause. */
  async function load(tokens: string[]) {
    while (!isOver) {
      if (tokens.at(-1) !== token) tokens.push(token)
      const { error } = await verifier.verify(tokens[requests++ % tokens.length])
      if (error) errors.push(error)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const clients = Array.from({ length: 8 }, () => load([]))

  const next = await rotateKeys({ store: usher.store, now: new Date(usher.clock.now) }, path, 600)
  // Servers cache keys for 5 s.
  usher.clock.cacheAhead += 6_000
  await vi.waitFor(
    async () => {
      const response = await fetch(`${origin}${database.users.replace('/users', '')}/.well-known/jwks.json`)
      const { keys } = (await response.json()) as { keys: { kid: string }[] }
      expect(keys.map(({ kid }) => kid)).toContain(next.kid)
    },
    { timeout: 15_000, interval: 200 },
  )
  const kids: unknown[] = []
  for (let step = 0; step < 15; step++) {
    usher.clock.now += 60_000
    kids.push(await logIn())
    const seen = requests
    await vi.waitFor(() => expect(requests).toBeGreaterThan(seen + 50), { timeout: 10_000, interval: 5 })
  }
  expect(new Set(kids).size).toBe(2)
  expect(kids.at(-1)).toBe(next.kid)
  isDown = true
  for (let step = 0; step < 10; step++) {
    usher.clock.now += 60_000
    const seen = requests
    await vi.waitFor(() => expect(requests).toBeGreaterThan(seen + 50), { timeout: 10_000, interval: 5 })
  }
  isOver = true
  await Promise.all(clients)
  expect(errors).toEqual([])
  expect(requests).toBeGreaterThan(1_000)
  // One at the start, and one in each 180 s, which is the first step of the clock past 150 s.
  expect(fetches).toBeLessThanOrEqual(20)
})
