import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { query } from '../../support/citus.js'
import { databaseUrl } from '../../support/postgres-server.js'
import type { Say } from './bench.js'
import { type LoadedServer, startDescribed } from './described-server.js'
import { median, table } from './figures.js'
import { readDescriptions, type ServerDescription } from './server-description.js'
import { type Turn, takeTurn } from './turn.js'
import type { World } from './world.js'

const users = 50
const loads = {
  me: { request: 'me', connections: 8 },
  'me-64': { request: 'me', connections: 64 },
  login: { request: 'login', connections: 8 },
  create: { request: 'create', connections: 8 },
} as const

interface Effort {
  rounds: number
  seconds: number
  warmUpSeconds: number
}

/**
 * Compares the floor and Usher with the other servers of peers/ that are installed.
 *
 * @param options.folder has a folder for each of them
 */
export async function peers(world: World, options: Effort & { folder: string }, say: Say) {
  const { requests, ...floor } = await world.startFloor()
  const servers: Record<string, LoadedServer> = {
    floor: {
      ...floor,
      requests: {
        create: { next: requests.create, status: 201 },
        login: { next: requests.login, status: 200 },
        me: { next: requests.me, status: 200 },
      },
    },
  }
  const notes: string[] = []
  try {
    for (const { description, place, missing } of await findServers(options.folder)) {
      const { name, version, hash, settings, install } = description
      if (missing.length > 0) {
        notes.push(`- ${name}: skipped, ${missing.join(' and ')} not found. Install ${install}.`)
        continue
      }
      say(`preparing ${name}`)
      const database = `bench_${Object.keys(servers).length}`
      await query(world.env.DATABASE_URL, `CREATE DATABASE ${database}`)
      const url = databaseUrl(world.env.DATABASE_URL, database)
      servers[name] = await startDescribed(description, { folder: place, databaseUrl: url }, users)
      notes.push(`- ${name}, tried with ${version}: ${hash}. ${settings}`)
    }
    const compared = await compare(servers, options, say)
    return `${compared}\n\n${notes.join('\n')}`
  } finally {
    for (const server of Object.values(servers)) await server.stop()
  }
}

/** Returns Usher and the other described servers, with what each lacks. */
async function findServers(folder: string) {
  const found = [...(await readDescriptions())].map(([file, description]) => {
    const place = file === 'usher' ? process.cwd() : join(folder, description.folder ?? file)
    return { description, place, missing: missingOf(description, place) }
  })
  const isUsher = ({ description }: (typeof found)[number]) => description.name === 'Usher'
  return [...found.filter(isUsher), ...found.filter((server) => !isUsher(server))]
}

/** Returns the paths that a server needs and that do not exist. */
export const missingOf = ({ needs }: ServerDescription, folder: string) =>
  needs.map((path) => join(folder, path)).filter((path) => !existsSync(path))

/**
 * Measures all servers in turns, in a closed loop.
 *
 * @param servers must have one with the name Usher
 * @throws if a response has another status than the expected one, so that no errors are measured
 */
export async function compare(
  servers: Record<string, LoadedServer>,
  { rounds, seconds, warmUpSeconds }: Effort,
  say: Say,
) {
  const rows: (string | number)[][] = []
  for (const [load, { request, connections }] of Object.entries(loads)) {
    const take = async (name: string, server: LoadedServer, seconds: number) => {
      const turn = await takeTurn(server, { ...server.requests[request], connections, seconds })
      if (turn.unexpected === undefined) return turn
      throw new Error(
        `${name}, ${load}, first response that is not ${server.requests[request].status}:\n${turn.unexpected}`,
      )
    }
    say(`${load}: warming up`)
    for (const [name, server] of Object.entries(servers)) await take(name, server, warmUpSeconds)
    const turns: Record<string, Turn[]> = {}
    for (let round = 0; round < rounds; round++) {
      say(`${load}: round ${round + 1} of ${rounds}`)
      const pairs = Object.entries(servers)
      for (const [name, server] of round % 2 === 0 ? pairs : pairs.toReversed()) {
        turns[name] = [...(turns[name] ?? []), await take(name, server, seconds)]
      }
    }
    for (const [name, server] of Object.entries(servers)) {
      const of = (figure: 'rate' | 'p50' | 'p99' | 'cpu') => (turns[name] ?? []).map((turn) => turn[figure])
      const ratios = of('rate').map((rate, round) => rate / (turns.Usher?.[round]?.rate ?? Number.NaN))
      const figures = (['rate', 'p50', 'p99', 'cpu'] as const).map((figure) => median(of(figure)))
      rows.push([load, name, ...figures, await server.memoryMebibytes(), median(ratios)])
    }
  }
  const head = ['requests/s', 'p50 ms', 'p99 ms', 'CPU ms per answer', 'MiB', 'rate to Usher']
  return table(['load', 'server', ...head], rows)
}
