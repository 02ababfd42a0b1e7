import type { FastifyInstance } from 'fastify'
import { ClientDisconnected } from '../domain/problem.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** IP address of the client from the trusted proxy or the socket. Empty on a Unix socket. */
    clientAddress: string
  }
}

/** Reads the client address when a request arrives, because a socket has none after a disconnect. */
export function readClientAddress(app: FastifyInstance) {
  app.decorateRequest('clientAddress', '')
  app.addHook('onRequest', (request, _reply, done) => {
    const address: string | undefined = request.ip
    request.clientAddress = address ?? ''
    done(address === undefined && request.socket.destroyed ? new ClientDisconnected() : undefined)
  })
}
