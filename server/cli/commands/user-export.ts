import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Command } from '@commander-js/extra-typings'
import type { UserLine } from '@usher/contract/management'
import { requireDatabase } from '../../domain/management/databases.js'
import { exportUsers } from '../../domain/management/users/export-users.js'
import { databasePath } from '../io/arguments.js'
import { openNew } from '../io/files.js'
import type { Host } from '../io/host.js'
import { createFile } from '../io/new-file.js'
import { jsonText } from '../io/output.js'
import { withStore } from '../io/with-store.js'

export const addUserExportCommand = (user: Command, host: Host) =>
  user
    .command('export')
    .argument('<workspace/name>', 'database', databasePath)
    .description('export all users of a database with their password hashes, in the format of user import')
    .option(
      '--totp-secrets',
      'include the secrets of authenticator apps, with which anyone can create their codes',
    )
    .option('-o, --output <file>', 'write to a file with mode 0600 instead of stdout')
    .option('--json', 'with --output, print the result as JSON')
    .action((path, options) =>
      withStore(host, async (store) => {
        const { id } = await requireDatabase(store, path)
        const { output } = options
        const exported = exportUsers(store, id, { withTotp: options.totpSecrets, now: new Date() })
        if (output === undefined) return toStandardOutput(host, linesOf(exported))
        let users = 0
        const lines = linesOf(exported, () => users++)
        await writeNewFile(host, output, lines)
        host.print(options, { users, file: output }, `Users exported to ${output}: ${users}.`)
      }),
    )

/** Yields the lines of users. @param onLine called before each line */
async function* linesOf(users: AsyncIterable<UserLine>, onLine?: () => void) {
  for await (const user of users) {
    onLine?.()
    yield `${jsonText(user)}\n`
  }
}

/** Writes a new file. While it is incomplete, it has another name, and an empty file reserves its own. */
async function writeNewFile(host: Host, name: string, lines: AsyncIterable<string>) {
  const unfinished = `${name}.unfinished`
  const create = (file: string) => createFile(file, () => openNew(host.resolve(file)), 'Name another file')
  await (await create(name)).close()
  try {
    const file = await create(unfinished)
    await pipeline(lines, file.createWriteStream()).catch(async (error) => {
      await rm(host.resolve(unfinished))
      throw error
    })
    await rename(host.resolve(unfinished), host.resolve(name))
  } catch (error) {
    await rm(host.resolve(name))
    throw error
  }
}

/** Writes lines to stdout. The reader may stop early, as `head` does. */
async function toStandardOutput(host: Host, lines: AsyncIterable<string>) {
  try {
    await pipeline(lines, host.stdout, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}
