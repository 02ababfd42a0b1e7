import type { Queries } from './store.js'

/** The Postgres server or database is not one that Usher works with. */
export class UnsupportedStoreError extends Error {}

const oldestVersion = 15

/**
 * Checks that a Postgres server and its database are as Usher expects them.
 *
 * @returns warnings
 * @throws {UnsupportedStoreError} if the server is too old, or texts would be stored in another encoding than UTF-8
 */
export async function requireSupported({ query }: Queries): Promise<string[]> {
  const [server] = await query<{ version: string; major: number; encoding: string }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int / 10000 AS major,
      current_setting('server_encoding') AS encoding`,
    [],
  )
  if (!server) return []
  const { version, major, encoding } = server
  if (major < oldestVersion)
    throw new UnsupportedStoreError(
      `DATABASE_URL names PostgreSQL ${version}. Usher needs version ${oldestVersion} or newer`,
    )
  if (encoding !== 'UTF8')
    throw new UnsupportedStoreError(
      `the Postgres database of DATABASE_URL has the encoding ${encoding}. Create one with: createdb --encoding UTF8 --template template0 NAME`,
    )
  return (await hasOtherCollation({ query })) ? [otherCollation] : []
}

const otherCollation =
  'the operating system of Postgres sorts texts by another version of its collation than the indexes of the store, so that rows may not be found and addresses may be taken twice. Run in the Postgres database: REINDEX DATABASE, then ALTER DATABASE NAME REFRESH COLLATION VERSION'

/** Returns whether the database was created with another version of its collation, as after an upgrade of the C library. */
async function hasOtherCollation({ query }: Queries) {
  const [database] = await query<{ isOther: boolean }>(
    `SELECT datcollversion IS DISTINCT FROM pg_database_collation_actual_version(oid) AS "isOther"
    FROM pg_database WHERE datname = current_database()`,
    [],
  )
  return database?.isOther
}
