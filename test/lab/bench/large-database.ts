import { Scope } from '@usher/contract/management'
import pg from 'pg'
import { createDatabase } from '../../../server/domain/management/databases.js'
import type { OpenStore } from '../../support/open-store.js'
import { createApiKey } from '../../support/operator-changes.js'

const path = { workspaceSlug: 'bench', databaseName: 'large' }
const emptyDatabases = 1000
const batchRows = 250_000
/** Items of a page, the default. */
const pageItems = 50
/** Sessions of each of the first users: the most that a user may have. */
const sessionsOfUser = 100
const lineage = 'generated'

/** Returns an expression for the id of a row. Ids rise with its number. */
const idOf = (number: string) => `('01a1fc6e-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`

/** Returns the id of a user or tenant by its number. */
export const idText = (number: number) => `01a1fc6e-0000-7000-8000-${number.toString(16).padStart(12, '0')}`

/** Returns the address of a user. The numbers have leading zeros, so that addresses have the order of ids. */
export const emailText = (number: number) => `user${String(number).padStart(9, '0')}@example.com`

/**
 * Creates a database with generated users, next to a thousand others. Each tenth user has a tenant, and the first tenant
 * has a tenth of the users. Each eighth user is disabled. There are as many events as tenants.
 */
export async function createLargeDatabase(store: OpenStore, url: string, users: number) {
  const now = new Date()
  const { id: databaseId } = await createDatabase({ store, now }, path, { eventsKept: 365 })
  const scoped = { name: 'bench', scopes: Scope.options, expiresInSeconds: 86_400 }
  const { key } = await createApiKey({ store, now }, path, scoped)
  const { passwordHash } = await store.prisma.user.findFirstOrThrow()
  if (passwordHash === null) throw new Error('the first user has no password')
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query('SET session_replication_role = replica; SET synchronous_commit = off')
    for (let first = 0; first < users; first += batchRows)
      await addUsers(client, { databaseId, passwordHash }, [first, Math.min(first + batchRows, users)])
    await addParts(client, databaseId, Math.floor(users / 10) + 2 * pageItems)
    await client.query(
      `INSERT INTO usher.database (id, workspace_id, name, created_at)
      SELECT gen_random_uuid(), id, 'other-' || n, now()
      FROM usher.workspace, generate_series(1, ${emptyDatabases}) AS n WHERE slug = 'bench'`,
    )
    await client.query('VACUUM ANALYZE')
    await client.query('CHECKPOINT')
    const { rows } = await client.query<{ bytes: string }>(
      'SELECT pg_database_size(current_database()) AS bytes',
    )
    const prefix = `/workspaces/${path.workspaceSlug}/databases/${path.databaseName}`
    return { databaseId, key, prefix, users, bytes: Number(rows[0]?.bytes) }
  } finally {
    await client.end()
  }
}

async function addUsers(
  client: pg.Client,
  { databaseId, passwordHash }: { databaseId: string; passwordHash: string },
  [first, end]: [number, number],
) {
  const numbers = `generate_series(${first}, ${end - 1}) AS n`
  await client.query(
    `INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, generation, disabled_at, created_at)
    SELECT $1::uuid, ${idOf('n')}, address, address, $2, 1, CASE WHEN n % 8 = 7 THEN now() END, now()
    FROM ${numbers}, concat('user', lpad(n::text, 9, '0'), '@example.com') AS address`,
    [databaseId, passwordHash],
  )
}

/** Adds this number of tenants and events, of members of the first tenant, and of users with a session and a network. */
async function addParts(client: pg.Client, databaseId: string, count: number) {
  const numbers = `generate_series(0, ${count - 1}) AS n`
  const add = (columns: string, values: string, from = numbers) =>
    client.query(
      `INSERT INTO usher.${columns} SELECT $1::uuid, ${values} FROM ${from} ON CONFLICT DO NOTHING`,
      [databaseId],
    )
  await add('tenant (database_id, id, name, created_at)', `${idOf('n')}, 'Tenant ' || n, now()`)
  const membership = 'membership (database_id, user_id, tenant_id, joined_at)'
  await add(membership, `${idOf('n')}, ${idOf('0')}, now()`)
  await add(membership, `${idOf('n * 10')}, ${idOf('n')}, now()`)
  const session =
    'session (database_id, id, user_id, generation, created_at, proven_at, refreshed_at, expires_at)'
  const times = `now(), now(), now(), now() + interval '14 days'`
  await add(session, `${idOf('n')}, ${idOf(`n / ${sessionsOfUser}`)}, 1, ${times}`)
  await add('known_network (database_id, user_id, network, last_login_at)', `${idOf('n')}, ''::bytea, now()`)
  await add(
    'login_failures (database_id, address, network, failures, last_failure_at)',
    `sha256(n::text::bytea), ''::bytea, n % 10 + 1, now() - interval '1 hour'`,
  )
  await add(
    'kept_event (database_id, id, seq, payload, created_at)',
    `${idOf('n')}, n + 1, jsonb_build_object('type', 'user.created', 'userId', ${idOf('n')}), now()`,
  )
  await add('event_cursor (database_id, lineage, last_seq)', `'${lineage}', ${count}`, '(VALUES (1)) AS once')
}

/** Returns the cursor of the event with a number. */
export const eventCursor = (number: number) => `${lineage}.${number}`
