import { appendFile, rm, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { requireDatabase } from '../../domain/admin/databases.js'
import { importUsers, type RejectedLine } from '../../domain/admin/import-export/import-users.js'
import { PartialFailureError, UsageError } from '../../domain/admin/operator-error.js'
import { currentDummyHash } from '../../domain/passwords/hasher.js'
import { audit } from '../../telemetry/audit.js'
import { databasePath } from '../io/arguments.js'
import { readLines } from '../io/ndjson-file.js'
import { createProgressLine } from '../io/progress-line.js'
import { print, withStore } from '../io/with-store.js'

/** Faulty lines whose reasons are shown; all are in the file of rejects. */
const shownRejects = 20

export const addUserImportCommand = (user: Command) =>
  user
    .command('import')
    .argument('<workspace/name>', 'the database that they move into', databasePath)
    .argument('<file>', 'one user on each line, as JSON')
    .description(
      'move users in from elsewhere, with their password hashes; run it again to go on where it was ended',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Users whose email address is there already stay as they are. Lines that cannot be taken are told by number,
and written with the reason to a file beside the input (users.ndjson: users.rejects.ndjson); the exit code is
then 1, and all others are taken. The lines, and how to make them from other services' exports: docs/moving-in.md.`,
    )
    .action(
      (path: ReturnType<typeof databasePath>, file: string, options: { json?: boolean }): Promise<void> =>
        withStore(async (store, config, log) => {
          const size = await sizeOf(file)
          const database = await requireDatabase(store, path)
          const context = { store, hashing: { dummyHash: currentDummyHash(config.hashing) }, now: Date.now }
          const rejects = await createRejectsFile(file)
          const progress = createProgressLine()
          let added = 0
          let alreadyThere = 0
          let bytes = 0
          for await (const batch of importUsers(context, database, readLines(file))) {
            added += batch.added
            alreadyThere += batch.alreadyThere
            bytes += batch.bytes
            progress.clear()
            await rejects.write(batch.rejected)
            progress.show(`${Math.floor((bytes / size) * 100)} %: ${added} added`)
          }
          progress.clear()
          const rejected = rejects.count()
          audit(log, 'users.imported', { databaseId: database.id, users: { added, alreadyThere, rejected } })
          const rejectsFile = rejected > 0 ? rejects.file : null
          print(
            options,
            { added, alreadyThere, rejected, rejectsFile },
            [
              added === 0 ? 'Nothing was added' : `Added ${users(added)}`,
              alreadyThere === 0 ? '' : `; ${users(alreadyThere)} there already, unchanged`,
              rejected === 0 ? '' : `; ${rejected} rejected, see ${rejects.file}`,
              '.',
            ].join(''),
          )
          if (rejected > 0) throw new PartialFailureError()
        }),
    )

const users = (count: number) => `${count} ${count === 1 ? 'user' : 'users'}`

async function sizeOf(file: string) {
  try {
    return (await stat(file)).size
  } catch {
    throw new UsageError(`there is no file ${file} that can be read`)
  }
}

/** A file beside the input for the lines that were not taken, in place of one of an earlier run. */
async function createRejectsFile(input: string) {
  const file = `${input.replace(/\.ndjson$/, '')}.rejects.ndjson`
  await rm(file, { force: true })
  let count = 0
  return {
    file,
    count: () => count,
    async write(rejected: readonly RejectedLine[]) {
      for (const { number, reason } of rejected.slice(0, Math.max(shownRejects - count, 0))) {
        process.stderr.write(`line ${number}: ${reason}\n`)
      }
      count += rejected.length
      if (rejected.length === 0) return
      const lines = rejected.map(({ number, reason, text }) => JSON.stringify({ line: number, reason, text }))
      await appendFile(file, `${lines.join('\n')}\n`, { mode: 0o600 })
    },
  }
}
