import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Config } from '../config.js'

interface MetricsText {
  contentType: string
  metrics(): Promise<string>
}

/**
 * Answers `GET /metrics` on an address of its own, which is not the clients'.
 *
 * @param collect the metrics as of now
 */
export async function startMetricsServer(
  { host, port }: NonNullable<Config['metrics']>,
  collect: () => Promise<MetricsText> | MetricsText,
) {
  const server = createServer(async (request, response) => {
    if (request.url?.split('?', 1)[0] !== '/metrics') return response.writeHead(404).end()
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return response.writeHead(405, { Allow: 'GET, HEAD' }).end()
    try {
      const registry = await collect()
      const text = await registry.metrics()
      response.writeHead(200, { 'Content-Type': registry.contentType }).end(text)
    } catch {
      response.writeHead(500).end()
    }
  })
  server.listen(port, host)
  await once(server, 'listening')
  // It serves as long as the process does, and does not hold it.
  server.unref()
}
