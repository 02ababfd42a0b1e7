import type { Store } from '../store.js'

type Queries = Pick<Store, 'query'>

/** Maximum number of rows of a table that one statement deletes, so that it holds locks for a short time. */
const batchRows = 250

/** The column that says when a row of a table expires. An index covers it. */
const endColumns = {
  session: 'expires_at',
  login_failures: 'last_failure_at',
  network_failures: 'full_at',
  known_network: 'last_login_at',
  idempotency_key: 'created_at',
  api_request: 'created_at',
  code: 'expires_at',
  code_request: 'last_at',
  api_key: 'expires_at',
  outbox: 'created_at',
}

export type SweptTable = keyof typeof endColumns
export const sweptTables = Object.keys(endColumns) as SweptTable[]

/**
 * Rows with an earlier timestamp have expired. In the outbox, only events that are kept for `usher events tail`
 * expire.
 */
export type Ends = Record<SweptTable, Date>

/**
 * Records that a process sweeps a database now.
 *
 * @param since a sweep that began since then, but not in the future, is recent
 * @returns false if the last sweep is recent
 */
export async function claimSweep(
  store: Queries,
  databaseId: string,
  { now, since, future }: { now: Date; since: Date; future: Date },
) {
  const rows = await store.query(claimStatement, [databaseId, now, since, future])
  return rows.length > 0
}

const claimStatement = `
  INSERT INTO usher.sweep AS last (database_id, started_at) VALUES ($1::uuid, $2::timestamptz)
  ON CONFLICT (database_id) DO UPDATE SET started_at = excluded.started_at
  WHERE last.started_at NOT BETWEEN $3::timestamptz AND $4::timestamptz
  RETURNING 1`

/**
 * Deletes expired rows of a database, the earliest of each table.
 *
 * @returns whether none is left, and the number of sets of hash parameters of the database
 */
export async function deleteEnded(store: Queries, databaseId: string, ends: Ends) {
  const values = sweptTables.map((table) => ends[table])
  const [row] = await store.query<{ most: number; hashParameters: number }>(deleteStatement, [
    databaseId,
    ...values,
  ])
  return { isComplete: (row?.most ?? 0) < batchRows, hashParameters: row?.hashParameters ?? 0 }
}

// Skips rows that a request has locked, because waiting for them could deadlock. With the range, Postgres does not
// read the whole database to find rows by ctid, or the whole table to find them by key.
const deletedPart = (table: SweptTable, index: number) => {
  const end = endColumns[table]
  const ended = `database_id = $1::uuid AND ${end} < $${index + 2}::timestamptz${table === 'outbox' ? ` AND kind = 'tail'` : ''}`
  const first = `FROM usher.${table} WHERE ${ended} ORDER BY ${end} LIMIT ${batchRows}`
  return `
  deleted_${table} AS (
    DELETE FROM usher.${table} WHERE ${ended}
      AND ${end} <= (SELECT max(first.${end}) FROM (SELECT ${end} ${first}) AS first)
      AND ctid = ANY(ARRAY(SELECT ctid ${first} FOR UPDATE SKIP LOCKED))
    RETURNING 1
  )`
}

const deleteStatement = `
  WITH ${sweptTables.map(deletedPart).join(',')}
  SELECT GREATEST(${sweptTables.map((table) => `(SELECT count(*) FROM deleted_${table})`).join(', ')})::int AS most,
    (SELECT count(*)::int FROM usher.hash_parameters WHERE database_id = $1::uuid) AS "hashParameters"`

/** Returns the ids of databases that follow one. */
export async function findDatabaseIds(store: Queries, after: string, limit: number) {
  // An array, because a store on Citus would take a string for the id of a database.
  const rows = await store.query<{ id: string }>(
    'SELECT id FROM usher.database WHERE id > ($1::uuid[])[1] ORDER BY id LIMIT $2::integer',
    [[after], limit],
  )
  return rows.map((row) => row.id)
}

/** Returns the lowest and the highest id of a database, or undefined if there is no database. */
export async function findOuterDatabaseIds(store: Queries) {
  const [ids] = await store.query<{ lowest: string | null; highest: string }>(
    `SELECT (SELECT id FROM usher.database ORDER BY id LIMIT 1) AS lowest,
      (SELECT id FROM usher.database ORDER BY id DESC LIMIT 1) AS highest`,
    [],
  )
  return ids?.lowest ? { lowest: ids.lowest, highest: ids.highest } : undefined
}
