import { Problem } from '../../domain/problem.js'
import { rejectsFileOf } from '../commands/user-import.js'
import type { Files, NewFile } from '../io/files.js'
import type { TypedCommand } from '../io/host.js'
import type { FileQuestion } from '../running-server/messages.js'

/**
 * Returns a function that does with files of this machine what a server asks for: it reads the file that an argument names, and
 * writes the file for its rejected lines.
 *
 * @throws {Problem} `server_untrusted` for other files
 */
export function answerAboutFiles(files: Files, { args: { file: input } }: Pick<TypedCommand, 'args'>) {
  const output = typeof input === 'string' ? rejectsFileOf(input) : undefined
  let chunks: AsyncIterator<Buffer> | undefined
  let created: NewFile | undefined

  const reads = {
    sizeOf: (name: string) => files.sizeOf(name),
    async read(name: string) {
      chunks ??= files.read(name)[Symbol.asyncIterator]()
      const { done, value } = await chunks.next()
      return done ? null : value.toString('base64')
    },
  }
  const writes = {
    remove: (name: string) => files.remove(name),
    async create(name: string) {
      created = await files.create(name)
    },
    append: async (_name: string, text = '') => void (await created?.appendFile(String(text))),
    close: async () => created?.close(),
  }

  return async ({ file: action, name, text }: FileQuestion): Promise<unknown> => {
    if (name !== undefined && name === input && Object.hasOwn(reads, action))
      return reads[action as keyof typeof reads](name)
    if (name !== undefined && name === output && Object.hasOwn(writes, action))
      return writes[action as keyof typeof writes](name, text)
    throw new Problem('server_untrusted', {
      detail: `The server has asked for the file ${JSON.stringify(name)}, which the command does not name.`,
    })
  }
}
