import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { migrate } from '../../server/store/migrate.js'
import { openPostgres } from '../../server/store/postgres.js'
import type { Store } from '../../server/store/store.js'
import { startUsher, usher } from '../support/child.js'
import { freePort, type PostgresServer, startPostgres } from '../support/postgres-server.js'

const masterKey = Buffer.alloc(32, 1)
const password = 'correct horse battery'
const clients = 8
const crashes = 3

let postgres: PostgresServer
let store: Store
let env: Record<string, string>

beforeAll(async () => {
  postgres = await startPostgres()
  store = openPostgres(postgres.url, masterKey, () => undefined)
  await migrate(store.prisma)
  env = {
    DATABASE_URL: postgres.url,
    USHER_MASTER_KEY: masterKey.toString('base64'),
    ARGON2_MEMORY_KIB: '8',
    ARGON2_PASSES: '1',
    HOST: '127.0.0.1',
  }
  for (const command of ['workspace create acme', 'database create acme/app']) {
    expect(await usher(command.split(' '), env)).toMatchObject({ code: 0 })
  }
})
afterAll(async () => {
  await store.close()
  await postgres.stop()
})

async function startServer() {
  const port = await freePort()
  const server = startUsher(['serve'], { ...env, PORT: String(port) })
  await server.printed('Server listening')
  const origin = `http://127.0.0.1:${port}`

  /** Sends a request, which must be answered, and as documented for a store that is there or is not. */
  async function send(path: string, body?: object) {
    const response = await fetch(origin + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(15_000),
    })
    const answer = { status: response.status, body: await response.json() }
    if (answer.status === 503) {
      expect(answer.body).toMatchObject({ code: 'unavailable', requestId: expect.any(String) })
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    return answer
  }
  const users = '/workspaces/acme/databases/app/users'
  return {
    ...server,
    status: async (path: string) => (await send(path)).status,
    signUp: (email: string) => send(users, { email, password, newTenant: email }),
    login: (email: string) => send(`${users}/login`, { email, password }),
    /** It answers again without being told. */
    back: () =>
      vi.waitFor(async () => expect((await send('/readyz')).status).toBe(200), {
        timeout: 3_000,
        interval: 50,
      }),
    async stop() {
      server.signal('SIGTERM')
      expect(await server.ended).toMatchObject({ code: 0 })
    },
  }
}

it('a store that crashes under load means 503 until it is back, and no sign-up is lost or halved', async () => {
  const server = await startServer()
  const attempts = new Map<string, number>()
  let isOver = false
  async function signUpForEver(client: number) {
    for (let count = 0; !isOver; count++) {
      const email = `user-${client}-${count}@example.com`
      attempts.set(email, (await server.signUp(email)).status)
    }
  }
  const count = (status: number) => [...attempts.values()].filter((seen) => seen === status).length
  const more = (status: number, than = count(status)) =>
    vi.waitFor(() => expect(count(status)).toBeGreaterThan(than + clients), { timeout: 10_000, interval: 5 })
  const traffic = Promise.all(Array.from({ length: clients }, (_, client) => signUpForEver(client)))

  for (let crash = 0; crash < crashes; crash++) {
    await more(201)
    await postgres.kill()
    await more(503)
    expect(await server.status('/readyz')).toBe(503)
    expect(await server.status('/healthz')).toBe(200)
    expect((await server.login('user-0-0@example.com')).status).toBe(503)
    await postgres.start()
    await server.back()
  }
  await more(201)
  isOver = true
  await traffic
  expect([...new Set(attempts.values())].sort()).toEqual([201, 503])

  for (const [email, status] of attempts) {
    if (status === 201) expect(await server.login(email)).toMatchObject({ status: 200 })
  }
  // One that got no 201 may have been written all the same, but then with its tenant and its membership.
  const rows = await store.prisma.user.findMany({ include: { memberships: { include: { tenant: true } } } })
  for (const { email, memberships } of rows) {
    expect(memberships.map(({ tenant }) => tenant.name)).toEqual([email])
  }
  expect(await store.prisma.tenant.count()).toBe(rows.length)
  await server.stop()
})

it('a server that starts while the store is away answers 503, and serves when it comes', async () => {
  await postgres.kill()
  const server = await startServer()
  expect(server.output.stdout).toContain('the store is away; answering 503 until it is back')
  expect((await server.signUp('early@example.com')).status).toBe(503)
  expect(await server.status('/readyz')).toBe(503)
  expect(await server.status('/healthz')).toBe(200)
  await postgres.start()
  await server.back()
  expect((await server.signUp('early@example.com')).status).toBe(201)
  await server.stop()
})
