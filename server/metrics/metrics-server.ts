import { once } from 'node:events'
import { createServer } from 'node:http'

interface MetricsText {
  contentType: string
  metrics(): Promise<string>
}

/** Time limits for receiving a request. Node's defaults are 60 s for the headers and 300 s for the body. */
const limits = { headersTimeout: 15_000, requestTimeout: 15_000, connectionsCheckingInterval: 1000 }

/** Serves `GET /metrics` on a separate port. The returned server does not keep the process alive. */
export async function startMetricsServer(
  { host, port }: { host: string; port: number },
  collect: () => Promise<MetricsText> | MetricsText,
) {
  const server = createServer(limits, async (request, response) => {
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
  return server.unref()
}
