/** Limits of a request of `importUsers`, with room for a body that is counted differently. */
const mostLines = 1_000
const mostBytes = 900_000

/** Lines of a file that are sent together. */
export interface Slice {
  /** The lines, without empty ones, each with its number in the file. */
  lines: readonly { number: number; text: string }[]
  /** Bytes of the file up to the end of the slice. */
  bytes: number
}

/** Reads a file as slices, without holding it in memory. */
export async function* slicesOf(file: Blob): AsyncGenerator<Slice> {
  let lines: { number: number; text: string }[] = []
  let size = 0
  let bytes = 0
  for await (const { number, text, length } of linesOf(file)) {
    if (lines.length === mostLines || (lines.length > 0 && size + length > mostBytes)) {
      yield { lines, bytes }
      lines = []
      size = 0
    }
    bytes += length
    size += length
    if (text.trim()) lines.push({ number, text })
  }
  if (lines.length > 0) yield { lines, bytes: file.size }
}

const encoder = new TextEncoder()

async function* linesOf(file: Blob) {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  let number = 0
  const lineOf = (text: string) => {
    number += 1
    return { number, text, length: encoder.encode(text).length + 1 }
  }
  for (;;) {
    const { done, value = '' } = await reader.read()
    const pieces = (rest + value).split('\n')
    rest = done ? '' : (pieces.pop() ?? '')
    for (const piece of pieces) yield lineOf(piece)
    if (done) return
  }
}
