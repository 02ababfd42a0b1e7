import type { Say } from './bench.js'
import { median, table } from './figures.js'
import { closedLoop } from './load.js'
import type { World } from './world.js'

const counts = [1, 2, 4]
const operations = { login: 8, me: 8, 'me-64': 64 }
type Operation = keyof typeof operations

/** Measures servers with one, two and four processes in turns. */
export async function workers(world: World, rounds: number, seconds: number, say: Say) {
  const servers = []
  for (const count of counts) {
    say(`starting and warming up ${count}`)
    const server = await world.startUsher({ WORKERS: String(count) })
    await closedLoop(server.port, 5, server.requests.me, 64)
    servers.push({ count, server, rates: { login: [], me: [], 'me-64': [] } as Record<Operation, number[]> })
  }
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
    for (const operation of Object.keys(operations) as Operation[]) {
      for (const { server, rates } of servers) {
        const next = server.requests[operation === 'login' ? 'login' : 'me']
        const responses = await closedLoop(server.port, seconds, next, operations[operation])
        rates[operation].push((responses.latencies.get(200)?.length ?? 0) / responses.seconds)
      }
    }
  }
  const rows: (string | number)[][] = []
  for (const { count, server, rates } of servers) {
    const memory = await server.memoryMebibytes()
    await server.stop()
    rows.push([String(count), median(rates.login), median(rates.me), median(rates['me-64']), memory])
  }
  return table(['WORKERS', 'logins/s', 'me/s, 8 connections', 'me/s, 64 connections', 'MiB'], rows)
}
