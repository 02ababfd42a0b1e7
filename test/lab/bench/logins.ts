import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { hashSync } from '@node-rs/argon2'
import { Secret, TOTP } from 'otpauth'
import pg from 'pg'
import { pino } from 'pino'
import { runChange } from '../../../server/domain/change.js'
import { storeConnection } from '../../../server/domain/management/connections.js'
import { createDatabase, findDatabase } from '../../../server/domain/management/databases.js'
import { importUsers } from '../../../server/domain/management/users/import-users.js'
import { startProvider } from '../../../server/testing/provider.js'
import { openPostgres } from '../../support/open-store.js'
import type { Say } from './bench.js'
import { median, table } from './figures.js'
import { type Next, requestBytes } from './load.js'
import { takeTurn } from './turn.js'
import { password, type Server, type World } from './world.js'

// Logins with several requests, of the floor and of Usher in turns. A login counts when its last request has succeeded.

export interface Rounds {
  rounds: number
  seconds: number
}

const workspaceSlug = 'bench'
export const pathOf = (database: string) => `/workspaces/${workspaceSlug}/databases/${database}`
/** The body of a response as received. */
export const bodyOf = (response: string) => JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4))

/** Measures logins. @param perLogin successes of each login */
export async function takeTurns(
  servers: Record<string, { server: Server; next: Next }>,
  { rounds, seconds, perLogin }: Rounds & { perLogin: number },
  say: Say,
) {
  const rates: Record<string, number[]> = {}
  const run = async (name: string, each: { server: Server; next: Next }) => {
    const turn = await takeTurn(each.server, { next: each.next, status: 200, connections: 8, seconds })
    return { name, rate: turn.rate / perLogin }
  }
  for (const [name, each] of Object.entries(servers)) await run(name, each)
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
    const pairs = Object.entries(servers)
    for (const [name, each] of round % 2 === 0 ? pairs : pairs.toReversed())
      rates[name] = [...(rates[name] ?? []), (await run(name, each)).rate]
  }
  for (const { server } of Object.values(servers)) await server.stop()
  const floor = rates.floor ?? []
  return Object.entries(rates).map(([name, values]) => [
    name,
    median(values),
    median(values.map((value, index) => value / (floor[index] ?? Number.NaN))),
  ])
}

export async function withClient(world: World, work: (client: pg.Client) => Promise<void>) {
  const client = new pg.Client({ connectionString: world.store.url })
  await client.connect()
  await work(client).finally(() => client.end())
}

/** Creates a database of users, with what the lines of the import have in addition. */
export async function plant(world: World, databaseName: string, lineOf: (index: number) => object) {
  const store = await openPostgres(world.store.url, world.store.masterKey)
  const path = { workspaceSlug, databaseName }
  await createDatabase({ store, now: new Date() }, path, { signUpsPerHour: 0 })
  const database = await findDatabase(store, path)
  const passwordHash = hashSync(password, { memoryCost: 19456, timeCost: 2, parallelism: 1 })
  const lines = Array.from({ length: people }, (_, index) => {
    const text = JSON.stringify({ id: idOf(index), email: emailOf(index), passwordHash, ...lineOf(index) })
    return { number: index, text, bytes: text.length }
  })
  const context = { store, now: Date.now, hashing: { dummyHash: passwordHash } }
  for await (const { rejected } of importUsers(context, { ...database, roles: [] }, { lines }))
    if (rejected.length > 0) throw new Error(rejected[0]?.reason)
  return { store, database, passwordHash }
}

export const people = 1_000
export const ids = Array.from({ length: people }, () => randomUUID())
const idOf = (index: number) => ids[index] ?? ''
const emailOf = (index: number) => `person-${index}@example.com`

/** Measures logins with a password and a code of an authenticator app. */
export async function twoSteps(world: World, rounds: Rounds, say: Say) {
  say('planting users with authenticator apps')
  const secrets = ids.map(() => new Secret({ size: 20 }))
  const { store, passwordHash } = await plant(world, 'two-step', (index) => ({
    totp: [{ secret: secrets[index]?.base32 }],
  }))
  await store.close()
  await withClient(world, async (client) => {
    await client.query(`CREATE SCHEMA IF NOT EXISTS floor;
    CREATE TABLE floor.person (id uuid PRIMARY KEY, email text UNIQUE, password_hash text, secret bytea, last_step bigint)`)
    await client.query(
      `INSERT INTO floor.person SELECT id, email, $3, secret, 0
      FROM unnest($1::uuid[], $2::text[], $4::bytea[]) AS person (id, email, secret)`,
      [
        ids,
        ids.map((_, index) => emailOf(index)),
        passwordHash,
        secrets.map(({ bytes }) => Buffer.from(bytes)),
      ],
    )
  })
  const indexOf = new Map(ids.map((id, index) => [id, index]))
  /** Logs each user in with a code of a step that was not used. */
  const logins = (prefix: string): Next => {
    let count = 0
    const lastSteps: number[] = []
    return (last) => {
      const { challenge } = (last && bodyOf(last).secondFactor) || {}
      if (!challenge) {
        const body = { email: emailOf(count++ % people), password }
        return requestBytes('POST', `${prefix}/users/login`, { body })
      }
      const { userId, id } = JSON.parse(Buffer.from(challenge.split('.')[0], 'base64url').toString())
      const index = indexOf.get(userId ?? id) ?? 0
      const step = Math.max(Math.floor(Date.now() / 30_000) - 1, (lastSteps[index] ?? 0) + 1)
      lastSteps[index] = step
      const secret = secrets[index]
      const totp = secret && new TOTP({ secret }).generate({ timestamp: step * 30_000 })
      return requestBytes('POST', `${prefix}/users/login/second-factor`, { body: { challenge, totp } })
    }
  }
  const servers = {
    floor: { server: await world.startFloor(), next: logins('/two-step') },
    Usher: { server: await world.startUsher({ WORKERS: '1' }), next: logins(pathOf('two-step')) },
  }
  const rows = await takeTurns(servers, { ...rounds, perLogin: 1 }, say)
  return table(['two-step', 'logins/s', 'rate to floor'], rows)
}

/** Measures logins at a provider that responds immediately: start, callback and finish. */
export async function providerLogins(world: World, rounds: Rounds, say: Say) {
  say('planting users with identities')
  const subjects = ids.map((_, index) => String(index + 1))
  const persons = subjects.map((name) => ({ name, email: `${name}@example.com` }))
  const providers: Awaited<ReturnType<typeof startProvider>>[] = []
  const addProvider = async (redirectUri: string) => {
    const provider = await startProvider(persons, { clientId: 'usher', title: 'Acme', redirectUri })
    providers.push(provider)
    return provider
  }
  let floorProvider: (typeof providers)[number] | undefined
  await withClient(world, async (client) => {
    await client.query(`CREATE SCHEMA IF NOT EXISTS floor;
    CREATE TABLE floor.identity (subject text PRIMARY KEY, user_id uuid);
    CREATE TABLE floor.attempt (id uuid PRIMARY KEY, challenge text, subject text, used_at timestamptz)`)
    await client.query('INSERT INTO floor.identity SELECT * FROM unnest($1::text[], $2::uuid[])', [
      subjects,
      ids,
    ])
  })
  const floor = await world.startFloor(async (port) => {
    floorProvider = await addProvider(`http://127.0.0.1:${port}/provider/callback`)
    return floorProvider.origin
  })
  const usherPort = await world.freePort()
  const prefix = pathOf('provider')
  const usherProvider = await addProvider(`http://127.0.0.1:${usherPort}${prefix}/connections/acme/callback`)
  const { store } = await plantProvider(world, usherProvider.origin, subjects)
  await store.close()
  const server = await world.startUsher({
    WORKERS: '1',
    PORT: String(usherPort),
    BASE_URL: `http://127.0.0.1:${usherPort}`,
    PRIVATE_ISSUERS: usherProvider.origin,
  })
  const servers = {
    floor: { server: floor, next: logins('/provider', floorProvider) },
    Usher: { server, next: logins(prefix, usherProvider) },
  }
  const rows = await takeTurns(servers, { ...rounds, perLogin: 2 }, say)
  await Promise.all(providers.map(({ close }) => close()))
  return table(['provider', 'logins/s', 'rate to floor'], rows)
}

const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')

/** Logs each person in: the start, what the provider returns to the callback, and the finish. */
function logins(prefix: string, provider: Awaited<ReturnType<typeof startProvider>> | undefined): Next {
  let count = 0
  return (last = '') => {
    const [, code] = /^location: \S+#code=(\S+)/im.exec(last) ?? []
    if (code) return requestBytes('POST', `${prefix}/users/login/finish`, { body: { code, verifier } })
    const { url } = last.includes('"state"') ? bodyOf(last) : {}
    if (!url || !provider)
      return requestBytes('POST', `${prefix}/users/login/start`, { body: { connection: 'acme', challenge } })
    const { redirectUri, parameters } = provider.returnFrom(url, String((count++ % people) + 1))
    const { pathname } = new URL(redirectUri)
    return requestBytes('GET', `${pathname}?${new URLSearchParams(parameters)}`)
  }
}

/** Creates a database with a connection, whose users have identities there. */
async function plantProvider(world: World, issuer: string, subjects: readonly string[]) {
  const planted = await plant(world, 'provider', () => ({}))
  const { store, database } = planted
  const request = {
    database,
    caller: { log: pino({ level: 'silent' }) },
    actor: { kind: 'operator' } as const,
  }
  const connection = {
    name: 'acme',
    preset: 'oidc' as const,
    issuer,
    clientId: 'usher',
    secret: 'secret',
    options: {},
  }
  const context = { store, now: Date.now, deliver: () => undefined }
  await runChange(context, request, (change) => storeConnection(change, store, connection))
  const linkedAt = new Date()
  await store.prisma.identity.createMany({
    data: subjects.map((subject, index) => ({
      ...{ databaseId: database.id, id: randomUUID(), connection: 'acme', issuer, subject },
      ...{ userId: idOf(index), isProven: true, linkedAt },
    })),
  })
  await store.prisma.database.update({
    where: { id: database.id },
    data: { appUrl: 'https://app.example.com' },
  })
  return planted
}
