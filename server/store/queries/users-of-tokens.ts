import type { Queries } from '../store.js'
import { isNotRevoked } from './revocations.js'
import type { ProductObject } from './user-fields.js'
import { type Profile, profileFields, selected } from './user-fields.js'
import {
  type JoinedTenant,
  joinedColumns,
  joinedSsoColumns,
  joinedTenants,
  type TenantOfRow,
  usersOf,
} from './user-tenants.js'
import { type UserWithoutPassword, userColumns } from './users.js'

/** The user of a token, who is not disabled. */
export type UserOfToken = Omit<UserWithoutPassword, 'memberships' | 'disabledAt'> &
  Profile & {
    metadata: ProductObject | null
    /** In the order of joining. */
    memberships: JoinedTenant[]
    /** Whether the session was not ended before it expires, as the token does. Null if the user has no such session. */
    isSessionOpen: boolean | null
  }

/** The user of a token, and the session that decides whether the token is accepted. */
export interface UserKey {
  databaseId: string
  id: string
  /** Undefined for the token of a login that has not opened a session and cannot open one any more. */
  sessionId: string | undefined
  /** Whether the database has single sign-on, so that the rules of the tenants are read. */
  hasSso?: boolean
}

/** Returns a user as a new token needs it, or undefined. */
export async function findUserOfToken(store: Queries, key: Pick<UserKey, 'databaseId' | 'id'>) {
  const [user] = await findUsersOfTokens(store, [{ ...key, sessionId: undefined }])
  return user
}

/** Returns the user of each key, or undefined, in the order of the keys. On Citus, all are of one database. */
export async function findUsersOfTokens(
  store: Queries,
  keys: readonly UserKey[],
): Promise<(UserOfToken | undefined)[]> {
  // Concurrent requests with the same token have the same key.
  const distinct = [...new Set(keys)]
  const users = usersOf(await findRows(store, distinct), userOfRow)
  if (distinct.length === keys.length) return keys.map((_key, index) => users[index])
  const places = new Map(distinct.map((key, index) => [key, index]))
  return keys.map((key) => users[places.get(key) as number])
}

function findRows(store: Queries, keys: readonly UserKey[]) {
  const [first, second] = keys
  if (!first) return []
  const { databaseId, id, sessionId } = first
  // The rules of a tenant that has none are null.
  const { one, several, ofDatabases } = keys.some(({ hasSso }) => hasSso) ? withSso : plain
  if (!second) return store.query<UserRow>(one, [databaseId, id, sessionId ?? null])
  const ids = arrayOf(keys, ({ id }) => id)
  const sessionIds = arrayOf(keys, ({ sessionId }) => sessionId ?? 'NULL')
  if (keys.every((key) => key.databaseId === databaseId))
    return store.query<UserRow>(several, [databaseId, ids, sessionIds])
  const databaseIds = arrayOf(keys, ({ databaseId }) => databaseId)
  return store.query<UserRow>(ofDatabases, [databaseIds, ids, sessionIds])
}

/** Returns the literal of a Postgres array of UUIDs, which need no escaping. The driver would escape each of them. */
const arrayOf = (keys: readonly UserKey[], textOf: (key: UserKey) => string) =>
  `{${keys.map(textOf).join(',')}}`

/** The user of a key with one of the user's tenants, or with no tenant. */
type UserRow = Omit<UserOfToken, 'memberships'> & TenantOfRow

// The row itself, because copying it takes longer.
const userOfRow = (row: UserRow): UserOfToken => Object.assign(row, { memberships: [] })

// The ids are in a subquery, which hides their number from the planner. Otherwise Postgres would plan each execution
// again, at 2.7 times the CPU time for one id. OFFSET 0 keeps the subqueries of a user, a session and a user's
// memberships separate. Otherwise Postgres reads all memberships of a small table, at 2.5 times the CPU time with a
// thousand of them, and all users of a database if most other databases are small. One id has separate statements,
// which take a sixth less time.

/** The tables that the statements read: those of the store, or of a shard of a distributed one. */
export interface TablesOfTokens {
  user: string
  session: string
  membership: string
  tenant: string
  tenant_entry: string
}

const storeTables: TablesOfTokens = {
  user: 'usher."user"',
  session: 'usher.session',
  membership: 'usher.membership',
  tenant: 'usher.tenant',
  tenant_entry: 'usher.tenant_entry',
}

const userAndSession = (
  { user, session }: TablesOfTokens,
  { id, sessionId, databaseId = '$1::uuid' }: { id: string; sessionId: string; databaseId?: string },
) => `(
    SELECT * FROM ${user}
    WHERE database_id = ${databaseId} AND id = ${id} AND disabled_at IS NULL OFFSET 0
  ) AS u
  LEFT JOIN LATERAL (
    SELECT * FROM ${session} WHERE database_id = ${databaseId} AND id = ${sessionId} OFFSET 0
  ) AS s ON s.user_id = u.id`

const columns = (hasSso: boolean) =>
  `${userColumns}, ${selected(profileFields)}, u.metadata, CASE WHEN s.id IS NOT NULL THEN ${isNotRevoked} END AS "isSessionOpen", ${hasSso ? joinedSsoColumns : joinedColumns}`

const ofWanted = { id: 'wanted.user_id', sessionId: 'wanted.session_id' }

/** Returns the statements of {@link findUsersOfTokens} on one database: of a user, and of several. */
const readsOf = (tables: TablesOfTokens, hasSso: boolean) => ({
  one: `
  SELECT 1 AS place, ${columns(hasSso)}
  FROM ${userAndSession(tables, { id: '$2::uuid', sessionId: '$3::uuid' })}${joinedTenants(tables, { hasSso })}`,
  several: `
  SELECT wanted.place, ${columns(hasSso)}
  FROM unnest((SELECT $2::uuid[])::uuid[], (SELECT $3::uuid[])::uuid[])
    WITH ORDINALITY AS wanted (user_id, session_id, place)
  CROSS JOIN LATERAL ${userAndSession(tables, ofWanted)}${joinedTenants(tables, { hasSso })}`,
})

/** Returns all statements of {@link findUsersOfTokens} on one database. */
export const readsOfTokens = (tables: TablesOfTokens): string[] =>
  [false, true].flatMap((hasSso) => Object.values(readsOf(tables, hasSso)))

const readsOfStore = readsOfTokens(storeTables)

/** Returns the place of a statement in {@link readsOfTokens}, or -1. */
export const placeOfRead = (text: string) => readsOfStore.indexOf(text)

const databaseId = 'wanted.database_id'
const statementsOf = (hasSso: boolean) => ({
  ...readsOf(storeTables, hasSso),
  ofDatabases: `
  SELECT wanted.place, ${columns(hasSso)}
  FROM unnest((SELECT $1::uuid[])::uuid[], (SELECT $2::uuid[])::uuid[], (SELECT $3::uuid[])::uuid[])
    WITH ORDINALITY AS wanted (database_id, user_id, session_id, place)
  CROSS JOIN LATERAL ${userAndSession(storeTables, { ...ofWanted, databaseId })}${joinedTenants(storeTables, { databaseId, hasSso })}`,
})

const plain = statementsOf(false)
const withSso = statementsOf(true)
