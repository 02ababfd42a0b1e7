import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { addToVary } from './vary.js'

/** A smaller body fits into one packet anyway. */
const compressedFromBytes = 1024

/** A body that is sent many times, serialized once. */
export interface KeptJson {
  json: string
  etag: string
  /** Made for the first client that accepts it. */
  gzip?: Buffer
}

/** Returns the JSON of a body with a weak ETag, because a proxy may compress it (RFC 9110 §8.8.1). */
export function keepJson(body: object): KeptJson {
  const json = JSON.stringify(body)
  return { json, etag: `W/"${createHash('sha256').update(json).digest('base64url')}"` }
}

/** Sends a body, compressed if the client accepts gzip, or 304 if it already has the body (RFC 9110 §13.1.2). */
export function sendJson(request: FastifyRequest, reply: FastifyReply, kept: KeptJson) {
  const { json, etag } = kept
  const isLarge = json.length >= compressedFromBytes
  reply.header('etag', etag)
  if (isLarge) addToVary(reply, 'Accept-Encoding')
  const known = request.headers['if-none-match']
  if (known?.trim() === '*' || known?.includes(etag.slice(2))) return reply.code(304).send()
  reply.type('application/json; charset=utf-8')
  if (!isLarge || new Negotiator(request).encoding(['gzip', 'identity']) !== 'gzip') return reply.send(json)
  kept.gzip ??= gzipSync(json)
  return reply.header('content-encoding', 'gzip').send(kept.gzip)
}
