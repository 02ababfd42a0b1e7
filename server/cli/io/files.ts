import { createReadStream } from 'node:fs'
import { access, constants, open, rm, stat } from 'node:fs/promises'

/** A new file, of which only its user can read and write the content. */
export interface NewFile {
  appendFile(text: string): Promise<unknown>
  close(): Promise<void>
}

/** The files that a command names, where its process runs. */
export interface Files {
  /** Returns the size of a file in bytes. Undefined if it cannot be read. */
  sizeOf(name: string): Promise<number | undefined>
  read(name: string): AsyncIterable<Buffer>
  /** Creates a file. Fails with the code `EEXIST` if it exists. */
  create(name: string): Promise<NewFile>
  /** Removes a file, if it exists. */
  remove(name: string): Promise<void>
}

/** Large, because a chunk that a server on another machine reads costs a round trip. */
const chunkBytes = 2 ** 18

/** Returns the files of this machine. @param resolve returns the absolute path of a file */
export const filesAt = (resolve: (name: string) => string): Files => ({
  async sizeOf(name) {
    const path = resolve(name)
    const found = await access(path, constants.R_OK).then(
      () => stat(path),
      () => undefined,
    )
    return found?.isDirectory() ? undefined : found?.size
  },
  read: (name) => createReadStream(resolve(name), { highWaterMark: chunkBytes }),
  create: async (name) => openNew(resolve(name)),
  remove: async (name) => rm(resolve(name), { force: true }),
})

/** Creates a file with mode 0600. Follows no symbolic link, not even one to a file that does not exist. */
export const openNew = (path: string) => open(path, 'wx', 0o600)
