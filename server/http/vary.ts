import type { FastifyReply } from 'fastify'

/** Adds the name of a request header to the Vary header of a response, which CORS may have set. */
export const addToVary = (reply: FastifyReply, name: string) =>
  reply.header('Vary', [reply.getHeader('Vary') ?? [], name].flat().join(', '))
