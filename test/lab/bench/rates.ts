import type { Say } from './bench.js'
import { median, table } from './figures.js'
import { warmUpSeconds } from './load.js'
import { type Turn, takeTurn } from './turn.js'
import type { Server, World } from './world.js'

/** The request of each operation, and over how many connections it is sent. */
const loads = {
  create: { request: 'create', connections: 8 },
  login: { request: 'login', connections: 8 },
  'raw hash': { request: 'raw hash', connections: 8 },
  me: { request: 'me', connections: 8 },
  'me-1': { request: 'me', connections: 1 },
  'me-64': { request: 'me', connections: 64 },
} as const
export const operations = ['create', 'login', 'me', 'me-1', 'me-64'] as const
export type Operation = (typeof operations)[number]
const hashes: readonly Operation[] = ['create', 'login']

/** Measures an operation of the floor, of Usher before, and of Usher in turns, in a closed loop. */
export async function rates(
  world: World,
  operation: Operation,
  { rounds, seconds }: { rounds: number; seconds: number },
  say: Say,
) {
  say('starting the servers')
  const servers = {
    floor: await world.startFloor(),
    ...(world.before && { before: await world.before() }),
    Usher: await world.startUsher(),
  }
  const turns: Record<string, Turn[]> = {}
  const take = async (name: string, server: Server, measured: keyof typeof loads) => {
    const all = turns[name] ?? []
    turns[name] = all
    all.push(await measure(server, measured, seconds))
  }
  for (const [name, server] of Object.entries(servers)) {
    say(`warming up ${name}`)
    await measure(server, operation, warmUpSeconds)
  }
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
    if (hashes.includes(operation)) await take('raw hash', servers.floor, 'raw hash')
    const pairs = Object.entries(servers)
    for (const [name, server] of round % 2 === 0 ? pairs : pairs.toReversed())
      await take(name, server, operation)
  }
  const memory: Record<string, number> = {}
  for (const [name, server] of Object.entries(servers)) {
    memory[name] = await server.memoryMebibytes()
    await server.stop()
  }

  const of = (name: string, figure: keyof Turn) => (turns[name] ?? []).map((each) => each[figure])
  const ratio = (name: string, other: string, figure: 'rate' | 'cpu') => {
    const below = of(other, figure)
    return median(of(name, figure).map((value, index) => value / (below[index] ?? Number.NaN)))
  }
  const rows = Object.keys(turns).map((name) => [
    name,
    ...(['rate', 'p50', 'p95', 'p99', 'cpu'] as const).map((figure) => median(of(name, figure))),
    String(of(name, 'errors').reduce((sum, value) => sum + value, 0)),
    memory[name] ?? '',
    ratio(name, 'floor', 'rate'),
    hashes.includes(operation) ? ratio(name, 'raw hash', 'rate') : '',
    ratio(name, 'floor', 'cpu'),
  ])
  const head = ['requests/s', 'p50 ms', 'p95 ms', 'p99 ms', 'CPU ms per answer', 'errors', 'MiB']
  return table([operation, ...head, 'rate to floor', 'rate to raw hashes', 'CPU to floor'], rows)
}

function measure(server: Server, operation: keyof typeof loads, seconds: number) {
  const { request, connections } = loads[operation]
  const status = request === 'create' ? 201 : 200
  return takeTurn(server, { next: server.requests[request], status, connections, seconds })
}
