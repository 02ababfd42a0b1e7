import type { AppContext } from '../../server/domain/context.js'
import { type FileLine, importUsers } from '../../server/domain/management/users/import-users.js'
import type { OpenStore } from './open-store.js'

/** Returns lines of a file: strings unchanged, other values as JSON. */
export const linesOf = (...lines: unknown[]): FileLine[] =>
  lines.map((line, index) => {
    const text = typeof line === 'string' ? line : JSON.stringify(line)
    return { number: index + 1, text, bytes: text.length + 1 }
  })

/** The dummy hashes of a database: one for each set of hash parameters. */
export async function dummyHashesOf({ prisma }: Pick<OpenStore, 'prisma'>, databaseId: string) {
  const rows = await prisma.hashParameters.findMany({ where: { databaseId } })
  return rows.map(({ dummyHash }) => dummyHash)
}

/** Imports lines into a database and returns the totals of all batches. */
export async function importAll(
  { context, store }: { context: AppContext; store: OpenStore },
  databaseId: string,
  lines: Iterable<FileLine>,
  { dryRun = false } = {},
) {
  const database = { id: databaseId, dummyHashes: await dummyHashesOf(store, databaseId), roles: [] }
  const total = { added: 0, alreadyThere: 0, rejected: [] as string[] }
  for await (const batch of importUsers({ ...context, store }, database, { lines, dryRun })) {
    total.added += batch.added
    total.alreadyThere += batch.alreadyThere
    total.rejected.push(...batch.rejected.map(({ number, reason }) => `${number} ${reason}`))
  }
  return total
}
