import { isUtf8 } from 'node:buffer'

/** A line of a file. */
export interface FileLine {
  number: number
  text: string
  /** Length in the file, including the line ending. */
  bytes: number
  /** Why the line cannot be read. */
  error?: string
}

/** Enough for a user with several thousand tenants. */
const maxLineBytes = 2 ** 20
/** Length of the excerpt of a line that is too long. */
const excerptBytes = 200
const newline = 0x0a
const empty = Buffer.alloc(0)

/**
 * Reads the lines of a file in constant memory. Reports a line that is too long or not UTF-8, and continues after it:
 * readline and split2 do neither.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<FileLine> {
  let pending = empty
  let pendingBytes = 0
  let number = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = Buffer.concat([pending, chunk.subarray(start, end)])
      yield toLine(++number, line, pendingBytes + end + 1 - start)
      pending = empty
      pendingBytes = 0
      start = end + 1
    }
    pendingBytes += chunk.length - start
    if (pending.length <= maxLineBytes) pending = Buffer.concat([pending, chunk.subarray(start)])
  }
  if (pendingBytes > 0) yield toLine(++number, pending, pendingBytes)
}

const utf8 = new TextDecoder()

function toLine(number: number, content: Buffer, bytes: number): FileLine {
  if (content.length > maxLineBytes) {
    const text = content.toString('utf8', 0, excerptBytes)
    return { number, text, bytes, error: `is longer than ${maxLineBytes} bytes` }
  }
  if (!isUtf8(content)) return { number, text: content.toString('latin1'), bytes, error: 'is not UTF-8' }
  return { number, text: utf8.decode(content), bytes }
}
