import type { Say } from './bench.js'
import { median, percentile, table } from './figures.js'
import { closedLoop, onSchedule, warmUpSeconds } from './load.js'
import type { Server, World } from './world.js'

/** Sends three times as many logins as the machine can hash. Returns medians of all rounds. */
export async function overload(world: World, rounds: number, seconds: number, say: Say) {
  say('starting and warming up the servers')
  const servers = { floor: await world.startFloor(), usher: await world.startUsher() }
  const turns = new Map<string, number[][]>()
  for (const { port, requests } of Object.values(servers)) {
    await closedLoop(port, warmUpSeconds, requests.login)
  }
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
    for (const operation of ['login', 'login to 8 accounts'] as const) {
      for (const [name, server] of Object.entries(servers)) {
        const row = `${name}, ${operation}`
        turns.set(row, [...(turns.get(row) ?? []), await turn(server, operation, seconds)])
      }
    }
  }
  for (const server of Object.values(servers)) await server.stop()
  const rows = [...turns].map(([name, all]) => {
    const columns = all[0]?.map((_, column) => median(all.map((each) => each[column] ?? Number.NaN))) ?? []
    return [name, ...columns]
  })
  const head = [
    'capacity /s',
    'sent /s',
    'answered /s',
    'to capacity',
    'p50 ms',
    'p99 ms',
    'shed',
    'shed p99 ms',
    'other',
    'no answer',
    'MiB before',
    'MiB at most',
    'sender CPU',
  ]
  return table(['', ...head], rows)
}

async function turn(server: Server, operation: 'login' | 'login to 8 accounts', seconds: number) {
  const { port, requests } = server
  const closed = await closedLoop(port, 3, requests.login)
  const capacity = (closed.latencies.get(200)?.length ?? 0) / closed.seconds
  const sent = Math.round(capacity * 3)
  const before = await server.memoryMebibytes()
  let most = before
  const sampler = setInterval(async () => {
    most = Math.max(most, await server.memoryMebibytes())
  }, 100)
  const start = performance.now()
  const cpu = process.cpuUsage()
  const { latencies, failed } = await onSchedule(port, sent, seconds, requests[operation])
  const whole = (performance.now() - start) / 1000
  clearInterval(sampler)
  const { user, system } = process.cpuUsage(cpu)
  const successful = latencies.get(200) ?? []
  const shed = latencies.get(503) ?? []
  const other = [...latencies].filter(([status]) => status !== 200 && status !== 503)
  const rate = successful.length / whole
  return [
    capacity,
    sent,
    rate,
    rate / capacity,
    percentile(successful, 0.5),
    percentile(successful, 0.99),
    shed.length,
    percentile(shed, 0.99),
    other.flatMap(([, all]) => all).length,
    failed,
    before,
    most,
    // Share of one core.
    (user + system) / 1000 / 1000 / whole,
  ]
}
