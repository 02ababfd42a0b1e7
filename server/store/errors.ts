/** Prisma: cannot connect, no transaction available, too many connections. */
const connectionCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'])

/**
 * SQLSTATE of a server that is unreachable, full, stopping, too slow or a standby, that cancelled a statement in favor of
 * another, or that ended a transaction whose client was frozen (PostgreSQL manual, appendix A).
 */
const unavailableStates = /^(08|40|53|57)|^25006$|^25P03$|^55P03$|^XX000$/

/**
 * SQLSTATE of a protocol violation. PgBouncer sends it with this severity when it closes a connection, for any reason.
 * Postgres sends it with the severity ERROR for a statement that has a wrong number of parameters, which is a bug.
 */
const protocolViolation = { state: '08P01', severityIfClosed: 'FATAL' }

/** Messages of pg and its pool without a code. */
const unavailableMessages =
  /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable|Query read timeout|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT|Can't reach database server/

/** The kinds of such errors in Prisma's driver adapter. */
const unavailableKinds = new Set([
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TooManyConnections',
])

/** Codes and messages of Node's TLS and of pg when a TLS connection fails. */
const tlsFailures =
  /^(CERT_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_|INVALID_(CA|PURPOSE)$)|does not support SSL connections|establishing an SSL connection/

/** PgBouncer's response to a client that sends parameters meant for Postgres. */
const pgBouncerRefusal = /unsupported startup parameter/

/** A part of the store is unavailable. The message says which. */
export class UnavailableError extends Error {}

const withoutConnection = Symbol('without connection')

/** Throws an error again, marked if it means that no connection could be opened. */
export function throwUnconnected(error: unknown): never {
  // A statement that waited for one of the pool's connections in vain says nothing about the server.
  const isPoolBusy = error instanceof Error && error.message === 'timeout exceeded when trying to connect'
  if (error instanceof Error && !isPoolBusy) Object.defineProperty(error, withoutConnection, { value: true })
  throw error
}

/** Returns whether a statement failed because no connection could be opened, so that it did not run. */
export const isUnconnected = (error: unknown) => error instanceof Error && withoutConnection in error

/** Another process has the folder of the embedded store open. */
export class FolderInUseError extends Error {
  constructor(folder: string) {
    super(
      `${folder} is in use by another process, such as a running server. Stop the server, then run the command again`,
    )
  }
}

/** Returns whether an error means that the store is unavailable, so that a retry may help. */
export function isStoreUnavailable(error: unknown): boolean {
  if (error instanceof UnavailableError) return true
  if (!(error instanceof Error) || pgBouncerRefusal.test(error.message)) return false
  if ('code' in error && connectionCodes.has(String(error.code))) return true
  const { kind = '', originalCode, severity } = driverCauseOf(error)
  if (originalCode === protocolViolation.state) return severity === protocolViolation.severityIfClosed
  if (unavailableKinds.has(kind) || isTlsFailure(error)) return true
  if (originalCode !== undefined) return unavailableStates.test(originalCode)
  return (
    unavailableMessages.test(error.message) ||
    ('code' in error && unavailableMessages.test(String(error.code)))
  )
}

/** Returns a handler of rejections: it returns the value if the store is unavailable, and throws any other error. */
export const ifStoreUnavailable =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (isStoreUnavailable(error)) return value
    throw error
  }

/**
 * Returns whether TLS to the store failed, because its certificate was not accepted or it has no TLS. Waiting rarely
 * helps, so a server does not start. A running server returns 503.
 */
export const isTlsFailure = (error: unknown): boolean =>
  error instanceof Error &&
  (driverCauseOf(error).kind === 'TlsConnectionError' ||
    tlsFailures.test('code' in error ? String(error.code) : error.message))

/**
 * Returns whether a unique index rejected a statement (SQLSTATE 23505).
 *
 * @param column a column of the index, whose name is in the message. Citus does not send it as a field
 */
export const isUniqueViolation = (error: unknown, column = '') =>
  hasState(error, '23505') && String(error).includes(column)

/** Returns whether a statement referred to a missing row (SQLSTATE 23503). @param column of the key, as above */
export const isForeignKeyViolation = (error: unknown, column = '') =>
  hasState(error, '23503') && String(error).includes(column)

/** Returns whether a statement waited too long for a lock (SQLSTATE 55P03), or deadlocked (40P01). */
export const isLockFailure = (error: unknown) => hasState(error, '55P03') || hasState(error, '40P01')

/** Returns whether a transaction of a command took longer than its limit, such as by waiting for locks. */
export const isExpiredTransaction = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'P2028' &&
  error.message.includes('expired transaction')

/** Returns whether the server responded with an internal error (SQLSTATE XX000), as Citus does if a shard was replaced. */
export const isInternalError = (error: unknown) => hasState(error, 'XX000')

/** Returns whether a statement exceeded its time limit, on the server (SQLSTATE 57014) or in the driver. */
export const isStatementTimeout = (error: unknown) =>
  hasState(error, '57014') || (error instanceof Error && error.message.includes('Query read timeout'))

/** States of a server that cannot be used by any statement: no connection, or it stops or starts. */
const unreachableStates = /^08|^57P0/

/** Returns whether Postgres responded, but refused a statement for now: it may succeed if it is repeated. */
export const isRefusedForNow = (error: unknown) => {
  const { originalCode } = error instanceof Error ? driverCauseOf(error) : {}
  return originalCode !== undefined && isStoreUnavailable(error) && !unreachableStates.test(originalCode)
}

/** Returns whether Postgres sent an error of this SQLSTATE. */
export const hasState = (error: unknown, state: string) =>
  error instanceof Error && driverCauseOf(error).originalCode === state

/** Returns the kind of an error by Prisma's adapter, and the SQLSTATE if Postgres sent one. */
function driverCauseOf(error: Error & { meta?: unknown }): {
  kind?: string
  originalCode?: string
  severity?: string
  reason?: string
} {
  if ('severity' in error && 'code' in error)
    return { originalCode: String(error.code), severity: String(error.severity) }
  const { driverAdapterError = error } = (error.meta ?? {}) as { driverAdapterError?: Error }
  return driverAdapterError.name === 'DriverAdapterError' ? (driverAdapterError.cause ?? {}) : {}
}

/** Returns the node that Citus could not reach, with the reason. Returns undefined for other errors. */
export function unreachableNodeOf(error: unknown): string | undefined {
  const found = /connection to the remote node \S*?([^\s@]+) failed with the following error: ([^`\n]*)/
  const [, node, reason] = found.exec(reasonOf(error)) ?? []
  return node && `${node}: ${reason}`
}

/** Returns the reason of an error for an operator: the message of Postgres without Prisma's text around it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (pgBouncerRefusal.test(error.message))
    return 'DATABASE_URL connects to PgBouncer. Add ?pgbouncer=true to it'
  if (isTlsFailure(error)) {
    const reason = (driverCauseOf(error).reason ?? error.message).replace(/:? *$/, '')
    return `TLS to Postgres failed: ${reason}. Check host, sslmode and sslrootcert in DATABASE_URL`
  }
  const reason = withoutPrismaText(error)
  const [, missing] = /^database ["`]([^"`]+)["`] does not exist/i.exec(reason) ?? []
  return missing
    ? `Postgres has no database "${missing}". Create it, for example with: createdb ${missing}`
    : reason
}

function withoutPrismaText({ name, message }: Error) {
  if (!name.startsWith('PrismaClient')) return message
  return message.match(/Message: `(.*)`$/s)?.[1] ?? message.trim().split('\n').at(-1) ?? ''
}
