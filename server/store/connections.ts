import pg from 'pg'
import { hasState, throwUnconnected } from './errors.js'

/** Minimum time between two replacements, so that a server that stays read-only does not cost a connection per statement. */
const replaceMilliseconds = 1_000

export type StoreConnections = ReturnType<typeof createConnections>

/**
 * Returns functions that open a connection of a pool and replace all. A session that was opened while the server was read-only
 * may stay so, and one to a former primary leads to a standby, although a new one would accept changes.
 */
export function createConnections(pool: pg.Pool) {
  const all = new Set<pg.PoolClient>()
  const outdated = new WeakSet<pg.PoolClient>()
  let replacedAt = Number.NEGATIVE_INFINITY
  pool.on('connect', (client) => all.add(client))
  pool.on('remove', (client) => all.delete(client))

  async function open() {
    const client = await pool.connect()
    return { client, release: (isBroken: boolean) => client.release(isBroken || outdated.has(client)) }
  }

  return {
    /** Opens a connection, or returns an idle one. */
    open,
    /** Closes idle connections, and the others after their work. */
    replace() {
      if (performance.now() - replacedAt < replaceMilliseconds) return
      replacedAt = performance.now()
      for (const client of all) outdated.add(client)
      // The pool gives away idle ones first.
      for (let idle = pool.idleCount; idle > 0; idle--)
        open().then(
          ({ release }) => release(false),
          () => undefined,
        )
    },
  }
}

export type RunStatement = (statement: pg.QueryConfig) => Promise<pg.QueryResult>

/**
 * Runs work on a connection of the pool. Keeps the connection after an error of a statement, such as a duplicate, and of
 * the work itself. The pool's own `query` would close it. Replaces all connections if one is read-only.
 */
export async function withConnection<Result>(
  { open, replace }: StoreConnections,
  work: (query: RunStatement) => Promise<Result>,
) {
  const { client, release } = await open().catch(throwUnconnected)
  let failure: unknown
  const query: RunStatement = async (statement) => {
    if (failure !== undefined) throw failure
    try {
      return await client.query(statement)
    } catch (error) {
      if (hasState(error, readOnlyState)) replace()
      if (!isStatementError(error)) failure = error
      throw error
    }
  }
  try {
    return await work(query)
  } finally {
    release(failure !== undefined)
  }
}

/** SQLSTATE of a change in a read-only transaction: of a standby, or of a session that was opened while the server was read-only. */
const readOnlyState = '25006'

const isStatementError = (error: unknown) => error instanceof pg.DatabaseError && error.severity === 'ERROR'
