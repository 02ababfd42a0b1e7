import { createHash } from 'node:crypto'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import pg from 'pg'
import { createConnections, type RunStatement, type StoreConnections, withConnection } from './connections.js'
import { lazyPrisma } from './prisma.js'
import type { Store } from './store.js'

/** Added to the server's time limit of a statement, for a server that does not respond. */
const graceMilliseconds = 1_000

/** A Postgres server and how to use it. */
export interface PostgresSettings {
  /**
   * With `pgbouncer=true` for PgBouncer in transaction mode. Then statements are unnamed, because PgBouncer before 1.21
   * confuses names, and no time limits are sent, because PgBouncer rejects them.
   */
  url: string
  masterKey: Buffer
  /** Called when an idle connection breaks. */
  onConnectionError?: (error: Error) => void
  /** Maximum number of connections, which are opened when needed. Default: 10. */
  connections?: number
  /** Time limit of opening a connection, and of waiting for one. Default: 5 s. */
  connectMilliseconds?: number
  /** Time limit of a statement, and of a pause between two statements of a transaction; 0 for none. Default: 10 s. */
  statementMilliseconds?: number
}

/**
 * Opens a store on a Postgres server. Connects on first use, and again after a failure.
 *
 * @throws if the URL names a certificate or key that cannot be used
 */
export function connectPostgres(settings: PostgresSettings): Store {
  const { url, masterKey, onConnectionError } = settings
  requireUsableCertificates(url)
  const throughPgBouncer = new URL(url).searchParams.get('pgbouncer') === 'true'
  const pool = createPool(settings, throughPgBouncer)
  const connections = createConnections(pool)
  const statement = (text: string, values: unknown[], milliseconds?: number) => ({
    name: throughPgBouncer ? '' : statementName(text),
    text,
    values,
    ...limitOf(milliseconds),
  })
  const { loadPrisma, disconnect } = lazyPrisma(async () => {
    const { PrismaPg } = await import('@prisma/adapter-pg')
    return new PrismaPg(pool, {
      schema: 'usher',
      ...(onConnectionError && { onConnectionError }),
      ...(!throughPgBouncer && { statementNameGenerator: ({ sql }) => statementName(sql) }),
    })
  })
  return {
    masterKey,
    // It may be one of Citus: shareByWorker finds out.
    readsAcrossDatabases: () => false,
    connections: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      max: pool.options.max,
    }),
    query: async (text, values, milliseconds) =>
      (await withConnection(connections, (query) => query(statement(text, values, milliseconds)))).rows,
    transaction: (_databaseId, work, milliseconds) =>
      inTransaction(connections, limitOf(milliseconds), (query) =>
        work(async (text, values) => (await query(statement(text, values, milliseconds))).rows),
      ),
    async isReadOnly() {
      const statement = { text: `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"` }
      const { rows } = await withConnection(connections, (query) => query(statement))
      if (rows[0]?.isReadOnly) connections.replace()
      return rows[0]?.isReadOnly
    },
    loadPrisma,
    async close() {
      await disconnect()
      await pool.end()
    },
  }
}

function createPool(
  {
    url,
    onConnectionError,
    connections = 10,
    connectMilliseconds = 5_000,
    statementMilliseconds = 10_000,
  }: PostgresSettings,
  throughPgBouncer: boolean,
) {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectMilliseconds,
    statement_timeout: throughPgBouncer ? 0 : statementMilliseconds,
    query_timeout: statementMilliseconds && statementMilliseconds + graceMilliseconds,
    application_name: 'usher',
    types,
    ...(!throughPgBouncer && { options: sessionOptions(statementMilliseconds) }),
    Client: UtcClient,
  })
  // The pool adds the client to the error. Its state must not be logged.
  pool.on('error', (error: Error & { client?: unknown }) => {
    delete error.client
    onConnectionError?.(error)
  })
  // A connection in use may break before its user listens for errors. Without a listener, the error would end the
  // process. The statement fails as well.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Returns the parameters of a session. PgBouncer rejects them. */
const sessionOptions = (statementMilliseconds: number) =>
  [
    // So that statements are planned with their values: Citus cannot plan one of several parts without them.
    'plan_cache_mode=auto',
    // So that a process that is frozen in a transaction does not hold its locks for longer than a statement would.
    `idle_in_transaction_session_timeout=${statementMilliseconds}`,
  ]
    .map((parameter) => `-c ${parameter}`)
    .join(' ')

const { INT8, TIMESTAMPTZ } = pg.types.builtins

/**
 * Parsers of columns. A bigint becomes a number, as in PGlite, because ours are below 2^53. Prisma has other parsers.
 */
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return Number
    return oid === TIMESTAMPTZ ? instantOf : pg.types.getTypeParser(oid, format as 'text')
  },
}

/** Parses an instant in UTC, such as `2026-01-31 12:00:00.5+00`. The driver's parser takes 2.4 times as long. */
const instantOf = (text: string) => new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)

/** Reads the certificates that the URL names, so that an error names the setting. Each connection reads them again. */
function requireUsableCertificates(url: string) {
  try {
    const { ssl } = new pg.Client({ connectionString: url }) as { ssl: boolean | SecureContextOptions }
    if (typeof ssl === 'object') createSecureContext(ssl)
  } catch (error) {
    throw new Error(
      `DATABASE_URL names a certificate or key that cannot be used: ${(error as Error).message}`,
    )
  }
}

const limitOf = (milliseconds?: number) => milliseconds && { query_timeout: milliseconds }

/** Runs a transaction, which any error rolls back. */
const inTransaction = <Result>(
  connections: StoreConnections,
  limit: ReturnType<typeof limitOf>,
  work: (query: RunStatement) => Promise<Result>,
) =>
  withConnection(connections, async (query) => {
    try {
      await query({ text: 'BEGIN' })
      const result = await work(query)
      await query({ text: 'COMMIT', ...limit })
      return result
    } catch (error) {
      // If it fails, the connection is closed, which rolls back as well.
      await query({ text: 'ROLLBACK', ...limit }).catch(() => undefined)
      throw error
    }
  })

const names = new Map<string, string>()

/** Returns the name of a statement, so that it is parsed once per connection. There are only few texts. */
function statementName(sql: string) {
  const known = names.get(sql)
  if (known) return known
  const name = createHash('sha256').update(sql).digest('base64url')
  names.set(sql, name)
  return name
}

declare module 'pg' {
  interface ClientBase {
    /** Returns the parameters of the startup message. */
    getStartupConf(): Record<string, string>
  }
}

/**
 * A connection in time zone UTC, because Prisma's adapter drops the offset of a timestamptz. PgBouncer tracks this
 * parameter per client, but no parameter within `options`.
 */
export class UtcClient extends pg.Client {
  override getStartupConf() {
    return { ...super.getStartupConf(), TimeZone: 'UTC' }
  }
}
