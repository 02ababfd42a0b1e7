import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns the SHA-1 of a text in the format of the Pwned Passwords download. */
export const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()

/** Returns hashes in ascending order as lines with a count. */
export const linesOf = (hashes: Iterable<string>) => [...new Set(hashes)].sort().map((hash) => `${hash}:2`)

/** Writes a file into a new folder. */
export async function writeTemporary(content: string) {
  const folder = await mkdtemp(join(tmpdir(), 'usher-blocklist-'))
  const file = join(folder, 'list.txt')
  await writeFile(file, content)
  return { file, remove: () => rm(folder, { recursive: true }) }
}

/** Writes a blocklist file with these passwords. */
export const blocklistOf = (...passwords: string[]) =>
  writeTemporary(`${linesOf(passwords.map(sha1)).join('\r\n')}\r\n`)
