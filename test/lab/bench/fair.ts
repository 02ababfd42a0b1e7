import type { Say } from './bench.js'
import { median, percentile, table } from './figures.js'
import { closedLoop, onSchedule, type Responses, warmUpSeconds } from './load.js'
import type { Server, World } from './world.js'

/** Logins per second of a network that takes all it can, and of one that sends few. */
const greedyPerSecond = 300
const politePerSecond = 5

/** Measures how many logins of a polite network succeed while a greedy one sends more than the machine can hash. */
export async function fair(world: World, rounds: number, seconds: number, say: Say) {
  say('starting the server')
  const server = await world.startUsher({ TRUST_PROXY: '1' })
  await closedLoop(server.port, warmUpSeconds, server.requests.login)
  const turns: { greedy: number[]; polite: number[] }[] = []
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
    turns.push(await turn(server, seconds))
  }
  await server.stop()
  const rows = (['greedy', 'polite'] as const).map((name) => {
    const columns = turns[0]?.[name].map((_, column) => median(turns.map((each) => each[name][column] ?? 0)))
    return [name, ...(columns ?? [])]
  })
  return table(['network', 'sent /s', 'success rate', 'p50 ms', 'p99 ms', 'without response'], rows)
}

async function turn({ port, requests }: Server, seconds: number) {
  const send = (address: string, perSecond: number) =>
    onSchedule(port, perSecond, seconds, () => requests.loginFrom(address))
  const [greedy, polite] = await Promise.all([
    send('192.0.2.1', greedyPerSecond),
    send('198.51.100.1', politePerSecond),
  ])
  return { greedy: columnsOf(greedy), polite: columnsOf(polite) }
}

function columnsOf({ latencies, failed, seconds }: Responses) {
  const good = latencies.get(200) ?? []
  const all = [...latencies.values()].flat().length + failed
  return [all / seconds, good.length / all, percentile(good, 0.5), percentile(good, 0.99), failed]
}
