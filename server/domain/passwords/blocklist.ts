import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { DependencyUnavailable } from '../problem.js'
import { canonicalPassword } from './normalize.js'

export interface PasswordBlocklist {
  /** Returns whether the list contains a password. @throws {BlocklistError} if the file can no longer be read */
  contains(password: string): Promise<boolean>
  close(): Promise<void>
}

export class BlocklistError extends DependencyUnavailable {
  constructor(reason: string, cause?: unknown) {
    super(`PASSWORD_BLOCKLIST_FILE ${reason}`, { cause })
  }
}

/** A page has about 190 lines. Reading it takes hardly longer than reading one line. */
const pageBytes = 8192
/** Reads by interpolation, which usually finds the page with the second one. Then bisection limits the worst case. */
const guesses = 8
const samples = 64
const lineForm = /^[0-9A-F]{40}(:\d+)?$/
const notAList = 'with a line that is not a SHA-1 of 40 hexadecimal digits, or HASH:COUNT'
/** SHA-1 is uniform, so the first digits of a hash predict the position of its line. */
const keyDigits = 13
const keyOf = (hash: string) => Number.parseInt(hash.slice(0, keyDigits), 16)

/**
 * Opens a list of SHA-1 hashes in the form of the Pwned Passwords download: lines of 40 hexadecimal digits, in
 * ascending order, each with or without `:COUNT`. A file of any size is searched in place and never loaded.
 *
 * @throws {BlocklistError} if the file cannot be read, or if a sample of its lines has a wrong form or order
 */
export async function openBlocklist(path: string | undefined): Promise<PasswordBlocklist | undefined> {
  if (path === undefined) return undefined
  const file = await open(path).catch((error) => {
    throw new BlocklistError(`names a file that cannot be read (${error.code})`, error)
  })
  try {
    const { size } = await file.stat()
    await validate(file, size)
    return {
      async contains(password) {
        for (const hash of hashesOf(password)) if (await hasLine(file, size, hash)) return true
        return false
      },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Returns a list that is opened when a password is first looked for, or undefined without a path. */
export function blocklistOnDemand(path: string | undefined): PasswordBlocklist | undefined {
  let opened: ReturnType<typeof openBlocklist> | undefined
  return path === undefined
    ? undefined
    : {
        async contains(password) {
          opened ??= openBlocklist(path)
          return (await opened)?.contains(password) ?? false
        },
        close: async () => (await opened?.catch(() => undefined))?.close(),
      }
}

const hashesOf = (password: string) =>
  new Set([password, canonicalPassword(password)].map((text) => sha1(text).toUpperCase()))

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex')

/** Checks samples of the whole file, because a list ordered by count would match nothing. */
async function validate(file: FileHandle, size: number) {
  let previous = ''
  for (let sample = 0; sample < samples; sample++) {
    const { lines } = await readPage(file, { low: 0, high: size }, sample / (samples - 1))
    if (!lines.every((line) => lineForm.test(line))) throw new BlocklistError(`names a file ${notAList}`)
    const hashes = lines.map((line) => line.slice(0, 40))
    const [first = ''] = hashes
    if (first < previous || hashes.some((hash, index) => hash < (hashes[index - 1] ?? ''))) {
      throw new BlocklistError('names a file that is not in ascending order of the hashes')
    }
    previous = first
  }
}

async function hasLine(file: FileHandle, size: number, hash: string) {
  const key = keyOf(hash)
  let low = { offset: 0, key: 0 }
  let high = { offset: size, key: 16 ** keyDigits }
  for (let step = 0; low.offset < high.offset; step++) {
    const share = step < guesses ? (key - low.key) / (high.key - low.key) : 0.5
    const { start, end, lines } = await readPage(file, { low: low.offset, high: high.offset }, share)
    const first = lines.at(0)?.slice(0, 40) ?? ''
    const last = lines.at(-1)?.slice(0, 40) ?? ''
    if (hash < first) high = { offset: start, key: keyOf(first) }
    else if (hash > last) low = { offset: end, key: keyOf(last) }
    else return lines.some((line) => line.startsWith(hash))
  }
  return false
}

/**
 * Reads the whole lines of a page at a share of the way from one line start to another.
 *
 * @returns the lines in upper case, with the offsets of the start of the first and the end of the last line
 */
async function readPage(file: FileHandle, { low, high }: { low: number; high: number }, share: number) {
  const middle = low + Math.floor((high - low) * Math.min(Math.max(share || 0, 0), 1))
  const position = Math.max(low, Math.min(middle - pageBytes / 2, high - pageBytes))
  const length = Math.min(pageBytes, high - position)
  const { buffer, bytesRead } = await file
    .read(Buffer.allocUnsafe(length), 0, length, position)
    .catch((error) => {
      throw new BlocklistError(`names a file that cannot be read (${error.code})`, error)
    })
  if (bytesRead < length) throw new BlocklistError('names a file that became shorter')
  const text = buffer.toString('latin1').toUpperCase()
  const from = position === low ? 0 : text.indexOf('\n') + 1
  const to = position + length === high ? length : text.lastIndexOf('\n') + 1
  if (to <= from) throw new BlocklistError(`names a file ${notAList}`)
  const lines = text
    .slice(from, to)
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
  return { start: position + from, end: position + to, lines }
}
