import { once } from 'node:events'
import { Agent, request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Headers of one connection alone (RFC 9110 §7.6.1). */
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding']

/**
 * A reverse proxy as plain as they come: it hands requests to its servers in turn over connections that it keeps,
 * says for whom, and never sends one twice.
 *
 * @param checkMilliseconds how long between two looks at each server's /readyz, which decides whether it gets
 * requests; without it all get them
 */
export async function startProxy(servers: readonly string[], checkMilliseconds?: number) {
  const agent = new Agent({ keepAlive: true })
  const ready = new Set(servers)
  const answered = new Map(servers.map((server) => [server, 0]))
  let turn = 0

  function handOn(incoming: IncomingMessage, outgoing: ServerResponse) {
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
    const request = ask(server, { agent, method, path: url, headers: sent }, (response) => {
      answered.set(server, (answered.get(server) ?? 0) + 1)
      outgoing.writeHead(response.statusCode ?? 502, withoutHopByHop(response.headers))
      response.on('error', fail).pipe(outgoing)
    })
    request.on('error', fail)
    incoming.pipe(request)
  }
  const proxy = createServer(handOn).listen(0, '127.0.0.1')
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
    /** The servers that get requests now. */
    ready: ready as ReadonlySet<string>,
    /** How many requests each server has answered. */
    answered: answered as ReadonlyMap<string, number>,
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
