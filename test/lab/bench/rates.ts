import type { Say } from './bench.js'
import { median, percentile, table } from './figures.js'
import { closedLoop, warmUpSeconds } from './load.js'
import type { Server, World } from './world.js'

/** `me-64` sends over 64 connections, the others over eight. */
export type Operation = 'create' | 'login' | 'me' | 'me-64' | 'discovery'
const hashes: readonly Operation[] = ['create', 'login']

/** Results of one turn of one server. Times in milliseconds. */
interface Turn {
  rate: number
  p50: number
  p95: number
  p99: number
  cpu: number
  errors: number
}

/** Measures an operation of the floor and of Usher in turns, in a closed loop. */
export async function rates(
  world: World,
  operation: Operation,
  { rounds, seconds }: { rounds: number; seconds: number },
  say: Say,
) {
  say('starting the servers')
  const servers = {
    floor: await world.startFloor(),
    'Usher, one process': await world.startUsher({ WORKERS: '1' }),
    Usher: await world.startUsher(),
  }
  const turns: Record<string, Turn[]> = {}
  const take = async (name: string, server: Server, measured: Operation | 'raw hash') => {
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

async function measure(server: Server, operation: Operation | 'raw hash', seconds: number): Promise<Turn> {
  const before = await server.cpuSeconds()
  const next = server.requests[operation === 'me-64' ? 'me' : operation]
  const responses = await closedLoop(server.port, seconds, next, operation === 'me-64' ? 64 : 8)
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
