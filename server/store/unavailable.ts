import { Prisma } from './generated/client.js'

/** Prisma: cannot connect, transaction not to be had, too many connections, database error (by SQLSTATE). */
const connectionCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'])

/** SQLSTATE of a server that is away, full, stopping or too slow (PostgreSQL manual, appendix A). */
const awayStates = /^(08|53|57)|^55P03$|^XX000$/

/** What pg and its pool say without a code. */
const awayMessages =
  /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable|Query read timeout|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT|Can't reach database server/

/** Whether an error means that the store cannot be used just now, so that trying again later may help. */
export function isStoreUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof Prisma.PrismaClientKnownRequestError) {
    if (connectionCodes.has(error.code)) return true
    const state = sqlStateOf(error)
    if (state !== undefined) return awayStates.test(state)
  }
  return awayMessages.test(error.message)
}

/** Whether a statement of our own was refused by a unique index (SQLSTATE 23505). */
export const isUniqueViolation = (error: unknown) => hasState(error, '23505')

/** Whether a statement of our own named a row that is gone (SQLSTATE 23503, or 23001 with RESTRICT). */
export const isForeignKeyViolation = (error: unknown) => hasState(error, '23503', '23001')

const hasState = (error: unknown, ...states: string[]) =>
  error instanceof Prisma.PrismaClientKnownRequestError && states.includes(sqlStateOf(error) ?? '')

/** The SQLSTATE that Postgres gave, where it gave one. */
function sqlStateOf(error: Prisma.PrismaClientKnownRequestError): string | undefined {
  const { driverAdapterError } = (error.meta ?? {}) as {
    driverAdapterError?: { cause?: { originalCode?: string } }
  }
  return driverAdapterError?.cause?.originalCode
}

/** Why something failed, in words for the operator: what Postgres said, without Prisma's words around it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (!error.name.startsWith('PrismaClient')) return error.message
  return error.message.match(/Message: `(.*)`$/s)?.[1] ?? error.message.trim().split('\n').at(-1) ?? ''
}
