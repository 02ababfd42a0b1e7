import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { requireDatabase } from '../../domain/admin/databases.js'
import { exportUsers } from '../../domain/admin/import-export/export-users.js'
import { databasePath } from '../io/arguments.js'
import { print, withStore } from '../io/with-store.js'

export const addUserExportCommand = (user: Command) =>
  user
    .command('export')
    .argument('<workspace/name>', 'the database', databasePath)
    .description('write all users of a database as lines that import reads, password hashes among them')
    .option('-o, --output <file>', 'write to a file that only you can read, rather than to standard output')
    .option('--json', 'with --output, print JSON; the lines themselves always are')
    .action(
      (path: ReturnType<typeof databasePath>, options: { output?: string; json?: boolean }): Promise<void> =>
        withStore(async (store) => {
          const { id } = await requireDatabase(store, path)
          const { output } = options
          if (output === undefined) return toStandardOutput(exportUsers(store, id))
          let users = 0
          async function* counted() {
            for await (const line of exportUsers(store, id)) {
              users++
              yield line
            }
          }
          const unfinished = `${output}.unfinished`
          await pipeline(counted, createWriteStream(unfinished, { mode: 0o600 }))
          await rename(unfinished, output)
          print(options, { users, file: output }, `Wrote ${users} users to ${output}.`)
        }),
    )

/** Whoever reads may stop before the end, as `head` does. */
async function toStandardOutput(lines: AsyncIterable<string>) {
  try {
    await pipeline(lines, process.stdout, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}
