import { Prisma } from './generated/client.js'

/** Prisma: cannot connect, transaction not to be had, too many connections, database error (by SQLSTATE). */
const connectionCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'])

/**
 * SQLSTATE of a server that is away, full, stopping, too slow or a standby, or gave up one statement for another
 * (PostgreSQL manual, appendix A).
 */
const awayStates = /^(08|40|53|57)|^25006$|^55P03$|^XX000$/

/** What pg and its pool say without a code. */
const awayMessages =
  /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable|Query read timeout|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT|Can't reach database server/

/** The same by the names of the driver's adapter. */
const awayKinds = new Set(['ConnectionClosed', 'DatabaseNotReachable', 'SocketTimeout', 'TooManyConnections'])

/** What PgBouncer says to a client that was not told of it. */
const pgBouncerRefusal = /unsupported startup parameter/

/** Whether an error means that the store cannot be used just now, so that trying again later may help. */
export function isStoreUnavailable(error: unknown): boolean {
  if (!(error instanceof Error) || pgBouncerRefusal.test(error.message)) return false
  if (error instanceof Prisma.PrismaClientKnownRequestError && connectionCodes.has(error.code)) return true
  const { kind = '', originalCode } = driverCauseOf(error)
  if (awayKinds.has(kind)) return true
  if (originalCode !== undefined) return awayStates.test(originalCode)
  return awayMessages.test(error.message) || ('code' in error && awayMessages.test(String(error.code)))
}

/** Whether a statement of our own was refused by a unique index (SQLSTATE 23505). */
export const isUniqueViolation = (error: unknown) => hasState(error, '23505')

/** Whether a statement of our own named a row that is gone (SQLSTATE 23503). */
export const isForeignKeyViolation = (error: unknown) => hasState(error, '23503')

/** Whether a statement waited too long for a lock (SQLSTATE 55P03), or in a circle (40P01). */
export const isLockFailure = (error: unknown) => hasState(error, '55P03') || hasState(error, '40P01')

const hasState = (error: unknown, state: string) =>
  error instanceof Error && driverCauseOf(error).originalCode === state

/** What the driver, or Prisma's adapter of it, says of an error: a kind, and the SQLSTATE where Postgres gave one. */
function driverCauseOf(error: Error & { meta?: unknown }): { kind?: string; originalCode?: string } {
  if ('severity' in error && 'code' in error) return { originalCode: String(error.code) }
  const { driverAdapterError = error } = (error.meta ?? {}) as { driverAdapterError?: Error }
  return driverAdapterError.name === 'DriverAdapterError' ? (driverAdapterError.cause ?? {}) : {}
}

/** Why something failed, in words for the operator: what Postgres said, without Prisma's words around it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (pgBouncerRefusal.test(error.message))
    return 'DATABASE_URL leads to PgBouncer: add ?pgbouncer=true to it (docs/several-instances.md)'
  if (!error.name.startsWith('PrismaClient')) return error.message
  return error.message.match(/Message: `(.*)`$/s)?.[1] ?? error.message.trim().split('\n').at(-1) ?? ''
}
