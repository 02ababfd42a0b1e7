import { hash } from 'node:crypto'
import { Problem } from '../problem.js'

/**
 * Returns the strong ETag of fields of a resource (RFC 9110 §8.8.3). A row and the body of its response have the same one,
 * because the fields that can be changed have the same names and values in both.
 */
export function etagOf(resource: object, fields: readonly string[]) {
  const values = fields.map((field) => (resource as Record<string, unknown>)[field] ?? null)
  return `"${hash('sha256', JSON.stringify(values), 'base64url')}"`
}

/** An ETag of `etagOf`. Proxies that compress the response make it weak, or add the encoding. */
const compressed = /^(?:W\/)?("[\w-]{43})(?:-\w+)?"$/

/**
 * Accepts the ETag of a compressed response too, because it stands for the fields and not for the bytes.
 *
 * @throws {Problem} `precondition_failed` if a request has an `If-Match` without this ETag (RFC 9110 §13.1.1)
 */
export function requireMatch(ifMatch: string | undefined, etag: string) {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const accepted = ifMatch.split(',').map((each) => each.trim().replace(compressed, '$1"'))
  if (!accepted.includes(etag)) throw new Problem('precondition_failed')
}
