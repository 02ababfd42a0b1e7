import type { Prisma } from '../../generated/client.js'
import type { Page } from '../page.js'
import type { TypedQueries } from './typed-queries.js'

/** Inserts a database. Returns it with its defaults, or undefined if its name is taken in the workspace. */
export async function insertDatabase(
  store: TypedQueries,
  data: Prisma.DatabaseCreateManyInput & { id: string },
) {
  const { database } = await store.loadPrisma()
  const { count } = await database.createMany({ data, skipDuplicates: true })
  return count === 0 ? undefined : database.findUniqueOrThrow({ where: { id: data.id } })
}

/** Changes the given columns of a database. Returns whether there was one with these values. */
export async function updateDatabase(
  store: TypedQueries,
  where: { id: string; webhookUrl?: string | null },
  data: Prisma.DatabaseUpdateManyMutationInput,
) {
  const { database } = await store.loadPrisma()
  const { count } = await database.updateMany({ where, data })
  return count > 0
}

/** Where a listing of databases continues. */
interface DatabaseKey {
  workspaceSlug: string
  databaseName: string
}

/** Returns databases with their workspaces, ordered by path. */
export async function listDatabaseRows(store: TypedQueries, { limit, after }: Page<DatabaseKey>) {
  const { database } = await store.loadPrisma()
  return database.findMany({
    where: after && {
      OR: [
        { workspace: { slug: { gt: after.workspaceSlug } } },
        { workspace: { slug: after.workspaceSlug }, name: { gt: after.databaseName } },
      ],
    },
    include: { workspace: true },
    orderBy: [{ workspace: { slug: 'asc' } }, { name: 'asc' }],
    take: limit,
  })
}

/** Deletes the row of a database, and by ON DELETE CASCADE all rows that refer to it. */
export async function deleteDatabaseRow(store: TypedQueries, id: string) {
  const { database } = await store.loadPrisma()
  await database.deleteMany({ where: { id } })
}
