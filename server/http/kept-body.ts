import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { addToVary } from './negotiation.js'

/** Minimum size of a body that is compressed. A smaller one fits into one packet anyway. */
const compressedFromBytes = 1024

const compress = promisify(gzip)

/** A body that is sent many times. */
export interface KeptBody {
  bytes: string | Buffer
  type: string
  etag: string
  /** Created for the first client that accepts it. */
  gzip?: Promise<Buffer>
}

/** Returns a body with a weak ETag, because a proxy may compress it (RFC 9110 §8.8.1). */
export function keepBody(bytes: string | Buffer, type: string): KeptBody {
  return { bytes, type, etag: `W/"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

/** Serializes a body once. */
export const keepJson = (body: object) => keepBody(JSON.stringify(body), 'application/json; charset=utf-8')

/** Sends a body, compressed if the client accepts gzip, or 304 if it already has the body (RFC 9110 §13.1.2). */
export async function sendKept(request: FastifyRequest, reply: FastifyReply, kept: KeptBody) {
  const { bytes, type, etag } = kept
  const isLarge = bytes.length >= compressedFromBytes
  reply.header('etag', etag)
  if (isLarge) addToVary(reply, 'Accept-Encoding')
  const known = request.headers['if-none-match']
  // Without the last quote, because Apache adds the encoding before it.
  if (known?.trim() === '*' || known?.includes(etag.slice(2, -1))) return reply.code(304).send()
  reply.type(type)
  if (!isLarge || new Negotiator(request).encoding(['gzip', 'identity']) !== 'gzip') return reply.send(bytes)
  kept.gzip ??= compress(bytes)
  return reply.header('content-encoding', 'gzip').send(await kept.gzip)
}
