import { importUsers, type Line } from '../../server/domain/admin/import-export/import-users.js'
import type { AppContext } from '../../server/domain/context.js'

/** Returns lines of a file: strings unchanged, other values as JSON. */
export const linesOf = (...lines: unknown[]): Line[] =>
  lines.map((line, index) => {
    const text = typeof line === 'string' ? line : JSON.stringify(line)
    return { number: index + 1, text, bytes: text.length + 1 }
  })

/** Imports lines into a database and returns the totals of all batches. */
export async function importAll(context: AppContext, databaseId: string, lines: Iterable<Line>) {
  const database = await context.store.prisma.database.findUniqueOrThrow({ where: { id: databaseId } })
  const total = { added: 0, alreadyThere: 0, rejected: [] as string[] }
  for await (const batch of importUsers(context, database, lines)) {
    total.added += batch.added
    total.alreadyThere += batch.alreadyThere
    total.rejected.push(...batch.rejected.map(({ number, reason }) => `${number} ${reason}`))
  }
  return total
}
