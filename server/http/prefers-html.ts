import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { addToVary } from './vary.js'

/**
 * Returns whether the client prefers an HTML page to JSON by its Accept header (RFC 9110 §12.5.1), as a browser that
 * navigates does. Adds Accept to the Vary header of the response.
 */
export function prefersHtml({ headers }: FastifyRequest, reply: FastifyReply) {
  addToVary(reply, 'Accept')
  return new Negotiator({ headers }).mediaType(['application/json', 'text/html']) === 'text/html'
}
