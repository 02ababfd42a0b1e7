import { open, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { openBlocklist } from '../../server/domain/passwords/blocklist.js'
import { linesOf, sha1, writeTemporary } from './blocklist-file.js'

const count = 1000
const listed = Array.from({ length: count }, (_, index) => `listed ${index}`).sort((a, b) =>
  sha1(a) < sha1(b) ? -1 : 1,
)
const lines = linesOf(listed.map(sha1))

async function opened(content: string) {
  const { file, remove } = await writeTemporary(content)
  const list = await openBlocklist(file).catch(async (error) => {
    await remove()
    throw error
  })
  if (!list) throw new Error('no list')
  return { file, list, close: () => list.close().then(remove) }
}

const forms: Record<string, (lines: string[]) => string> = {
  'HASH:COUNT and LF': (lines) => `${lines.join('\n')}\n`,
  'HASH:COUNT and CRLF': (lines) => `${lines.join('\r\n')}\r\n`,
  'counts of different lengths': (lines) =>
    lines.map((line, index) => `${line.slice(0, 40)}:${10 ** (index % 9)}\n`).join(''),
  'no counts': (lines) => lines.map((line) => `${line.slice(0, 40)}\n`).join(''),
  'no line break at the end': (lines) => lines.join('\n'),
  'lowercase letters': (lines) => `${lines.join('\n').toLowerCase()}\n`,
}

it.each(Object.entries(forms))(
  'finds the lines of a list with %s, and no other password',
  async (_name, write) => {
    const { list, close } = await opened(write(lines))
    // The first and the last ones, and some of each page.
    const some = listed.filter((_, index) => index < 50 || index % 7 === 0 || index >= count - 50)
    for (const password of some) expect(await list.contains(password), password).toBe(true)
    for (let index = 0; index < 200; index++) {
      expect(await list.contains(`other ${index}`), `other ${index}`).toBe(false)
    }
    await close()
  },
)

it.each([1, 2, 3])('finds every line of a list of %i lines', async (length) => {
  const few = listed.slice(0, length)
  const { list, close } = await opened(`${linesOf(few.map(sha1)).join('\n')}\n`)
  for (const password of few) expect(await list.contains(password)).toBe(true)
  for (const password of listed.slice(length)) expect(await list.contains(password)).toBe(false)
  await close()
})

it('finds no password before the first line or after the last', async () => {
  const { list, close } = await opened(`${lines.slice(1, -1).join('\n')}\n`)
  const [first = '', second = ''] = listed
  const [beforeLast = '', last = ''] = listed.slice(-2)
  expect(await Promise.all([first, second, beforeLast, last].map(list.contains))).toEqual([
    false,
    true,
    true,
    false,
  ])
  await close()
})

it('searches for a password as entered and in NFKC', async () => {
  const { list, close } = await opened(
    `${linesOf([sha1('ﬁrst password'), sha1('office password')]).join('\n')}\n`,
  )
  expect(await list.contains('ﬁrst password')).toBe(true)
  expect(await list.contains('first password')).toBe(false)
  expect(await list.contains('oﬃce password')).toBe(true)
  await close()
})

it('reads a uniform list at most four times per password', async () => {
  const { list, close } = await opened(`${lines.join('\n')}\n`)
  const file = await open(import.meta.filename)
  const read = vi.spyOn(Object.getPrototypeOf(file), 'read')
  for (const password of listed) {
    read.mockClear()
    await list.contains(password)
    expect(read.mock.calls.length).toBeLessThanOrEqual(4)
  }
  read.mockRestore()
  await file.close()
  await close()
})

/** Returns hashes around that of a password: many lines with the same first digits. */
const neighbours = (password: string, length: number) =>
  Array.from({ length }, (_, index) => {
    const hash = (BigInt(`0x${sha1(password)}`) + BigInt(index - length / 2)) % 16n ** 40n
    return hash.toString(16).toUpperCase().padStart(40, '0')
  })

it('finds only listed passwords regardless of the other lines', async () => {
  const words = fc.uniqueArray(fc.string({ minLength: 1, unit: 'binary' }), { minLength: 2, maxLength: 12 })
  const cluster = fc.integer({ min: 0, max: 400 }).map((half) => 2 * half)
  const property = fc.asyncProperty(
    words,
    cluster,
    fc.integer({ min: 0, max: 2000 }),
    fc.constantFrom(...Object.keys(forms)),
    async (passwords, clusterLines, fillers, form) => {
      const half = Math.ceil(passwords.length / 2)
      const [inList, others] = [passwords.slice(0, half), passwords.slice(half)]
      const absent = new Set(others.flatMap((password) => [sha1(password), sha1(password.normalize('NFKC'))]))
      const hashes = [
        ...passwords.flatMap((password) => neighbours(password, clusterLines)),
        ...Array.from({ length: fillers }, (_, index) => sha1(`filler ${index}`)),
      ].filter((hash) => !absent.has(hash))
      const isListed = (password: string) =>
        [password, password.normalize('NFKC')].some((text) =>
          inList.some((word) => sha1(word) === sha1(text)),
        )
      const { list, close } = await opened(forms[form]?.(linesOf([...hashes, ...inList.map(sha1)])) ?? '')
      for (const password of inList) expect(await list.contains(password)).toBe(true)
      for (const password of others) expect(await list.contains(password)).toBe(isListed(password))
      await close()
    },
  )
  await fc.assert(property, { numRuns: 30 })
})

it.each([
  ['an empty file', ''],
  ['lines that are not hashes', 'correct horse battery\n'],
  ['NTLM hashes', `${'A'.repeat(32)}:1\n`],
  ['a blank line at the end', `${lines.join('\n')}\n\n`],
  ['one very long line', 'A'.repeat(20_000)],
])('rejects %s with an error that names the setting', async (_name, content) => {
  await expect(opened(content)).rejects.toThrow(
    'PASSWORD_BLOCKLIST_FILE names a file with a line that is not a SHA-1 of 40 hexadecimal digits, or HASH:COUNT',
  )
})

// So long that not all of its pages are read.
const many = linesOf(Array.from({ length: 40_000 }, (_, index) => sha1(String(index))))

it.each([
  ['by the second half of the hashes', [...lines].sort((a, b) => (a.slice(20) < b.slice(20) ? -1 : 1))],
  ['by hash, but with swapped halves', [...lines.slice(count / 2), ...lines.slice(0, count / 2)]],
  [
    'by hash, but with swapped halves that are long',
    [...many.slice(many.length / 2), ...many.slice(0, many.length / 2)],
  ],
  ['by hash, but with two swapped lines', [lines[1], lines[0], ...lines.slice(2)]],
])('rejects a list that is sorted %s', async (_name, unordered) => {
  await expect(opened(`${unordered.join('\n')}\n`)).rejects.toThrow(
    'PASSWORD_BLOCKLIST_FILE names a file that is not in ascending order of the hashes',
  )
})

it('rejects a file that cannot be read', async () => {
  await expect(openBlocklist('/nowhere/list.txt')).rejects.toThrow(
    'PASSWORD_BLOCKLIST_FILE names a file that cannot be read (ENOENT)',
  )
  await expect(openBlocklist(tmpdir())).rejects.toThrow(
    'PASSWORD_BLOCKLIST_FILE names a file that cannot be read (EISDIR)',
  )
})

it('throws while the file is shorter, and works again when it is restored', async () => {
  const { file, list, close } = await opened(`${lines.join('\n')}\n`)
  await truncate(file, 0)
  await expect(list.contains('any password')).rejects.toThrow(
    'PASSWORD_BLOCKLIST_FILE names a file that became shorter',
  )
  await writeFile(file, `${lines.join('\n')}\n`)
  expect(await list.contains(listed[0] ?? '')).toBe(true)
  await close()
})
