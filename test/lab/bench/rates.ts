import { median, percentile, table } from './figures.js'
import { closedLoop, warmUpSeconds } from './load.js'
import type { Server, World } from './world.js'

const operations = ['create', 'login', 'me', 'discovery'] as const
type Operation = (typeof operations)[number] | 'raw hash'
const hashes: readonly string[] = ['create', 'login']

/** Results of one turn of one server. Times in milliseconds. */
interface Turn {
  rate: number
  p50: number
  p95: number
  p99: number
  cpu: number
  errors: number
}

/** Measures each operation on the baseline and on Usher in turns, with eight connections in a closed loop. */
export async function rates(world: World, rounds: number, seconds: number) {
  const servers = {
    floor: await world.startFloor(),
    'Usher, one process': await world.startUsher({ WORKERS: '1' }),
    Usher: await world.startUsher(),
  }
  const turns = new Map<string, Turn[]>()
  const turn = async (name: string, server: Server, operation: Operation) => {
    const key = `${operation}: ${name}`
    turns.set(key, [...(turns.get(key) ?? []), await measure(server, operation, seconds)])
  }
  for (const server of Object.values(servers)) {
    for (const operation of operations) await measure(server, operation, warmUpSeconds)
  }
  for (let round = 0; round < rounds; round++) {
    await turn('floor', servers.floor, 'raw hash')
    for (const operation of operations) {
      const pairs = Object.entries(servers)
      for (const [name, server] of round % 2 === 0 ? pairs : pairs.toReversed()) {
        await turn(name, server, operation)
      }
    }
  }
  const memory: string[] = []
  for (const [name, server] of Object.entries(servers)) {
    memory.push(`${name} ${Math.round(await server.memoryMebibytes())} MiB`)
    await server.stop()
  }

  const of = (key: string, figure: keyof Turn) => (turns.get(key) ?? []).map((each) => each[figure])
  const rows = [...turns.keys()].sort().map((key) => {
    const errors = of(key, 'errors').reduce((sum, value) => sum + value, 0)
    const figures = (['rate', 'p50', 'p95', 'p99', 'cpu'] as const).map((figure) => median(of(key, figure)))
    return [key, ...figures, String(errors)]
  })
  const ratio = (key: string, floorKey: string, figure: 'rate' | 'cpu') => {
    const below = of(floorKey, figure)
    return median(of(key, figure).map((value, index) => value / (below[index] ?? Number.NaN)))
  }
  const ratios = operations.flatMap((operation) =>
    Object.keys(servers)
      .filter((name) => name !== 'floor')
      .map((name) => [
        `${operation}: ${name}`,
        ratio(`${operation}: ${name}`, `${operation}: floor`, 'rate'),
        hashes.includes(operation) ? ratio(`${operation}: ${name}`, 'raw hash: floor', 'rate') : '',
        ratio(`${operation}: ${name}`, `${operation}: floor`, 'cpu'),
      ]),
  )
  return [
    table(['', 'requests/s', 'p50 ms', 'p95 ms', 'p99 ms', 'CPU ms per answer', 'errors'], rows),
    table(['ratio to the floor', 'rate', 'rate, to raw hashes', 'CPU per answer'], ratios),
    `Resident memory at the end: ${memory.join(', ')}.`,
  ].join('\n\n')
}

async function measure(server: Server, operation: Operation, seconds: number): Promise<Turn> {
  const before = await server.cpuSeconds()
  const responses = await closedLoop(server.port, seconds, server.requests[operation])
  const cpuSeconds = (await server.cpuSeconds()) - before
  const good = responses.latencies.get(operation === 'create' ? 201 : 200) ?? []
  const all = [...responses.latencies.values()].flat().length + responses.failed
  return {
    rate: good.length / responses.seconds,
    p50: percentile(good, 0.5),
    p95: percentile(good, 0.95),
    p99: percentile(good, 0.99),
    cpu: (cpuSeconds * 1000) / all,
    errors: all - good.length,
  }
}
