import { usageError } from '../../domain/problem.js'

/**
 * Reads a stream as text.
 *
 * @param maxBytes of its content
 * @throws {Problem} `usage_error` if it has more
 */
export async function textUpTo(
  maxBytes: number,
  stream: AsyncIterable<Uint8Array | string>,
): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const each of stream) {
    const chunk = Buffer.from(each)
    bytes += chunk.length
    if (bytes > maxBytes) throw usageError(`more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
