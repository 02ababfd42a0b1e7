import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readLines } from '../../server/cli/io/ndjson-file.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-lines-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('readLines', () => {
  const read = async (content: Buffer | string) => {
    const file = join(folder, 'lines')
    await writeFile(file, content)
    const lines = []
    for await (const line of readLines(createReadStream(file) as AsyncIterable<Buffer>)) lines.push(line)
    return lines
  }

  it('readLines accepts a final newline, a byte order mark and carriage returns', async () => {
    expect(await read('\ufeff{}\r\n\nlast')).toEqual([
      { number: 1, text: '{}\r', bytes: 7 },
      { number: 2, text: '', bytes: 1 },
      { number: 3, text: 'last', bytes: 4 },
    ])
    expect(await read('a\n')).toEqual([{ number: 1, text: 'a', bytes: 2 }])
    expect(await read('')).toEqual([])
  })

  it('readLines joins lines longer than a chunk, and characters split between chunks', async () => {
    const long = 'ü'.repeat(300_000)
    const lines = await read(`${long}\n${long}x\n`)
    expect(lines.map(({ text, bytes }) => [text.length, bytes])).toEqual([
      [300_000, 600_001],
      [300_001, 600_002],
    ])
  })

  it('readLines reports a line that is too long or not UTF-8, and continues after it', async () => {
    const lines = await read(
      Buffer.concat([Buffer.alloc(3_000_000, 'x'), Buffer.from('\n\xff\nok\n', 'latin1')]),
    )
    expect(lines).toEqual([
      { number: 1, text: 'x'.repeat(200), bytes: 3_000_001, error: 'is longer than 1048576 bytes' },
      { number: 2, text: 'ÿ', bytes: 2, error: 'is not UTF-8' },
      { number: 3, text: 'ok', bytes: 3 },
    ])
  })
})
