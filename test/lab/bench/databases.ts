import { v7 as uuidv7 } from 'uuid'
import { generateSigningKey } from '../../../server/domain/keys/signing-keys.js'
import { openPostgres } from '../../support/open-store.js'
import type { Say } from './bench.js'
import { median, table } from './figures.js'
import { requestBytes } from './load.js'
import { takeTurn } from './turn.js'
import type { World } from './world.js'

/** Twice as many as a process keeps in memory. */
const count = 20_000
const batch = 1000
const rounds = 5

/**
 * Compares the rates of key sets of one database, which are in memory, with those of 20,000 databases, of which each request
 * reads another one from the store.
 */
export async function databases(world: World, say: Say) {
  const masterKey = Buffer.from(world.env.USHER_MASTER_KEY, 'base64')
  const store = await openPostgres(world.env.DATABASE_URL, masterKey)
  say(`creating ${count} databases`)
  const now = new Date()
  const { id: workspaceId } = await store.prisma.workspace.findFirstOrThrow()
  for (let first = 0; first < count; first += batch) {
    const rows = Array.from({ length: batch }, (_, index) => ({
      id: uuidv7(),
      workspaceId,
      name: `many-${first + index}`,
      createdAt: now,
    }))
    const keys = rows.map(({ id }) =>
      generateSigningKey({ id, signingAlgorithm: 'ES256' }, masterKey, { now }),
    )
    await store.prisma.database.createMany({ data: rows })
    await store.prisma.signingKey.createMany({ data: keys })
  }
  await store.query('ANALYZE', [])
  await store.close()
  const server = await world.startUsher({ WORKERS: '1' })
  let sent = 0
  const requests = {
    'one database': server.requests.discovery,
    [`${count} databases`]: () =>
      requestBytes('GET', `/workspaces/bench/databases/many-${sent++ % count}/.well-known/jwks.json`),
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
    const head = ['connections', 'requests/s', 'p50 ms', 'p99 ms', 'CPU ms per answer', 'errors']
    return `${table(['key sets of', ...head], rows)}\n\nMemory of the server at the end: ${Math.round(memory)} MiB.`
  } finally {
    await server.stop()
  }
}
