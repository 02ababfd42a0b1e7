import { createReadStream } from 'node:fs'
import type { Line } from '../../domain/admin/import-export/import-users.js'

/** Longest line that is read, in bytes: room for a user of several thousand tenants. */
const longestLine = 2 ** 20
/** How much of a line that is too long is kept to show. */
const shownCharacters = 200
const newline = 0x0a
const nothing = Buffer.alloc(0)

/** The lines of a file, in memory one piece of the file at a time. */
export async function* readLines(file: string): AsyncGenerator<Line> {
  let pending = nothing
  let pendingBytes = 0
  let number = 0
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, start)) {
      const line = Buffer.concat([pending, piece.subarray(start, end)])
      yield lineOf(++number, line, pendingBytes + end + 1 - start)
      pending = nothing
      pendingBytes = 0
      start = end + 1
    }
    pendingBytes += piece.length - start
    if (pending.length <= longestLine) pending = Buffer.concat([pending, piece.subarray(start)])
  }
  if (pendingBytes > 0) yield lineOf(++number, pending, pendingBytes)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function lineOf(number: number, content: Buffer, bytes: number): Line {
  if (content.length > longestLine) {
    const text = content.toString('utf8', 0, shownCharacters)
    return { number, text, bytes, fault: `is longer than ${longestLine} bytes` }
  }
  try {
    return { number, text: utf8.decode(content), bytes }
  } catch {
    return { number, text: content.toString('latin1'), bytes, fault: 'is not UTF-8' }
  }
}
