import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../domain/caller.js'
import type { AppContext } from '../domain/context.js'
import { networkOf } from '../domain/throttle/client-network.js'

/** Hooks of operations that hash passwords: a request is shed before its body is read, so that it costs little. */
export const shedLoad = ({ hashing }: AppContext) => ({
  onRequest: (
    { clientAddress }: Pick<FastifyRequest, 'clientAddress'>,
    _reply: unknown,
    done: () => void,
  ) => {
    hashing.assertCapacity(networkOf(clientAddress))
    done()
  },
})

/** ts-rest uses the reply type of Fastify 4, whose `raw` has another type parameter. */
export function callerOf(
  { clientAddress, log }: Pick<FastifyRequest, 'clientAddress' | 'log'>,
  reply: { raw: unknown; elapsedTime: number },
  { hashing }: AppContext,
): Caller {
  const response = reply.raw as ServerResponse
  return {
    address: clientAddress,
    network: networkOf(clientAddress),
    deadline: performance.now() - reply.elapsedTime + hashing.queueSeconds * 1000,
    isDisconnected: () => response.destroyed,
    onceDisconnected: (listener) => {
      response.once('close', listener)
      return () => response.off('close', listener)
    },
    log,
  }
}
