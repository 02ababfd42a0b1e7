import { percentile } from './figures.js'
import { closedLoop, type Next } from './load.js'
import type { Measured } from './processes.js'

/** Results of one turn of one server. Times in milliseconds. */
export interface Turn {
  rate: number
  p50: number
  p95: number
  p99: number
  cpu: number
  errors: number
}

export interface Load {
  next: Next
  /** The expected status. All others count as errors. */
  status: number
  connections: number
  seconds: number
}

/**
 * Measures a server in a closed loop.
 *
 * @returns its results, and the first response with another status than the expected one, as received
 */
export async function takeTurn(
  server: Measured,
  { next, status, connections, seconds }: Load,
): Promise<Turn & { unexpected: string | undefined }> {
  const before = await server.cpuSeconds()
  const responses = await closedLoop(server.port, seconds, next, connections)
  const cpuSeconds = (await server.cpuSeconds()) - before
  const good = responses.latencies.get(status) ?? []
  const all = [...responses.latencies.values()].flat().length + responses.failed
  const [unexpected] = [...responses.first].filter(([other]) => other !== status)
  return {
    rate: good.length / responses.seconds,
    p50: percentile(good, 0.5),
    p95: percentile(good, 0.95),
    p99: percentile(good, 0.99),
    cpu: (cpuSeconds * 1000) / all,
    errors: all - good.length,
    unexpected: unexpected?.[1] ?? (responses.failed > 0 ? 'no response' : undefined),
  }
}
