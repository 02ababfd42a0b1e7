/**
 * Reads a stream as text, and ends it if it is too long.
 *
 * @param maxBytes of its content
 * @param tooLong returns what is thrown if it has more
 */
export async function textUpTo(
  maxBytes: number,
  stream: AsyncIterable<Uint8Array | string>,
  tooLong: () => Error,
): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const each of stream) {
    const chunk = Buffer.from(each)
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
