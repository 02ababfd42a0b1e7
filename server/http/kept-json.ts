import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A body that is sent many times, serialized once. */
export interface KeptJson {
  json: string
  etag: string
}

/** Returns the JSON of a body with a weak ETag, because a proxy may compress it (RFC 9110 §8.8.1). */
export function keepJson(body: object): KeptJson {
  const json = JSON.stringify(body)
  return { json, etag: `W/"${createHash('sha256').update(json).digest('base64url')}"` }
}

/** Sends a body, or 304 if the client already has it (RFC 9110 §13.1.2). */
export function sendJson(request: FastifyRequest, reply: FastifyReply, { json, etag }: KeptJson) {
  reply.header('etag', etag)
  const known = request.headers['if-none-match']
  if (known?.trim() === '*' || known?.includes(etag.slice(2))) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(json)
}
