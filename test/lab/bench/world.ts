import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { hashSync } from '@node-rs/argon2'
import { v7 as uuidv7 } from 'uuid'
import { createDatabase } from '../../../server/domain/management/databases.js'
import { createWorkspace } from '../../../server/domain/management/workspaces.js'
import { migrate } from '../../../server/store/migrate.js'
import { openPostgres } from '../../support/open-store.js'
import { freePort, startPostgres } from '../../support/postgres-server.js'
import { requestBytes } from './load.js'
import { type Measured, startServer } from './processes.js'

const users = 1000
const password = 'correct horse battery'
const path = { workspaceSlug: 'bench', databaseName: 'app' }

export type World = Awaited<ReturnType<typeof createWorld>>

/**
 * Starts a Postgres server with a thousand users. Returns functions that start the measured servers on it.
 *
 * @param threads hashing threads of the floor
 * @param folder another checkout, which is built and has the same tables
 */
export async function createWorld(threads: number, folder?: string) {
  const postgres = await startPostgres()
  const masterKey = randomBytes(32)
  const store = await openPostgres(postgres.url, masterKey)
  await migrate(store)
  await createWorkspace(store, path.workspaceSlug, new Date())
  const { id: databaseId } = await createDatabase({ store, now: new Date() }, path, { signUpsPerHour: 0 })
  const passwordHash = hashSync(password, { memoryCost: 19456, timeCost: 2, parallelism: 1 })
  const createdAt = new Date()
  const rows = Array.from({ length: users }, (_, index) => {
    const email = `user${index}@example.com`
    return { databaseId, id: uuidv7(), email, canonicalEmail: email, passwordHash, createdAt }
  })
  const tenants = rows.map((_, index) => ({ databaseId, id: uuidv7(), name: `Tenant ${index}`, createdAt }))
  const memberships = rows.map(({ id: userId }, index) => ({
    databaseId,
    userId,
    tenantId: tenants[index]?.id ?? '',
    joinedAt: createdAt,
    role: 'owner',
  }))
  await store.prisma.user.createMany({ data: rows })
  await store.prisma.tenant.createMany({ data: tenants })
  await store.prisma.membership.createMany({ data: memberships })
  await store.close()

  const env = {
    DATABASE_URL: postgres.url,
    USHER_MASTER_KEY: masterKey.toString('base64'),
    WORKERS: '1',
    CONSOLE: 'off',
  }
  async function startUsher(program = 'server/bin/usher.js') {
    const port = await freePort()
    const server = await startServer(port, [program, 'serve'], { PORT: String(port), ...env })
    return withRequests(server, `/workspaces/${path.workspaceSlug}/databases/${path.databaseName}`)
  }
  return {
    /** Settings of a process that uses the store. */
    env,
    async startFloor() {
      const port = await freePort()
      const args = ['--import', 'tsx', 'test/lab/bench/floor.ts', String(port), postgres.url, databaseId]
      return withRequests(await startServer(port, [...args, String(threads)]), '')
    },
    startUsher: () => startUsher(),
    before: folder === undefined ? undefined : () => startUsher(resolve(folder, 'server/bin/usher.js')),
    stop: postgres.stop,
  }
}

export type Server = Awaited<ReturnType<typeof withRequests>>

/** Returns a server with functions that create the next request of each operation, with its own tokens. */
async function withRequests(server: Measured, prefix: string) {
  const origin = `http://127.0.0.1:${server.port}`
  let count = 0
  const email = () => `user${count++ % users}@example.com`
  async function logIn(email: string) {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ email, password })
    const response = await fetch(`${origin}${prefix}/users/login`, { method: 'POST', headers, body })
    const { token } = (await response.json()) as { token: { jwt: string } }
    return token.jwt
  }
  const tokens: string[] = []
  for (let index = 0; index < 100; index++) {
    const token = await logIn(email())
    tokens.push(requestBytes('GET', `${prefix}/users/me`, { token }))
  }
  return {
    ...server,
    requests: {
      create: () => {
        const body = { email: `${uuidv7()}@example.com`, password, newTenant: 'Analytical Engines' }
        return requestBytes('POST', `${prefix}/users`, { body })
      },
      login: () => requestBytes('POST', `${prefix}/users/login`, { body: { email: email(), password } }),
      me: () => tokens[count++ % tokens.length] ?? '',
      'raw hash': () => requestBytes('POST', '/hash', { body: { password } }),
    },
  }
}
