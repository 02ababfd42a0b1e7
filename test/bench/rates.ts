import { median, percentile, table } from './figures.js'
import { closedLoop } from './load.js'
import type { Server, World } from './world.js'

const connections = 8
/** Until what runs is compiled, of the floor as of Usher. */
const warmUpSeconds = 5
const operations = ['create', 'login', 'me', 'discovery'] as const
type Operation = (typeof operations)[number] | 'raw hash'

/** One turn of one server. Times in milliseconds. */
interface Turn {
  rate: number
  p50: number
  p95: number
  p99: number
  cpu: number
  errors: number
}

/** Each operation on the floor and on Usher by turns, eight connections in a closed loop. */
export async function rates(world: World, rounds: number, seconds: number) {
  const floor = await world.startFloor()
  const usher = await world.startUsher({ WORKERS: '1' })
  const turns = new Map<string, Turn[]>()
  const turn = async (name: string, server: Server, operation: Operation) => {
    const all = turns.get(name) ?? []
    turns.set(name, [...all, await measure(server, operation, seconds)])
  }
  for (const server of [floor, usher]) {
    for (const operation of operations) await measure(server, operation, warmUpSeconds)
  }
  for (let round = 0; round < rounds; round++) {
    await turn('raw hash', floor, 'raw hash')
    for (const operation of operations) {
      const pair = [
        ['floor', floor],
        ['usher', usher],
      ] as const
      for (const [name, server] of round % 2 === 0 ? pair : pair.toReversed()) {
        await turn(`${operation} ${name}`, server, operation)
      }
    }
  }
  const memory = { floor: await floor.memoryMebibytes(), usher: await usher.memoryMebibytes() }
  await floor.stop()
  await usher.stop()

  const of = (name: string, key: keyof Turn) => (turns.get(name) ?? []).map((each) => each[key])
  const rows = [...turns.keys()].map((name) => {
    const errors = of(name, 'errors').reduce((sum, value) => sum + value, 0)
    const figures = (['rate', 'p50', 'p95', 'p99', 'cpu'] as const).map((key) => median(of(name, key)))
    return [name, ...figures, String(errors)]
  })
  const ratio = (name: string, floorName: string, key: 'rate' | 'cpu') => {
    const below = of(floorName, key)
    return median(of(name, key).map((value, index) => value / (below[index] ?? Number.NaN)))
  }
  const ratios = operations.map((operation) => [
    operation,
    ratio(`${operation} usher`, `${operation} floor`, 'rate'),
    operation === 'create' || operation === 'login' ? ratio(`${operation} usher`, 'raw hash', 'rate') : '',
    ratio(`${operation} usher`, `${operation} floor`, 'cpu'),
  ])
  return [
    table(['', 'requests/s', 'p50 ms', 'p95 ms', 'p99 ms', 'CPU ms per answer', 'errors'], rows),
    table(['Usher to its floor', 'rate', 'rate to raw hashes', 'CPU'], ratios),
    `Resident memory at the end: floor ${Math.round(memory.floor)} MiB, Usher ${Math.round(memory.usher)} MiB.`,
  ].join('\n\n')
}

async function measure(server: Server, operation: Operation, seconds: number): Promise<Turn> {
  const before = await server.cpuSeconds()
  const answers = await closedLoop(server.port, connections, seconds, server.requests[operation])
  const cpuSeconds = (await server.cpuSeconds()) - before
  const good = answers.latencies.get(operation === 'create' ? 201 : 200) ?? []
  const all = [...answers.latencies.values()].flat().length + answers.failed
  return {
    rate: good.length / answers.seconds,
    p50: percentile(good, 0.5),
    p95: percentile(good, 0.95),
    p99: percentile(good, 0.99),
    cpu: (cpuSeconds * 1000) / all,
    errors: all - good.length,
  }
}
