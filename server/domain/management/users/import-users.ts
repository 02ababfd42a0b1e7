import { isForeignKeyViolation } from '../../../store/errors.js'
import { createDryRun } from '../../../store/queries/management/import-users.js'
import { LineError } from '../../users/line-error.js'
import { type Context, createImport, type Line, type StoredLine, type Target } from './import-lines.js'
import { isTaken } from './imported-factors.js'
import type { TenantOwners } from './ownerless-tenants.js'

/** A line that was not imported. The reason contains no hash. */
export interface RejectedLine extends Pick<Line, 'number' | 'text'> {
  reason: string
}

/** A line of a file. */
export interface FileLine extends Line {
  /** Length in the file, including the line ending. */
  bytes: number
}

export interface ImportedBatch extends TenantOwners {
  added: number
  /** Lines with the email of an existing user or of an earlier line. They change nothing. */
  alreadyThere: number
  rejected: RejectedLine[]
  bytes: number
}

const batchLines = 500
const batchBytes = 4 * 2 ** 20

/**
 * Imports users in batches. Each batch is one transaction, so that running an interrupted import again completes it.
 * Yields the counts and the rejected lines of each batch.
 *
 * @param file.dryRun whether to count and reject lines without storing anything. Keeps all addresses and owned tenants in
 * memory
 * @param file.requireAgain called if a row that a batch refers to was deleted. Throws if the database does not exist or is being
 * deleted
 */
export async function* importUsers(
  context: Context,
  database: Target,
  {
    lines,
    dryRun = false,
    requireAgain = async () => {},
  }: {
    lines: AsyncIterable<FileLine> | Iterable<FileLine>
    dryRun?: boolean | undefined
    requireAgain?: () => Promise<unknown>
  },
): AsyncGenerator<ImportedBatch> {
  const { store } = context
  const prepare = createImport(context, database, dryRun ? createDryRun() : undefined)
  const importBatch = async (batch: FileLine[]) => {
    const run = await prepare(batch)
    return dryRun ? run(store) : store.transaction(database.id, (query) => run({ query }))
  }
  const requireUndeleted = async (error: unknown) => {
    // The next try finds what was linked or added meanwhile.
    if (isTaken(error)) return
    if (!isForeignKeyViolation(error)) throw error
    await requireAgain()
  }
  for await (const { batch, bytes } of inBatches(lines)) {
    const { lines: imported, ...owners } = await importBatch(batch).catch(async (error) => {
      await requireUndeleted(error)
      // A tenant of the batch may have been deleted meanwhile. It is created again.
      return importBatch(batch).catch(async (error) => {
        await requireUndeleted(error)
        throw error
      })
    })
    const count = (wanted: StoredLine['status']) => imported.filter(({ status }) => status === wanted).length
    const rejected = imported.flatMap(({ status, line: { number, text }, errors }) =>
      status === 'rejected' ? { number, text, reason: new LineError(errors).message } : [],
    )
    yield { added: count('created'), alreadyThere: count('exists'), rejected, bytes, ...owners }
  }
}

async function* inBatches(lines: AsyncIterable<FileLine> | Iterable<FileLine>) {
  let batch: FileLine[] = []
  let bytes = 0
  for await (const line of lines) {
    bytes += line.bytes
    if (line.error || line.text.trim() !== '') batch.push(line)
    if (batch.length < batchLines && bytes < batchBytes) continue
    yield { batch, bytes }
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield { batch, bytes }
}
