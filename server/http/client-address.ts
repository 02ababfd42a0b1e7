import type { FastifyInstance } from 'fastify'
import { ClientDisconnected } from '../domain/problem.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** IP address of the client as the trusted proxy or the socket states it; empty on a Unix socket. */
    clientAddress: string
  }
}

/** Reads the address of the client when a request arrives: a socket forgets it once the client has disconnected. */
export function readClientAddress(app: FastifyInstance) {
  app.decorateRequest('clientAddress', '')
  app.addHook('onRequest', (request, _reply, done) => {
    const address: string | undefined = request.ip
    request.clientAddress = address ?? ''
    done(address === undefined && request.socket.destroyed ? new ClientDisconnected() : undefined)
  })
}
