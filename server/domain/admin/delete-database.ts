import type { DatabasePath } from '@usher/contract'
import type { Store } from '../../store/store.js'
import { OperatorError } from './operator-error.js'

/** Rows deleted by one statement: few enough for the store's limit of time, and to hold nobody up. */
const rowsAtOnce = 1000

/**
 * Deletes a database with all that is in it. Its keys go first: without them no server finds it, so nobody sees
 * the rest go, some rows at a time. Cut short, it is finished by doing it again.
 *
 * @returns the database's id, and how many users it had
 * @throws {OperatorError} where there is no such database
 */
export async function deleteDatabase(store: Store, { workspaceSlug, databaseName }: DatabasePath) {
  const { prisma } = store
  const database = await prisma.database.findFirst({
    where: { name: databaseName, workspace: { slug: workspaceSlug } },
  })
  if (!database) throw new OperatorError(`no database ${workspaceSlug}/${databaseName}`)
  const { id } = database
  await prisma.signingKey.deleteMany({ where: { databaseId: id } })
  // Memberships and idempotency keys go with their users.
  const users = await untilNone(
    () => prisma.$executeRaw`
      DELETE FROM usher."user" WHERE database_id = ${id}::uuid AND id IN (
        SELECT id FROM usher."user" WHERE database_id = ${id}::uuid ORDER BY id LIMIT ${rowsAtOnce})`,
  )
  await untilNone(
    () => prisma.$executeRaw`
      DELETE FROM usher.tenant WHERE database_id = ${id}::uuid AND id IN (
        SELECT id FROM usher.tenant WHERE database_id = ${id}::uuid ORDER BY id LIMIT ${rowsAtOnce})`,
  )
  await untilNone(
    () => prisma.$executeRaw`
      DELETE FROM usher.login_failures WHERE database_id = ${id}::uuid AND (address, network) IN (
        SELECT address, network FROM usher.login_failures WHERE database_id = ${id}::uuid
        ORDER BY address, network LIMIT ${rowsAtOnce})`,
  )
  // What servers that had the database cached wrote meanwhile goes with its row.
  await prisma.database.deleteMany({ where: { id } })
  return { id, users }
}

async function untilNone(deleteSome: () => Promise<number>) {
  let total = 0
  for (let count = await deleteSome(); count > 0; count = await deleteSome()) total += count
  return total
}
