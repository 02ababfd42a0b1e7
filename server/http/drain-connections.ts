import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../domain/context.js'

/** Time limit of requests in flight after SIGTERM. */
export const drainMilliseconds = 10_000

/**
 * Sends `Connection: close` with each response during shutdown, and closes all connections when no request is in
 * flight. Without this, Node would wait for connections without a request, which browsers open in advance, and
 * Fastify for keep-alive connections.
 */
export function closeConnectionsWhenDraining(app: FastifyInstance, context: AppContext) {
  let isDraining = false
  let inFlight = 0
  const closeIdleConnections = () => {
    if (isDraining && inFlight === 0) app.server.closeAllConnections()
  }
  const finish = () => {
    inFlight -= 1
    closeIdleConnections()
  }
  app.server.on('request', (_request, response: ServerResponse) => {
    inFlight += 1
    response.on('close', finish)
  })
  app.addHook('preClose', (done) => {
    isDraining = true
    done()
    setImmediate(closeIdleConnections)
  })
  // Not async: an asynchronous hook costs every response a promise, and an error if its client disconnects meanwhile.
  // biome-ignore lint/complexity/useMaxParams: Fastify gives a hook its callback as the last of four parameters.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining || context.isEnding) reply.header('Connection', 'close')
    done()
  })
}
