import { createWriteStream } from 'node:fs'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openBlocklist, type PasswordBlocklist } from '../../../server/domain/passwords/blocklist.js'
import { sha1 } from '../../domain/blocklist-file.js'
import { report, times } from '../form.js'

const lineCount = times(5_000, 10_000_000)
const lookups = times(500, 100_000)
const listed = Array.from({ length: lookups }, (_, index) => `listed ${index}`)

let folder: string
let list: PasswordBlocklist
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-blocklist-'))
  const file = join(folder, 'list.txt')
  await pipeline(blocks, createWriteStream(file))
  const opened = await openBlocklist(file)
  if (!opened) throw new Error('no list')
  list = opened
  report(`${lineCount + lookups} lines, ${Math.round((await stat(file)).size / 2 ** 20)} MiB`)
}, 600_000)
afterAll(async () => {
  await list.close()
  await rm(folder, { recursive: true })
})

/** Yields uniformly distributed hashes in ascending order, including those of the listed passwords. */
function* blocks() {
  const real = listed.map(sha1).sort()
  let next = 0
  let position = 0
  let block = ''
  for (let index = 0; index < lineCount; index++) {
    position += (2 ** 48 - position) * (1 - Math.random() ** (1 / (lineCount - index)))
    const digits = Math.floor(position).toString(16).padStart(12, '0') + index.toString(16).padStart(28, '7')
    const hash = digits.toUpperCase()
    while (next < real.length && (real[next] ?? '') < hash) block += `${real[next++]}:1\r\n`
    block += `${hash}:${1 + (index % 99_999)}\r\n`
    if (block.length < 2 ** 16) continue
    yield block
    block = ''
  }
  yield block +
    real
      .slice(next)
      .map((hash) => `${hash}:1\r\n`)
      .join('')
}

async function lookUp(prefix: string) {
  const microseconds: number[] = []
  let found = 0
  for (let index = 0; index < lookups; index++) {
    const startedAt = performance.now()
    if (await list.contains(`${prefix} ${index}`)) found++
    microseconds.push((performance.now() - startedAt) * 1000)
  }
  microseconds.sort((a, b) => a - b)
  const at = (share: number) => Math.round(microseconds[Math.floor((lookups - 1) * share)] ?? 0)
  report(`${prefix}: p50 ${at(0.5)} µs, p99 ${at(0.99)} µs, p99.9 ${at(0.999)} µs, max ${at(1)} µs`)
  return found
}

it('the blocklist finds exactly the listed passwords without using more memory', async () => {
  await lookUp('warm-up')
  const before = process.memoryUsage.rss()
  expect(await lookUp('listed')).toBe(lookups)
  expect(await lookUp('other')).toBe(0)
  const grown = (process.memoryUsage.rss() - before) / 2 ** 20
  report(`memory: ${Math.round(before / 2 ** 20)} MiB, then ${grown.toFixed(1)} MiB more`)
  expect(grown).toBeLessThan(64)
})

it('the blocklist reads the file at most three times for nearly every password', async () => {
  const probe = await open(import.meta.filename)
  const read = vi.spyOn(Object.getPrototypeOf(probe), 'read')
  const counts = new Map<number, number>()
  for (let index = 0; index < times(500, 10_000); index++) {
    read.mockClear()
    await list.contains(`other ${index}`)
    counts.set(read.mock.calls.length, (counts.get(read.mock.calls.length) ?? 0) + 1)
  }
  read.mockRestore()
  await probe.close()
  report(
    `reads per password: ${[...counts]
      .sort()
      .map(([reads, times]) => `${reads}: ${times}`)
      .join(', ')}`,
  )
  expect(Math.max(...counts.keys())).toBeLessThanOrEqual(6)
})
