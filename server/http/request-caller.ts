import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../domain/caller.js'
import type { AppContext } from '../domain/context.js'
import { acceptedLanguages } from '../domain/mail/languages.js'
import { ClientDisconnected } from '../domain/problem.js'
import { networkOf } from '../domain/throttle/client-network.js'

type Request = Pick<FastifyRequest, 'clientAddress' | 'headers' | 'log'>
/** ts-rest uses the reply type of Fastify 4, whose `raw` has another type parameter. */
type Reply = { raw: unknown; elapsedTime: number; header: (name: string, value: number) => unknown }

/** The caller of a request. Computes each value when it is read, because most operations need only the log. */
export class RequestCaller implements Caller {
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

  askToWait(seconds: number) {
    this.reply.header('Retry-After', seconds)
  }

  isDisconnected() {
    return this.#response.destroyed
  }

  onceDisconnected(listener: () => void) {
    const response = this.#response
    response.once('close', listener)
    return () => void response.off('close', listener)
  }

  get #response() {
    return this.reply.raw as ServerResponse
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
