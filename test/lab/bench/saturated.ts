import type { Say } from './bench.js'
import { median, percentile, table } from './figures.js'
import { closedLoop, onSchedule } from './load.js'
import type { Server, World } from './world.js'

/** Rate of `GET /users/me`, sent on schedule. */
const perSecond = 500

/** Measures the latency of `me` without logins, and while logins use all hashing threads. */
export async function saturated(world: World, rounds: number, seconds: number, say: Say) {
  say('starting the servers')
  const floor = await world.startFloor()
  const usher = await world.startUsher()
  const rows: (string | number)[][] = []
  const ratios: number[] = []
  const turns = { floor: [floor, []], usher: [usher, []] } as Record<string, [Server, Turn[]]>
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
    for (const [server, all] of Object.values(turns)) all.push(await turn(server, seconds))
  }
  for (const [name, [server, all]] of Object.entries(turns)) {
    const of = (key: keyof Turn) => median(all.map((each) => each[key]))
    rows.push([name, of('alone'), of('p99Alone'), of('amid'), of('p99Amid'), of('logins')])
    if (name === 'usher') ratios.push(median(all.map(({ p99Alone, p99Amid }) => p99Amid / p99Alone)))
    await server.stop()
  }
  const head = ['me at 500/s', 'alone p50 ms', 'alone p99 ms', 'with logins p50 ms', 'p99 ms', 'logins/s']
  const ratio = `p99 of me while logins saturate the server, to its p99 alone: ${ratios[0]?.toFixed(2)}.`
  return [table(head, rows), ratio].join('\n\n')
}

interface Turn {
  alone: number
  p99Alone: number
  amid: number
  p99Amid: number
  logins: number
}

async function turn({ port, requests }: Server, seconds: number): Promise<Turn> {
  const alone = (await onSchedule(port, perSecond, seconds, requests.me)).latencies.get(200) ?? []
  const logins = closedLoop(port, seconds + 1, requests.login)
  await new Promise((resolve) => setTimeout(resolve, 500))
  const amid = (await onSchedule(port, perSecond, seconds, requests.me)).latencies.get(200) ?? []
  const loggedIn = await logins
  return {
    alone: percentile(alone, 0.5),
    p99Alone: percentile(alone, 0.99),
    amid: percentile(amid, 0.5),
    p99Amid: percentile(amid, 0.99),
    logins: (loggedIn.latencies.get(200)?.length ?? 0) / loggedIn.seconds,
  }
}
