import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rotateKeys } from '../../server/domain/key-rotation.js'
import { openPostgres } from '../../server/store/postgres.js'
import type { Store } from '../../server/store/store.js'
import { password } from '../support/app.js'
import { type Child, startUsher, usher } from '../support/child.js'
import { freePort } from '../support/postgres-server.js'
import { createPostgresDatabase } from '../support/store.js'

const masterKey = Buffer.alloc(32, 7)
const path = { workspaceSlug: 'demo', databaseName: 'app' }

let store: Store
let drop: () => Promise<void>
const servers: Child[] = []
/** The address of the same database on each server. */
const bases: string[] = []

beforeAll(async () => {
  const database = await createPostgresDatabase()
  drop = database.drop
  store = openPostgres(database.url, masterKey, () => undefined)
  const env = {
    DATABASE_URL: database.url,
    USHER_MASTER_KEY: masterKey.toString('base64'),
    BASE_URL: 'http://id.example.com',
    ARGON2_MEMORY_KIB: '8',
    ARGON2_PASSES: '1',
  }
  await usher(['workspace', 'create', 'demo'], env)
  await usher(['database', 'create', 'demo/app'], env)
  for (const port of [await freePort(), await freePort()]) {
    const server = startUsher(['serve'], { ...env, PORT: String(port) })
    await server.printed('Server listening')
    servers.push(server)
    bases.push(`http://localhost:${port}/workspaces/demo/databases/app`)
  }
})
afterAll(async () => {
  for (const server of servers) {
    server.signal('SIGTERM')
    await server.ended
  }
  await store.close()
  await drop()
})

const headers = { 'content-type': 'application/json' }
const post = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
const signUp = async (email: string) => (await post(`${bases[0]}/users`, { email, password })).status

describe('two servers on one store', () => {
  it('refuse no valid token while the keys are rotated under them', async () => {
    const email = 'rotation@example.com'
    expect(await signUp(email)).toBe(201)
    const seen = new Set<string>()
    const refused: unknown[] = []
    let checks = 0
    let stop = false

    /** Logs in at one server and is checked at the other, which must publish the token's key. */
    async function client(issuer: string, checker: string) {
      while (!stop) {
        const loggedIn = await post(`${issuer}/users/login`, { email, password })
        const { token } = await loggedIn.json()
        const headers = { authorization: `Bearer ${token?.jwt}` }
        const me = await fetch(`${checker}/users/me`, { headers })
        const { keys } = await (await fetch(`${checker}/.well-known/jwks.json`)).json()
        const { kid = '' } = decodeProtectedHeader(token.jwt)
        seen.add(`${issuer} ${kid}`)
        checks += 1
        if (loggedIn.status !== 200 || me.status !== 200) refused.push([loggedIn.status, me.status, kid])
        if (!keys.some((key: { kid: string }) => key.kid === kid)) refused.push(['not published', kid])
      }
    }
    const [one = '', two = ''] = bases
    const clients = [client(one, two), client(two, one), client(one, two), client(two, one)]
    const next = await rotateKeys(store, path, 6, new Date())
    const bothSign = () => bases.every((base) => seen.has(`${base} ${next.kid}`))
    await expect.poll(bothSign, { timeout: 20_000, interval: 100 }).toBe(true)
    stop = true
    await Promise.all(clients)
    expect(refused).toEqual([])
    expect(seen.size).toBe(4)
    expect(checks).toBeGreaterThan(20)
  })

  it('count failed logins together', async () => {
    const email = 'throttle@example.com'
    await signUp(email)
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      const wrong = { email, password: 'wrong password' }
      statuses.push((await post(`${bases[i % 2]}/users/login`, wrong)).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('let one of thirty sign-ups of an address win, wherever they come in', async () => {
    const body = { email: 'race@example.com', password, newTenant: 'Race' }
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => post(`${bases[i % 2]}/users`, body).then(({ status }) => status)),
    )
    expect(answers.sort()).toEqual([201, ...Array(29).fill(409)])
    expect(await store.prisma.tenant.count({ where: { name: 'Race' } })).toBe(1)
  })
})
