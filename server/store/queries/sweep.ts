import type { Queries } from '../store.js'

/** Maximum number of rows of a table that one statement deletes, so that it holds locks for a short time. */
const batchRows = 250

/** The column that says when a row of a kind expires. An index covers it, unless a database has few rows. */
const endColumns = {
  session: 'expires_at',
  login_failures: 'last_failure_at',
  network_failures: 'full_at',
  known_network: 'last_login_at',
  idempotency_key: 'created_at',
  api_request: 'created_at',
  code: 'expires_at',
  login_attempt: 'expires_at',
  used_challenge: 'expires_at',
  reserved_address: 'reserved_until',
  invitation: 'expires_at',
  code_request: 'full_at',
  api_key: 'expires_at',
  unsent_notice: 'created_at',
  operator_action: 'created_at',
  pending_domain: 'created_at',
  sso_portal: 'expires_at',
  server_status: 'seen_at',
  daily_statistics: 'day',
}

type Swept = keyof typeof endColumns
const sweptKinds = Object.keys(endColumns) as Swept[]

/** The table of a kind, if it has another name, and which of its rows are of the kind, unless the column says it. */
const tables: { [Kind in Swept]?: { name: string; condition?: string } } = {
  reserved_address: { name: 'user' },
  unsent_notice: { name: 'outbox', condition: 'recipient IS NOT NULL' },
  pending_domain: { name: 'tenant_domain', condition: "state = 'pending'" },
}

const tableOf = (kind: Swept) => tables[kind]?.name ?? kind

/** The tables from which rows are deleted. */
export const sweptTables: readonly string[] = [...new Set(sweptKinds.map(tableOf))]

/** Rows of a kind with an earlier timestamp have expired. */
export type Ends = Record<Swept, Date>

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
 * Deletes expired rows of a database, the earliest of each kind.
 *
 * @returns whether none is left, the number of deleted notices, and that of sets of hash parameters of the database
 */
export async function deleteEnded(store: Queries, databaseId: string, ends: Ends) {
  const values = sweptKinds.map((kind) => ends[kind])
  type Row = { most: number; notices: number; hashParameters: number }
  const [row] = await store.query<Row>(deleteStatement, [databaseId, ...values])
  const { most, ...counts } = row ?? { most: 0, notices: 0, hashParameters: 0 }
  return { isComplete: most < batchRows, ...counts }
}

// Skips rows that a request has locked, because waiting for them could deadlock. With the range, Postgres does not
// read the whole database to find rows by ctid, or the whole table to find them by key.
const deletedPart = (kind: Swept, index: number) => {
  const end = endColumns[kind]
  const { condition } = tables[kind] ?? {}
  // Not compared with a time: that depends on the time zone of the session, and Citus refuses it.
  const type = end === 'day' ? 'date' : 'timestamptz'
  const ended = `database_id = $1::uuid AND ${end} < $${index + 2}::${type}${condition ? ` AND ${condition}` : ''}`
  const table = `usher.${tableOf(kind)}`
  const first = `FROM ${table} WHERE ${ended} ORDER BY ${end} LIMIT ${batchRows}`
  return `
  deleted_${kind} AS (
    DELETE FROM ${table} WHERE ${ended}
      AND ${end} <= (SELECT max(first.${end}) FROM (SELECT ${end} ${first}) AS first)
      AND ctid = ANY(ARRAY(SELECT ctid ${first} FOR UPDATE SKIP LOCKED))
    RETURNING 1
  )`
}

const deleteStatement = `
  WITH ${sweptKinds.map(deletedPart).join(',')}
  SELECT GREATEST(${sweptKinds.map((kind) => `(SELECT count(*) FROM deleted_${kind})`).join(', ')})::int AS most,
    (SELECT count(*)::int FROM deleted_unsent_notice) AS notices,
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
