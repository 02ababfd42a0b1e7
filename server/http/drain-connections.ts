import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../domain/context.js'

/** How long requests in flight may take after SIGTERM. */
export const drainMilliseconds = 10_000

/**
 * Asks the clients of a server that is about to end, with each answer, to connect anew; and lets one that closes
 * end as soon as what is in flight is answered. Node waits for connections that never sent a request, as browsers
 * open them in advance, and Fastify for those that were kept alive before it began to close.
 */
export function closeConnectionsWhenDraining(app: FastifyInstance, context: AppContext) {
  let isDraining = false
  let inFlight = 0
  const endQuietConnections = () => {
    if (isDraining && inFlight === 0) app.server.closeAllConnections()
  }
  const finish = () => {
    inFlight -= 1
    endQuietConnections()
  }
  app.server.on('request', (_request, response: ServerResponse) => {
    inFlight += 1
    response.on('close', finish)
  })
  app.addHook('preClose', (done) => {
    isDraining = true
    done()
    setImmediate(endQuietConnections)
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining || context.isEnding) reply.header('Connection', 'close')
    done()
  })
}
