import type { Database } from '../../generated/client.js'
import type { JsonObject, Queries } from '../../store.js'
import type { Page } from '../page.js'
import type { TypedQueries } from './typed-queries.js'

type DatabaseValues = Partial<Omit<Database, 'claims'> & { claims: JsonObject }>

/** Inserts a database. Returns whether its name was free in the workspace. */
export async function insertDatabase({ query }: Queries, database: DatabaseValues) {
  const names = Object.keys(database)
  const parameters = names.map((_name, index) => `$${index + 1}`)
  const inserted = await query(
    `INSERT INTO usher.database (${names.map(columnOf)}) VALUES (${parameters})
    ON CONFLICT DO NOTHING RETURNING id`,
    Object.values(database),
  )
  return inserted.length > 0
}

/**
 * Changes the given columns of a database.
 *
 * @param where.webhookUrl changes nothing if the database has another one. Undefined: it may have any
 * @returns whether it was changed
 */
export async function updateDatabase(
  { query }: Queries,
  { id, webhookUrl }: { id: string; webhookUrl?: string | null | undefined },
  changes: DatabaseValues,
) {
  const set = Object.keys(changes).map((name, index) => `${columnOf(name)} = $${index + 2}`)
  const [condition, url] =
    webhookUrl === undefined
      ? ['', []]
      : [` AND webhook_url IS NOT DISTINCT FROM $${set.length + 2}::text`, [webhookUrl]]
  const changed = await query(
    `UPDATE usher.database SET ${set} WHERE id = $1::uuid${condition} RETURNING id`,
    [id, ...Object.values(changes), ...url],
  )
  return changed.length > 0
}

/** Returns the column of a field. */
const columnOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Where a listing of databases continues. */
interface DatabaseKey {
  workspaceSlug: string
  databaseName: string
}

/**
 * Returns databases with their workspaces, ordered by path.
 *
 * @param workspaceIds only those of these workspaces. Null: all
 */
export async function listDatabaseRows(
  store: TypedQueries,
  { limit, after }: Page<DatabaseKey>,
  workspaceIds?: readonly string[] | null,
) {
  const { database } = await store.loadPrisma()
  return database.findMany({
    where: {
      ...(after && {
        OR: [
          { workspace: { slug: { gt: after.workspaceSlug } } },
          { workspace: { slug: after.workspaceSlug }, name: { gt: after.databaseName } },
        ],
      }),
      ...(workspaceIds && { workspaceId: { in: [...workspaceIds] } }),
    },
    include: { workspace: true },
    orderBy: [{ workspace: { slug: 'asc' } }, { name: 'asc' }],
    take: limit,
  })
}

/** Deletes the row of a database, and by ON DELETE CASCADE all rows that refer to it. */
export const deleteDatabaseRow = (store: Queries, id: string) =>
  store.query('DELETE FROM usher.database WHERE id = ($1::uuid[])[1]', [[id]])
