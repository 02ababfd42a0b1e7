import { randomInt } from 'node:crypto'
import { createDatabase } from '../../../server/domain/management/databases.js'
import { openPostgres } from '../../support/open-store.js'
import { compareOperations } from './at-size.js'
import type { Say } from './bench.js'
import { median, table } from './figures.js'
import { requestBytes } from './load.js'
import { takeTurn } from './turn.js'
import type { World } from './world.js'

/** Twice as many as a process keeps in memory. */
const count = 20_000
const usersPerDatabase = 50
const rounds = 5

/**
 * Compares the rates of key sets of one database, which are in memory, with those of 20,000 databases, of which each request
 * reads another one from the store. Then compares the operations of users of 10,000 and of 20,000 databases with those of one.
 */
export async function databases(world: World, say: Say) {
  say(`creating ${count} databases with ${usersPerDatabase} users`)
  await createDatabases(world)
  const server = await world.startUsher({ WORKERS: '1', TRUST_PROXY: '1' })
  let sent = 0
  const requests = {
    'one database': server.requests.discovery,
    [`${count} databases`]: () => requestBytes('GET', `${prefixOf(sent++ % count)}/.well-known/jwks.json`),
  }
  const rows: (string | number)[][] = []
  try {
    for (const connections of [8, 64])
      for (const [name, next] of Object.entries(requests)) {
        say(`${name}, ${connections} connections`)
        const load = { next, status: 200, connections, seconds: 3 }
        const turns = []
        for (let round = 0; round <= rounds; round++) turns.push(await takeTurn(server, load))
        // The first turn warms up.
        const [, ...measured] = turns
        const figures = (['rate', 'p50', 'p99', 'cpu'] as const).map((of) =>
          median(measured.map((turn) => turn[of])),
        )
        rows.push([name, connections, ...figures, measured.reduce((sum, { errors }) => sum + errors, 0)])
      }
    const memory = await server.memoryMebibytes()
    const operations: string[] = []
    for (const many of [count / 2, count]) {
      const pick = () => ({
        prefix: prefixOf(randomInt(many)),
        email: `user${randomInt(usersPerDatabase)}@example.com`,
      })
      operations.push(await compareOperations(server, { name: `${many} databases`, pick }, say))
    }
    const head = ['connections', 'requests/s', 'p50 ms', 'p99 ms', 'CPU ms per answer', 'errors']
    return [
      table(['key sets of', ...head], rows),
      `Memory of the server after the key sets: ${Math.round(memory)} MiB.`,
      ...operations,
    ].join('\n\n')
  } finally {
    await server.stop()
  }
}

const prefixOf = (number: number) => `/workspaces/bench/databases/many-${number}`

async function createDatabases({ env }: World) {
  const masterKey = Buffer.from(env.USHER_MASTER_KEY, 'base64')
  const store = await openPostgres(env.DATABASE_URL, masterKey, { statementMilliseconds: 0 })
  let number = 0
  const create = async () => {
    while (number < count)
      await createDatabase(
        { store, now: new Date() },
        { workspaceSlug: 'bench', databaseName: `many-${number++}` },
        {},
      )
  }
  await Promise.all(Array.from({ length: 8 }, create))
  const { passwordHash } = await store.prisma.user.findFirstOrThrow()
  await store.query(
    `INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, created_at)
    SELECT d.id, gen_random_uuid(), address, address, $1, now()
    FROM usher.database AS d, generate_series(0, ${usersPerDatabase - 1}) AS n, concat('user', n, '@example.com') AS address
    WHERE d.name LIKE 'many-%'`,
    [passwordHash],
  )
  // As if the databases had hashed the passwords, so that no request records the parameters of the hashes.
  await store.query(
    `INSERT INTO usher.hash_parameters (database_id, dummy_hash)
    SELECT DISTINCT d.id, p.dummy_hash FROM usher.database AS d, usher.hash_parameters AS p
    ON CONFLICT DO NOTHING`,
    [],
  )
  await store.query('ANALYZE', [])
  await store.close()
}
