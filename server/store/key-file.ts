import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'

/**
 * The file of a generated master key. Its successor is in a second file until it has encrypted all keys of the store,
 * so that neither is lost if the process is killed.
 */
export interface KeyFile {
  key: Buffer
  /** The successor of the key, if an earlier process ended while or after it re-encrypted the keys. */
  next: Buffer | undefined
  keepNext(key: Buffer): Promise<void>
  /** Replaces the key by its successor. */
  adoptNext(): Promise<void>
}

/** Opens a key file, or creates it with a new key. The caller must hold the folder's lock. */
export async function openKeyFile(file: string): Promise<KeyFile> {
  const nextFile = `${file}.next`
  if (!existsSync(file)) {
    const unfinished = `${file}.unfinished`
    await writeKey(unfinished, randomBytes(32))
    await rename(unfinished, file)
  }
  return {
    key: await readKey(file),
    next: existsSync(nextFile) ? await readKey(nextFile) : undefined,
    keepNext: async (key) => {
      const unfinished = `${nextFile}.unfinished`
      await writeKey(unfinished, key)
      await rename(unfinished, nextFile)
    },
    adoptNext: () => rename(nextFile, file),
  }
}

const writeKey = (file: string, key: Buffer) =>
  writeFile(file, `${key.toString('base64')}\n`, { mode: 0o600, flush: true })

async function readKey(file: string) {
  const key = Buffer.from(await readFile(file, 'utf8'), 'base64')
  if (key.length !== 32) throw new Error(`${file} must contain 32 bytes as base64`)
  return key
}
