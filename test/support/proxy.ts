import { once } from 'node:events'
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** Headers that apply to one connection (RFC 9110 §7.6.1). */
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding']

/**
 * Starts a minimal reverse proxy. It forwards requests round-robin over keep-alive connections, sets X-Forwarded-For
 * and never retries a request.
 *
 * @param checkMilliseconds interval of the /readyz checks that decide which servers get requests. Undefined: all do
 */
export async function startProxy(servers: readonly string[], checkMilliseconds?: number) {
  const agent = new Agent({ keepAlive: true })
  const ready = new Set(servers)
  const responseCounts = new Map(servers.map((server) => [server, 0]))
  let turn = 0

  function forward(incoming: IncomingMessage, outgoing: ServerResponse) {
    const candidates = servers.filter((server) => ready.has(server))
    const server = candidates[turn++ % candidates.length]
    const fail = (error: Error) => {
      if (outgoing.headersSent) outgoing.destroy(error)
      else outgoing.writeHead(502).end(`${server}: ${error.message}`)
    }
    if (!server) return fail(new Error('no server is ready'))
    const { method = '', url = '', headers, socket } = incoming
    const forwarded = [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ')
    const sent = { ...withoutHopByHop(headers), 'x-forwarded-for': forwarded }
    const request = httpRequest(server, { agent, method, path: url, headers: sent }, (response) => {
      responseCounts.set(server, (responseCounts.get(server) ?? 0) + 1)
      outgoing.writeHead(response.statusCode ?? 502, withoutHopByHop(response.headers))
      response.on('error', fail).pipe(outgoing)
    })
    request.on('error', fail)
    incoming.pipe(request)
  }
  const proxy = createServer(forward).listen(0, '127.0.0.1')
  await once(proxy, 'listening')

  let isClosed = false
  async function watch(server: string) {
    while (!isClosed) {
      const isReady = await fetch(`${server}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isReady) ready.add(server)
      else ready.delete(server)
      await new Promise((resolve) => setTimeout(resolve, checkMilliseconds))
    }
  }
  const watching = checkMilliseconds === undefined ? [] : servers.map(watch)
  return {
    origin: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    /** The servers that currently get requests. */
    ready: ready as ReadonlySet<string>,
    responseCounts: responseCounts as ReadonlyMap<string, number>,
    async close() {
      isClosed = true
      await Promise.all(watching)
      proxy.closeAllConnections()
      proxy.close()
      agent.destroy()
      await once(proxy, 'close')
    },
  }
}

const withoutHopByHop = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name)))
