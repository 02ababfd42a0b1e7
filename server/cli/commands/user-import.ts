import type { Command } from '@commander-js/extra-typings'
import { requireDatabase } from '../../domain/management/databases.js'
import { importUsers, type RejectedLine } from '../../domain/management/users/import-users.js'
import {
  createOwnerlessTenants,
  type OwnerlessTenant,
  shownTenant as shown,
} from '../../domain/management/users/ownerless-tenants.js'
import { currentDummyHash } from '../../domain/passwords/hasher.js'
import { Problem, usageError } from '../../domain/problem.js'
import { audit } from '../../telemetry/audit.js'
import { databasePath } from '../io/arguments.js'
import type { NewFile } from '../io/files.js'
import type { Host } from '../io/host.js'
import { readLines } from '../io/ndjson-file.js'
import { createFile } from '../io/new-file.js'
import { createProgressLine, jsonText } from '../io/output.js'
import { withStore } from '../io/with-store.js'

/** Maximum number of rejected lines that are reported on stderr. The rejects file has all of them. */
const reportedRejects = 20

export const addUserImportCommand = (user: Command, host: Host) =>
  user
    .command('import')
    .argument('<workspace/name>', 'database to import into', databasePath)
    .argument('<file>', 'NDJSON file with one user per line')
    .description('import users with their password hashes; to resume an interrupted import, run it again')
    .option('--dry-run', 'check all lines, and store nothing')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Existing users are not changed. Invalid lines are reported by number, and written with the reason to a file next to
the input (users.ndjson: users.rejects.ndjson). The other lines are imported, and the exit code is 1. In the repository
of Usher, docs/moving-in.md describes the format and how to convert exports of other services.`,
    )
    .action((path, file, options) =>
      withStore(host, async (store, config, log) => {
        const size = await host.files.sizeOf(file)
        if (size === undefined) throw usageError(`cannot read the file ${file}`)
        const database = await requireDatabase(store, path)
        const context = { store, hashing: { dummyHash: currentDummyHash(config.hashing) }, now: Date.now }
        const rejects = await createRejectsFile(host, file)
        const progress = createProgressLine(host.stderr)
        const ownerless = createOwnerlessTenants()
        const users = { added: 0, alreadyThere: 0, rejected: 0 }
        let bytes = 0
        const interruption = noteInterruption(host, () =>
          progress.show('Ends after this batch. Ctrl-C again ends it now, without an audit line'),
        )
        const importAll = async () => {
          const source = {
            lines: readLines(host.files.read(file)),
            requireAgain: () => requireDatabase(store, path),
            ...options,
          }
          for await (const batch of importUsers(context, database, source)) {
            users.added += batch.added
            users.alreadyThere += batch.alreadyThere
            users.rejected += batch.rejected.length
            bytes += batch.bytes
            ownerless.note(batch)
            progress.clear()
            await rejects.write(batch.rejected, options.json)
            if (interruption.isRequested())
              throw new Problem('cancelled', {
                detail: `Interrupted after ${counted(users.added, 'user')}. To resume, run it again.`,
              })
            progress.show(`${Math.floor((bytes / size) * 100)} %: ${counted(users.added, 'user')}`)
          }
        }
        const auditUsers = () => {
          if (!options.dryRun) audit(log, 'users.imported', { databaseId: database.id, users })
        }
        await importAll()
          .finally(async () => {
            progress.clear()
            interruption.ignore()
            await rejects.close()
          })
          .catch((error) => {
            // The batches before the failed one are stored.
            if (users.added > 0) auditUsers()
            throw error
          })
        auditUsers()
        report(host, options, { ...users, ownerless, file: rejects.file })
      }),
    )

/** @throws {Problem} `lines_rejected` */
function report(
  host: Host,
  options: { dryRun?: true; json?: true },
  {
    file,
    ownerless,
    ...users
  }: {
    added: number
    alreadyThere: number
    rejected: number
    ownerless: ReturnType<typeof createOwnerlessTenants>
    file: string
  },
) {
  const tenants = ownerless.all()
  const { added, alreadyThere, rejected } = users
  const verbs = options.dryRun
    ? { add: 'Would add', skip: 'Would skip', reject: 'Would reject' }
    : { add: 'Added', skip: 'Skipped', reject: 'Rejected' }
  host.print(
    options,
    { ...users, rejectsFile: rejected > 0 ? file : null, tenantsWithoutOwner: tenants.map(shown) },
    [
      `${verbs.add} ${counted(added, 'user')}.`,
      alreadyThere === 0 ? '' : ` ${verbs.skip} ${counted(alreadyThere, 'existing user')}.`,
      rejected === 0 ? '' : ` ${verbs.reject} ${counted(rejected, 'line')}, see ${file}`,
      tenants.length === 0 ? '' : `\n${textOf(tenants, ownerless.isComplete())}`,
    ].join(''),
  )
  if (rejected > 0)
    throw new Problem('lines_rejected', { detail: `${counted(rejected, 'line')} rejected, see ${file}` })
}

/** Tenants without an owner that are printed at most. */
const printedTenants = 20

/** Returns which tenants have no owner, and what to do. */
function textOf(tenants: readonly OwnerlessTenant[], isComplete: boolean) {
  const lines = tenants
    .slice(0, printedTenants)
    .map(shown)
    .map(({ id, name }) => `  ${id === null ? '' : `${id}  `}${jsonText(name)}`)
  const number = `${isComplete ? '' : 'At least '}${counted(tenants.length, 'tenant')}`
  return [
    `${number} without an owner, into which nobody can invite. Make a user owner: usher tenant add-user --role owner`,
    ...lines,
    ...(tenants.length > printedTenants ? [`  and ${tenants.length - printedTenants} more`] : []),
  ].join('\n')
}

const counted = (count: number, noun: string) => `${count} ${count === 1 ? noun : `${noun}s`}`

/** Notes the first signal, after which the command stores a complete batch. A second one ends the process. */
function noteInterruption(host: Host, show: () => void) {
  let isRequested = false
  const ignore = host.onInterruption(() => {
    isRequested = true
    show()
  })
  return { isRequested: () => isRequested, ignore }
}

/** Returns the name of the file for the rejected lines of an import. */
export const rejectsFileOf = (input: string) => `${input.replace(/\.ndjson$/, '')}.rejects.ndjson`

/** Removes the file for rejected lines of an earlier run. Returns functions that write and close one next to the input. */
async function createRejectsFile(host: Host, input: string) {
  const file = rejectsFileOf(input)
  await host.files.remove(file).catch(({ code }) => {
    throw usageError(`cannot remove ${file} (${code}), the file for rejected lines. ${ownFolder}`)
  })
  let count = 0
  let created: NewFile | undefined
  return {
    file,
    close: async () => created?.close(),
    async write(rejected: readonly RejectedLine[], json = false) {
      for (const { number, reason } of rejected.slice(0, Math.max(reportedRejects - count, 0))) {
        host.stderr.write(json ? `${jsonText({ line: number, reason })}\n` : `line ${number}: ${reason}\n`)
      }
      count += rejected.length
      if (rejected.length === 0) return
      const lines = rejected.map(({ number, reason, text }) => JSON.stringify({ line: number, reason, text }))
      // The lines have hashes, so that nobody else may have prepared the file or a link in a shared folder.
      created ??= await createFile(file, () => host.files.create(file), ownFolder)
      await created.appendFile(`${lines.join('\n')}\n`)
    },
  }
}

const ownFolder = 'Remove it, or move the input to a folder in which only you can write'
