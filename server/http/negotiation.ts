import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'

/**
 * Returns whether the client prefers an HTML page to JSON by its Accept header (RFC 9110 §12.5.1), as a browser that
 * navigates does. Adds Accept to the Vary header of the response.
 */
export function prefersHtml({ headers }: FastifyRequest, reply: FastifyReply) {
  addToVary(reply, 'Accept')
  return new Negotiator({ headers }).mediaType(['application/json', 'text/html']) === 'text/html'
}

/** Adds the name of a request header to the Vary header of a response, which CORS may have set. */
export const addToVary = (reply: FastifyReply, name: string) =>
  reply.header('Vary', [reply.getHeader('Vary') ?? [], name].flat().join(', '))
