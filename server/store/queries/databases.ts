import { settingEntries } from '@usher/contract/settings'
import type { Database } from '../generated/client.js'
import type { Queries } from '../store.js'

/** The columns of the encrypted secrets of a database. */
const sealedColumns = {
  sealedWebhookSecret: 'sealed_webhook_secret',
  sealedSignUpHookSecret: 'sealed_sign_up_hook_secret',
} as const
/** The encrypted secrets of a database, which sign requests to the product. */
export type SealedField = keyof typeof sealedColumns

/** The columns of a database that requests and commands read. */
export type DatabaseFields = Omit<Database, SealedField>

/** Returns the database of each path, or undefined, in the order of the paths. */
export async function findDatabasesByPath(
  store: Queries,
  paths: readonly { workspaceSlug: string; databaseName: string }[],
) {
  const rows = await store.query<DatabaseFields & { place: number }>(findDatabasesByPathStatement, [
    paths.map(({ workspaceSlug }) => workspaceSlug),
    paths.map(({ databaseName }) => databaseName),
  ])
  const databases = new Map(rows.map(({ place, ...database }) => [place, database]))
  return paths.map((_path, index) => databases.get(index + 1))
}

const settingColumns = settingEntries
  .map(([name]) => `d.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} AS "${name}"`)
  .join(', ')

const findDatabasesByPathStatement = `
  SELECT wanted.place::int, d.id, d.workspace_id AS "workspaceId", d.name, ${settingColumns},
    d.second_factor_required_at AS "secondFactorRequiredAt", d.created_at AS "createdAt",
    d.is_operators AS "isOperators"
  FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) WITH ORDINALITY AS wanted (slug, name, place)
  JOIN usher.workspace AS w ON w.slug = wanted.slug
  JOIN usher.database AS d ON d.workspace_id = w.id AND d.name = wanted.name`

/** The settings of which stored rows depend. */
export type LockedSettings = Pick<Database, 'roles' | 'passkeyDomain' | 'passkeyOrigins' | 'appUrl'>

/**
 * Returns settings of a database. No role can be removed and the domain of passkeys cannot change until the transaction ends, because
 * these changes lock the signing keys, and so does this function. A request must not lock the row of the database, which a
 * distributed store has on every node.
 */
export async function findLockedSettings({ query }: Queries, id: Database['id']) {
  await query(lockKeysStatement, [id])
  // A separate statement, because only a later one sees the changes of the transaction that the lock waited for.
  const [row] = await query<LockedSettings>(findSettingsStatement, [id])
  return row
}

const lockKeysStatement = 'SELECT kid FROM usher.signing_key WHERE database_id = $1::uuid FOR KEY SHARE'

const findSettingsStatement = `
  SELECT roles, passkey_domain AS "passkeyDomain", passkey_origins AS "passkeyOrigins", app_url AS "appUrl"
  FROM usher.database WHERE id = $1::uuid`

/** Returns the path of a database, or undefined. */
export async function findPathOfDatabase({ query }: Queries, id: string) {
  // An array, because a store on Citus would take a string for the id of a database.
  const [path] = await query<{ workspaceSlug: string; databaseName: string }>(findPathStatement, [[id]])
  return path
}

const findPathStatement = `
  SELECT w.slug AS "workspaceSlug", d.name AS "databaseName"
  FROM usher.database AS d JOIN usher.workspace AS w ON w.id = d.workspace_id WHERE d.id = ($1::uuid[])[1]`

/** Returns the path of the oldest database, or undefined. The operators' database does not count. */
export async function findOldestDatabase(store: Queries) {
  const [path] = await store.query<{ workspaceSlug: string; databaseName: string }>(
    `SELECT w.slug AS "workspaceSlug", d.name AS "databaseName"
    FROM usher.database AS d JOIN usher.workspace AS w ON w.id = d.workspace_id
    WHERE NOT d.is_operators
    ORDER BY d.created_at, d.id LIMIT 1`,
    [],
  )
  return path
}

/** Returns the operators' database, or undefined. */
export async function findOperatorsRow(store: Queries) {
  const [row] = await store.query<{
    id: string
    workspaceSlug: string
    databaseName: string
    appUrl: string
  }>(
    `SELECT d.id, w.slug AS "workspaceSlug", d.name AS "databaseName", d.app_url AS "appUrl"
    FROM usher.database AS d JOIN usher.workspace AS w ON w.id = d.workspace_id
    WHERE d.is_operators`,
    [],
  )
  return row
}

/** Returns the path `workspace/name` of a database, or null. */
export async function findDatabasePath(store: Queries, id: string | null) {
  const [row] = await store.query<{ path: string }>(
    // An array, because a store on Citus would take a string for the id of a database.
    `SELECT w.slug || '/' || d.name AS path
    FROM usher.database AS d JOIN usher.workspace AS w ON w.id = d.workspace_id
    WHERE d.id = ($1::uuid[])[1]`,
    [[id]],
  )
  return row?.path ?? null
}

/** Returns ids of the newest or oldest databases after skipping some. Ids are in order of creation. */
export async function findDatabaseIds(
  store: Queries,
  end: 'newest' | 'oldest',
  { skip, limit }: { skip: number; limit: number },
) {
  const rows = await store.query<{ id: string }>(
    `SELECT id FROM usher.database ORDER BY id ${end === 'newest' ? 'DESC' : 'ASC'}
    LIMIT $2::integer OFFSET $1::integer`,
    [skip, limit],
  )
  return rows.map(({ id }) => id)
}

/** Returns the number of databases. */
export async function countDatabases(store: Queries) {
  const [row] = await store.query<{ count: number }>('SELECT count(*)::int AS count FROM usher.database', [])
  return row?.count ?? 0
}

/** Yields the databases with their encrypted secrets, newest first. */
export async function* pagesOfDatabases(store: Queries) {
  let before = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  for (;;) {
    const rows = await store.query<Pick<Database, 'id' | SealedField>>(
      `SELECT id, sealed_webhook_secret AS "sealedWebhookSecret",
        sealed_sign_up_hook_secret AS "sealedSignUpHookSecret" FROM usher.database
      WHERE id < ($1::uuid[])[1] ORDER BY id DESC LIMIT 100`,
      [[before]],
    )
    yield rows
    if (rows.length < 100) return
    before = rows.at(-1)?.id ?? before
  }
}

/** Replaces an encrypted secret of a database, unless it was changed since it was read. */
export const resealRequestSecret = (
  store: Queries,
  { id, field, sealed }: { id: string; field: SealedField; sealed: Uint8Array },
  resealed: Uint8Array,
) =>
  store.query(
    `UPDATE usher.database SET ${sealedColumns[field]} = $3::bytea
    WHERE id = $1::uuid AND ${sealedColumns[field]} = $2::bytea`,
    [id, sealed, resealed],
  )

/** Returns the hook of a database with its encrypted secret. Undefined if it has none. */
export async function findSignUpHook(store: Queries, id: Database['id']) {
  const [hook] = await store.query<{ url: string; sealed: Uint8Array }>(findHookStatement, [id])
  return hook
}

const findHookStatement = `
  SELECT sign_up_hook_url AS url, sealed_sign_up_hook_secret AS sealed FROM usher.database
  WHERE id = $1::uuid AND sign_up_hook_url IS NOT NULL`
