import type { FileHandle } from 'node:fs/promises'
import { rm } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import { canonicalEmail, type DatabasePath } from '@usher/contract'
import type { ImportResult } from '@usher/contract/management'
import { Problem, usageError } from '../../domain/problem.js'
import { LineError } from '../../domain/users/line-error.js'
import { databasePath } from '../io/arguments.js'
import type { Call, Cli } from '../io/cli.js'
import { createFile, openNew, readChunks, sizeOf } from '../io/files.js'
import type { Host } from '../io/host.js'
import { createImportedTenants, type OwnerlessTenant } from '../io/imported-tenants.js'
import { type FileLine, readLines } from '../io/ndjson-file.js'
import { createProgressLine, jsonText } from '../io/output.js'

/** Maximum number of rejected lines that are reported on stderr. The rejects file has all of them. */
const reportedRejects = 20

export const addUserImportCommand = (user: Command, { host, call }: Cli) =>
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
    .action(async (path, file, { dryRun = false, ...options }) => {
      const size = await sizeOf(file)
      if (size === undefined) throw usageError(`cannot read the file ${file}`)
      const rejects = await createRejectsFile(host, file)
      const progress = createProgressLine(host.stderr)
      const tenants = createImportedTenants()
      const send = senderOf(call, path, dryRun)
      const users = { added: 0, alreadyThere: 0, rejected: 0 }
      let bytes = 0
      const interruption = noteInterruption(host, () =>
        progress.show('Ends after this batch. Ctrl-C again ends it now'),
      )
      try {
        for await (const slice of slicesOf(readLines(readChunks(file)))) {
          const results = await send(slice.lines)
          for (const { status } of results.lines) users[counters[status]] += 1
          bytes += slice.bytes
          tenants.note(results)
          progress.clear()
          await rejects.write(results.lines, options.json)
          if (interruption.isRequested())
            throw new Problem('cancelled', {
              detail: `Interrupted after ${counted(users.added, 'user')}. To resume, run it again.`,
            })
          progress.show(`${Math.floor((bytes / size) * 100)} %: ${counted(users.added, 'user')}`)
        }
      } finally {
        progress.clear()
        interruption.ignore()
        await rejects.close()
      }
      report(host, { dryRun, ...options }, { users, tenants, file: rejects.file })
    })

const counters = { created: 'added', exists: 'alreadyThere', rejected: 'rejected' } as const

/** Limits of a request of `importUsers`, with room for a body that is counted differently. */
const sliceLines = 1_000
const sliceBytes = 900_000

/** Yields lines that are sent together, without empty ones. */
async function* slicesOf(lines: AsyncIterable<FileLine>) {
  let slice: FileLine[] = []
  let size = 0
  let bytes = 0
  for await (const line of lines) {
    if (slice.length === sliceLines || (slice.length > 0 && size + line.bytes > sliceBytes)) {
      yield { lines: slice, bytes }
      slice = []
      size = 0
      bytes = 0
    }
    bytes += line.bytes
    if (!line.error && line.text.trim() === '') continue
    size += line.bytes
    slice.push(line)
  }
  if (slice.length > 0) yield { lines: slice, bytes }
}

/** The result of a line. */
export interface LineResult {
  line: FileLine
  status: keyof typeof counters
  /** Why it was rejected. It contains no hash. */
  reason: string
}

/** Returns a function that imports the lines of a slice, or checks them. */
function senderOf(call: Call, params: DatabasePath, dryRun: boolean) {
  const operation = dryRun ? 'checkImport' : 'importUsers'
  // A check does not know the addresses of earlier requests.
  const addresses = new Set<string>()
  const isRepeated = ({ text }: FileLine) => {
    const email = canonicalEmail(JSON.parse(text).email) as string
    return addresses.has(email) || !addresses.add(email)
  }
  return async (lines: readonly FileLine[]) => {
    const sent = lines.filter(({ error }) => !error)
    const body = sent.map(({ text }) => text).join('\n')
    const send = () => call(operation, { params, body })
    // A tenant of a line may have been deleted meanwhile. It is created again.
    const response = sent.length === 0 ? undefined : await send().catch(unlessChanged(send))
    const unread = lines.flatMap((line) =>
      line.error ? [{ line, status: 'rejected' as const, reason: line.error }] : [],
    )
    const results = (response?.lines ?? []).map(({ line: number, status, errors }): LineResult => {
      const line = sent[number - 1] as FileLine
      const isKnown = dryRun && status === 'created' && isRepeated(line)
      return { line, status: isKnown ? 'exists' : status, reason: new LineError(errors).message }
    })
    return {
      lines: [...unread, ...results].sort((one, other) => one.line.number - other.line.number),
      tenantsWithoutOwner: response?.tenantsWithoutOwner ?? [],
    }
  }
}

const unlessChanged = (again: () => Promise<ImportResult>) => (error: unknown) => {
  if (error instanceof Problem && error.code === 'unavailable') return again()
  throw error
}

/** @throws {Problem} `lines_rejected` */
function report(
  host: Host,
  options: { dryRun: boolean; json?: true },
  {
    users,
    tenants,
    file,
  }: {
    users: Record<(typeof counters)[keyof typeof counters], number>
    tenants: ReturnType<typeof createImportedTenants>
    file: string
  },
) {
  const ownerless = tenants.ownerless()
  const { added, alreadyThere, rejected } = users
  const verbs = options.dryRun
    ? { add: 'Would add', skip: 'Would skip', reject: 'Would reject' }
    : { add: 'Added', skip: 'Skipped', reject: 'Rejected' }
  host.print(
    options,
    { ...users, rejectsFile: rejected > 0 ? file : null, tenantsWithoutOwner: ownerless },
    [
      `${verbs.add} ${counted(added, 'user')}.`,
      alreadyThere === 0 ? '' : ` ${verbs.skip} ${counted(alreadyThere, 'existing user')}.`,
      rejected === 0 ? '' : ` ${verbs.reject} ${counted(rejected, 'line')}, see ${file}`,
      ownerless.length === 0 ? '' : `\n${textOf(ownerless, tenants.isComplete())}`,
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
    .map(({ id, name }) => `  ${id === null ? '' : `${id}  `}${jsonText(name)}`)
  const number = `${isComplete ? '' : 'At least '}${counted(tenants.length, 'tenant')}`
  return [
    `${number} without an owner, into which nobody can invite. Make a user owner: usher tenant add-user --role owner`,
    ...lines,
    ...(tenants.length > printedTenants ? [`  and ${tenants.length - printedTenants} more`] : []),
  ].join('\n')
}

const counted = (count: number, noun: string) => `${count} ${count === 1 ? noun : `${noun}s`}`

/** Notes the first signal, after which the command ends with a whole batch. A second one ends the process. */
function noteInterruption(host: Host, show: () => void) {
  let isRequested = false
  const ignore = host.onInterruption(() => {
    isRequested = true
    show()
  })
  return { isRequested: () => isRequested, ignore }
}

/** Removes the file for rejected lines of an earlier run. Returns functions that write and close one next to the input. */
async function createRejectsFile(host: Host, input: string) {
  const file = `${input.replace(/\.ndjson$/, '')}.rejects.ndjson`
  await rm(file, { force: true }).catch(({ code }) => {
    throw usageError(`cannot remove ${file} (${code}), the file for rejected lines. ${ownFolder}`)
  })
  let count = 0
  let created: FileHandle | undefined
  return {
    file,
    close: async () => created?.close(),
    async write(results: readonly LineResult[], json = false) {
      const rejected = results.filter(({ status }) => status === 'rejected')
      for (const { line, reason } of rejected.slice(0, Math.max(reportedRejects - count, 0))) {
        const text = json ? jsonText({ line: line.number, reason }) : `line ${line.number}: ${reason}`
        host.stderr.write(`${text}\n`)
      }
      count += rejected.length
      if (rejected.length === 0) return
      const lines = rejected.map(({ line: { number, text }, reason }) =>
        JSON.stringify({ line: number, reason, text }),
      )
      // The lines have hashes, so that nobody else may have prepared the file or a link in a shared folder.
      created ??= await createFile(file, () => openNew(file), ownFolder)
      await created.appendFile(`${lines.join('\n')}\n`)
    },
  }
}

const ownFolder = 'Remove it, or move the input to a folder in which only you can write'
