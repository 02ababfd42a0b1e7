import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Command } from '@commander-js/extra-typings'
import { databasePath } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'
import { createFile, openNew } from '../io/files.js'
import type { Host } from '../io/host.js'
import { jsonText } from '../io/output.js'

export const addUserExportCommand = (user: Command, { host, call }: Cli) =>
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
    .action(async (params, { output, totpSecrets, ...options }) => {
      const query = totpSecrets ? { totpSecrets: 'true' as const } : {}
      const exported = await call('exportUsers', { params, query })
      if (output === undefined) return toStandardOutput(host, linesOf(exported))
      let users = 0
      await writeNewFile(
        output,
        linesOf(exported, () => users++),
      )
      host.print(options, { users, file: output }, `Users exported to ${output}: ${users}.`)
    })

/** Yields the lines of users. @param onLine called before each line */
async function* linesOf(users: AsyncIterable<unknown>, onLine?: () => void) {
  for await (const user of users) {
    onLine?.()
    yield `${jsonText(user)}\n`
  }
}

/** Writes a new file. While it is incomplete, it has another name, and an empty file reserves its own. */
async function writeNewFile(name: string, lines: AsyncIterable<string>) {
  const unfinished = `${name}.unfinished`
  const create = (file: string) => createFile(file, () => openNew(file), 'Name another file')
  await (await create(name)).close()
  try {
    const file = await create(unfinished)
    await pipeline(lines, file.createWriteStream()).catch(async (error) => {
      await rm(unfinished)
      throw error
    })
    await rename(unfinished, name)
  } catch (error) {
    await rm(name)
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
