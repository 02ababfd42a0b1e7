import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'

/**
 * The file of a master key that Usher made itself. A key that is to replace it waits in a second file until
 * the store's keys are sealed with it, so that neither is lost wherever a process is killed.
 */
export interface KeyFile {
  key: Buffer
  /** What waited when the file was opened: its process ended before or after it had sealed the keys anew. */
  next: Buffer | undefined
  keepNext(key: Buffer): Promise<void>
  /** Puts the key that waits in place of the present one. */
  adoptNext(): Promise<void>
}

/** @param file made with a new key if it is not there; the folder is this process's alone */
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
  if (key.length !== 32) throw new Error(`${file} does not hold 32 bytes as base64`)
  return key
}
