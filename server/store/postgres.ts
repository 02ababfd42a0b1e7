import { createHash } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { prismaOver, type Store } from './store.js'
import { UtcClient } from './utc-client.js'

const connectMilliseconds = 5_000
/** How much longer than the server's own limit to wait for a server that went silent. */
const graceMilliseconds = 1_000

/**
 * A store on a Postgres server. Connects when first asked, and again after a failure.
 *
 * @param url with `pgbouncer=true` where PgBouncer shares connections among clients from one transaction to the
 * next: statements have no names then, which its versions before 1.21 mix up, and Postgres is told no time limit
 * for them, which PgBouncer refuses
 * @param log is told of connections that broke while idle
 * @param connections at most, opened as they are needed
 * @param statementMilliseconds a server that takes longer over a statement counts as away; 0 for no limit
 */
export function openPostgres(
  url: string,
  masterKey: Buffer,
  log: (error: Error) => void,
  connections = 10,
  statementMilliseconds = 10_000,
): Store {
  const throughPgBouncer = new URL(url).searchParams.get('pgbouncer') === 'true'
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectMilliseconds,
    statement_timeout: throughPgBouncer ? 0 : statementMilliseconds,
    query_timeout: statementMilliseconds && statementMilliseconds + graceMilliseconds,
    application_name: 'usher',
    Client: UtcClient,
  })
  pool.on('error', log)
  const nameOf = (text: string) => (throughPgBouncer ? '' : statementName(text))
  const adapter = new PrismaPg(pool, {
    schema: 'usher',
    onConnectionError: log,
    ...(!throughPgBouncer && { statementNameGenerator: ({ sql }) => statementName(sql) }),
  })
  const prisma = prismaOver(adapter)
  return {
    prisma,
    masterKey,
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    query: async (text, values) => (await pool.query({ name: nameOf(text), text, values })).rows,
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

const names = new Map<string, string>()

/** Named statements are parsed and planned once for each connection. The texts are few: all are our own. */
function statementName(sql: string) {
  const known = names.get(sql)
  if (known) return known
  const name = createHash('sha256').update(sql).digest('base64url')
  names.set(sql, name)
  return name
}
