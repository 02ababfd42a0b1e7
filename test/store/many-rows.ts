import type pg from 'pg'

/** Values of columns that differ from what {@link generated} returns for their type. */
const values: Record<string, string> = {
  'outbox.kind': `(ARRAY['mail', 'webhook'])[n % 2 + 1]`,
  // Only a mail has one.
  'outbox.recipient': `CASE WHEN n % 4 = 0 THEN 'filled ' || n END`,
  // No row of a list has a number after the last one.
  'event_cursor.last_seq': '1000000000',
  'revocation_cursor.last_seq': '1000000000',
  'membership.role': `(ARRAY['owner', 'admin', 'member'])[n % 3 + 1]`,
  'tenant_domain.state': `'pending'`,
  'code.purpose': `(ARRAY['password_reset', 'email_verification'])[n % 2 + 1]`,
  // Accounts: few rows only reserve an address.
  'user.reserved_for': 'NULL::uuid',
  'user.reserved_until': 'NULL::timestamptz',
  'database.workspace_id': '(SELECT id FROM usher.workspace ORDER BY id LIMIT 1)',
}

/** Tables with few rows per database, because only operators, servers and new hash parameters add rows. */
const few = [
  'signing_key',
  'database_secret',
  'hash_parameters',
  'mail_template',
  'connection',
  'server_status',
]

interface Column {
  table: string
  name: string
  type: string
  isNullable: boolean
}

/**
 * Fills the store of a connection.
 *
 * @param now all timestamps lie in the hour that begins then
 * @param isAnalyzed whether the planner gets to know the rows
 * @param beforeCommit called when the rows are inserted, and no other connection sees them yet
 */
export async function createFiller(
  client: pg.Client,
  now: number,
  {
    isAnalyzed = true,
    beforeCommit = async () => {},
  }: { isAnalyzed?: boolean; beforeCommit?: () => Promise<unknown> } = {},
) {
  const columns = await columnsOf(client)
  const { rows: databases } = await client.query<{ id: string }>('SELECT id FROM usher.database')

  async function fill(from: string, count: number, isFilled: (table: string) => boolean) {
    // Foreign keys are not checked: most rows would need a parent of their own.
    await client.query(
      'BEGIN; SET LOCAL session_replication_role = replica; SET LOCAL synchronous_commit = off',
    )
    for (const [table, own] of columns) {
      if (!isFilled(table)) continue
      const selected = own.map((column) => filled(column, generated(column, now)))
      await client.query(
        `INSERT INTO usher."${table}" (${own.map(({ name }) => `"${name}"`).join(', ')})
        SELECT ${selected.join(', ')} FROM ${from}, generate_series(1, ${count}) AS n
        ON CONFLICT DO NOTHING`,
      )
    }
    await beforeCommit()
    await client.query('COMMIT')
    if (isAnalyzed) await client.query('ANALYZE')
  }

  return {
    /** Adds rows to each table, in equal parts to the databases that existed before the filler. */
    async addRows(rows: number) {
      const isFilled = (table: string) => isDistributed(table) && !few.includes(table)
      const ids = databases.map(({ id }) => `'${id}'::uuid`)
      await fill(`unnest(ARRAY[${ids}]) AS d (id)`, Math.ceil(rows / databases.length), isFilled)
    },
    /** Adds workspaces, and databases with one row in each table. */
    async addDatabases(count: number) {
      for (const global of ['workspace', 'database'])
        await fill('(VALUES (1)) AS once', count, (table) => table === global)
      await fill('usher.database AS d', 1, isDistributed)
    },
  }
}

/** Returns the names of tables of which the planner knows that they have many rows. */
export async function largeTables(client: pg.Client) {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'usher'::regnamespace AND relkind = 'r' AND reltuples > 1000`,
  )
  return new Set(rows.map(({ name }) => name))
}

const isDistributed = (table: string) => !['workspace', 'database'].includes(table)

async function columnsOf(client: pg.Client) {
  const { rows } = await client.query<Column>(
    `SELECT table_name AS "table", column_name AS name, is_nullable = 'YES' AS "isNullable",
      CASE data_type WHEN 'USER-DEFINED' THEN 'usher.' || udt_name ELSE udt_name END AS type
    FROM information_schema.columns
    WHERE table_schema = 'usher' AND table_name <> '_prisma_migrations' AND is_generated = 'NEVER'
    ORDER BY table_name, ordinal_position`,
  )
  const byTable = new Map<string, Column[]>()
  for (const column of rows) byTable.set(column.table, [...(byTable.get(column.table) ?? []), column])
  return byTable
}

/** Optional columns are filled in every second row. */
const filled = ({ isNullable }: Column, value: string) =>
  isNullable ? `CASE WHEN n % 2 = 0 THEN ${value} END` : value

function generated({ table, name, type }: Column, now: number) {
  if (name === 'database_id') return 'd.id'
  const special = values[`${table}.${name}`]
  if (special) return special
  const at = `to_timestamp(${now / 1000} + n % 3600)`
  const byType: Record<string, string> = {
    uuid: 'gen_random_uuid()',
    // Differ between databases, as keys do.
    text: `'filled ' || gen_random_uuid()`,
    _text: `ARRAY['filled ' || n]`,
    bytea: `sha256(gen_random_uuid()::text::bytea)`,
    int4: 'n + 1000',
    int8: 'n + 1000',
    bool: 'n % 2 = 0',
    json: `'{}'::json`,
    jsonb: `'{}'::jsonb`,
    date: `(${at})::date`,
    timestamptz: at,
    _timestamptz: `ARRAY[${at}]`,
  }
  return byType[type] ?? `enum_first(NULL::${type})`
}
