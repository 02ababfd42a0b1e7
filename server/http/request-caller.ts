import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../domain/context.js'
import { acceptedLanguages } from '../domain/mail/languages.js'
import { ClientDisconnected } from '../domain/problem.js'
import { networkOf } from '../domain/throttle/client-network.js'
import type { Arrival } from '../run/admit.js'
import { readBearerToken } from './bearer-token.js'
import { requireConsole, requireServed } from './console-access.js'

type Request = Pick<FastifyRequest, 'id' | 'clientAddress' | 'headers' | 'log' | 'server' | 'raw'>
type Reply = Pick<FastifyReply, 'elapsedTime' | 'header' | 'raw'>

/** The caller of a request. Computes each value when it is read, because most operations need only the log. */
export class RequestCaller implements Arrival {
  constructor(
    private readonly request: Request,
    private readonly reply: Reply,
    private readonly hashing: Pick<AppContext['hashing'], 'queueSeconds'>,
  ) {}

  get clientAddress() {
    return this.request.clientAddress
  }

  get network() {
    return networkOf(this.clientAddress)
  }

  get languages() {
    return acceptedLanguages(this.request.headers['accept-language'])
  }

  get deadline() {
    return performance.now() - this.reply.elapsedTime + this.hashing.queueSeconds * 1000
  }

  get log() {
    return this.request.log
  }

  get requestId() {
    return this.request.id
  }

  get bearer() {
    return readBearerToken(this.request.headers.authorization)
  }

  get confirmation() {
    return this.request.headers['usher-confirmation']?.toString()
  }

  get hasConsole() {
    return this.request.server.consoleAccess.isOn
  }

  requireConsole() {
    requireConsole(this.request)
  }

  requireServed(database: { isOperators: boolean }) {
    requireServed(this.request, database)
  }

  askToWait(seconds: number) {
    this.reply.header('Retry-After', seconds)
  }

  isDisconnected() {
    return this.reply.raw.destroyed
  }

  onceDisconnected(listener: () => void) {
    const response = this.reply.raw
    response.once('close', listener)
    return () => void response.off('close', listener)
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** IP address of the client, as a trusted proxy or the socket says. Empty on a Unix socket. */
    clientAddress: string
  }
}

/** Reads the client address when a request arrives, because a socket loses its address with a disconnect. */
export function readClientAddress(app: FastifyInstance) {
  app.decorateRequest('clientAddress', '')
  app.addHook('onRequest', (request, _reply, done) => {
    const address: string | undefined = request.ip
    request.clientAddress = address ?? ''
    done(address === undefined && request.socket.destroyed ? new ClientDisconnected() : undefined)
  })
}
