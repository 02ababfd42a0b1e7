import type { AppContext } from '../../server/domain/context.js'
import { createImport, type Line } from '../../server/domain/management/users/import-lines.js'
import { isTaken } from '../../server/domain/management/users/imported-factors.js'
import { LineError } from '../../server/domain/users/line-error.js'
import { createDryRun } from '../../server/store/queries/management/import-users.js'
import type { OpenStore } from './open-store.js'

/** Returns lines of a file: strings unchanged, other values as JSON. */
export const linesOf = (...lines: unknown[]): Line[] =>
  lines.map((line, index) => ({
    number: index + 1,
    text: typeof line === 'string' ? line : JSON.stringify(line),
  }))

/** The dummy hashes of a database: one for each set of hash parameters. */
export async function dummyHashesOf({ prisma }: Pick<OpenStore, 'prisma'>, databaseId: string) {
  const rows = await prisma.hashParameters.findMany({ where: { databaseId } })
  return rows.map(({ dummyHash }) => dummyHash)
}

const batchLines = 500

/** Imports lines into a database in batches, and returns the totals. */
export async function importAll(
  { context, store }: { context: AppContext; store: OpenStore },
  databaseId: string,
  lines: readonly Line[],
  { dryRun = false } = {},
) {
  const database = { id: databaseId, dummyHashes: await dummyHashesOf(store, databaseId), roles: [] }
  const prepare = createImport({ ...context, store }, database, dryRun ? createDryRun() : undefined)
  const total = { added: 0, alreadyThere: 0, rejected: [] as string[] }
  for (let start = 0; start < lines.length; start += batchLines) {
    const batch = lines.slice(start, start + batchLines).filter(({ text }) => text.trim() !== '')
    const importBatch = async () => {
      const run = await prepare(batch)
      return dryRun ? run(store) : store.transaction(databaseId, (query) => run({ query }))
    }
    const { lines: stored } = await importBatch().catch((error) => {
      // The next try finds what was linked meanwhile, as that of a client.
      if (isTaken(error)) return importBatch()
      throw error
    })
    for (const { line, status, errors } of stored) {
      if (status === 'created') total.added += 1
      else if (status === 'exists') total.alreadyThere += 1
      else total.rejected.push(`${line.number} ${new LineError(errors).message}`)
    }
  }
  return total
}
