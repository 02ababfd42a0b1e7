import { setTimeout } from 'node:timers/promises'
import { isLockFailure } from './errors.js'
import type { Prisma } from './generated/client.js'

type Transaction = Prisma.TransactionClient

const tries = 10
const pauseMilliseconds = 100

/**
 * Locks the existing tables of a migration before its first statement, so that its statements wait for none of them. While it
 * waits for a table, requests wait for the tables that it has locked, and it may wait for such a request: Postgres ends a
 * request in a deadlock after a second. So it waits for 200 ms, releases its locks, and tries again.
 *
 * @throws an error of SQLSTATE 55P03 if it does not get them within 3 s
 */
export async function lockTables(transaction: Transaction, sql: string) {
  const statements = await lockStatements(transaction, sql)
  await transaction.$executeRaw`SET LOCAL lock_timeout = '200ms'`
  await transaction.$executeRaw`SAVEPOINT without_tables`
  for (let left = tries - 1; ; left--) {
    try {
      for (const statement of statements) await transaction.$executeRawUnsafe(statement)
      return
    } catch (error) {
      if (!isLockFailure(error) || left === 0) throw error
      await transaction.$executeRaw`ROLLBACK TO SAVEPOINT without_tables`
      await setTimeout(pauseMilliseconds)
    }
  }
}

/** Returns statements with the modes that a migration needs: requests may read a table to which it adds an index or a reference. */
async function lockStatements(transaction: Transaction, sql: string) {
  const rows = await transaction.$queryRaw<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'usher'`
  const statement = (mode: string, use: RegExp) => {
    const names = new Set([...sql.matchAll(use)].map(([, name]) => name))
    const tables = rows.filter(({ name }) => names.has(name)).map(({ name }) => `usher."${name}"`)
    return tables.length > 0 ? [`LOCK TABLE ${tables.join(', ')} IN ${mode} MODE`] : []
  }
  return [
    ...statement('ACCESS EXCLUSIVE', /\b(?:ALTER|DROP) TABLE "?usher"?\."?(\w+)/g),
    ...statement('SHARE ROW EXCLUSIVE', /\b(?:ON|REFERENCES) "?usher"?\."?(\w+)/g),
  ]
}
