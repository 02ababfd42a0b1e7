import type { User } from '../generated/client.js'
import type { Store } from '../store.js'
import type { Attempt, LoginFailures } from './login-failures.js'
import { changeWithMessages, type NewMessage, type Transactions } from './outbox.js'
import { isAsRead, isOpen, validAfterRevocation } from './sessions.js'
import { tenantsOf } from './tenants.js'

// The statements of the three operations bypass Prisma: its client takes five round trips for a sign-up instead of
// one, and its raw queries add a third to the CPU time of a read (measured by npm run bench). Each statement names
// database_id, always $1, on every table: a distributed store routes it to one shard.

type Queries = Pick<Store, 'query'>

export type UserWithoutPassword = Pick<
  User,
  'id' | 'email' | 'preferredName' | 'disabledAt' | 'tokensValidAfter' | 'emailVerifiedAt' | 'createdAt'
> & {
  /** In the order of joining. */
  tenants: string[]
}

export type UserWithTenants = UserWithoutPassword & Pick<User, 'passwordHash'>

/** A user to whom a token refers. */
export type UserOfToken = Omit<UserWithoutPassword, 'tenants'> & {
  /** In the order of joining. */
  memberships: { id: string; name: string; joinedAt: Date }[]
  /** Those sessions among the tokens' that have not ended. */
  sessions: string[]
}

const userColumns = `
  u.id, u.email, u.preferred_name AS "preferredName",
  u.disabled_at AS "disabledAt", u.tokens_valid_after AS "tokensValidAfter",
  u.email_verified_at AS "emailVerifiedAt", u.created_at AS "createdAt"`

/** The user of a token, and the session that the token belongs to. */
export interface UserKey {
  id: string
  sessionId: string | undefined
}

/** Returns the users that exist, in any order, each with those of the sessions that have not ended. */
export async function findUsersOfTokens(
  store: Queries,
  databaseId: string,
  keys: readonly UserKey[],
  now: Date,
): Promise<UserOfToken[]> {
  // Concurrent requests of one user share the statement, which would return the user's rows for each.
  const ids = [...new Set(keys.map(({ id }) => id))]
  const sessionIds = keys.flatMap(({ sessionId }) => sessionId ?? [])
  const rows =
    sessionIds.length === 0
      ? await store.query<UserRow>(findUsersStatement, [databaseId, ids])
      : await store.query<UserRow>(findUsersWithSessionsStatement, [databaseId, ids, sessionIds, now])
  const users = new Map<string, UserOfToken>()
  for (const { tenantId, tenantName, joinedAt, ...row } of rows) {
    const user = users.get(row.id) ?? { sessions: [], ...row, memberships: [] }
    users.set(row.id, user)
    if (tenantId) user.memberships.push({ id: tenantId, name: tenantName, joinedAt })
  }
  for (const { memberships } of users.values()) memberships.sort(inOrderOfJoining)
  return [...users.values()]
}

/** A user with one of the user's tenants, or with none. */
type UserRow = Omit<UserOfToken, 'memberships' | 'sessions'> & {
  sessions?: string[]
  tenantId: string | null
  tenantName: string
  joinedAt: Date
}

const inOrderOfJoining = (one: UserOfToken['memberships'][number], other: typeof one) =>
  one.joinedAt.getTime() - other.joinedAt.getTime() || (one.id < other.id ? -1 : 1)

// The ids are in a subquery, which hides their number from the planner. Otherwise Postgres would plan each execution
// again, at 2.7 times the CPU time for one id. OFFSET 0 keeps a user, and a user's memberships, subqueries of their own:
// otherwise all memberships of a small table are read, at 2.5 times the CPU time with a thousand of them, and all users
// of a database if most others are small.
const findUsers = (sessions = '') => `
  SELECT ${userColumns}${sessions}, joined."tenantId", joined."tenantName", joined."joinedAt"
  FROM unnest((SELECT $2::uuid[])::uuid[]) AS wanted (user_id)
  CROSS JOIN LATERAL (
    SELECT * FROM usher."user" WHERE database_id = $1::uuid AND id = wanted.user_id OFFSET 0
  ) AS u
  LEFT JOIN LATERAL (
    SELECT tenant.id AS "tenantId", tenant.name AS "tenantName", membership.joined_at AS "joinedAt"
    FROM usher.membership
    JOIN usher.tenant ON tenant.database_id = $1::uuid AND tenant.id = membership.tenant_id
    WHERE membership.database_id = $1::uuid AND membership.user_id = u.id
    OFFSET 0
  ) AS joined ON true`

const findUsersStatement = findUsers()
const findUsersWithSessionsStatement = findUsers(`,
    ARRAY(
      SELECT s.id FROM usher.session AS s
      WHERE s.database_id = $1::uuid AND s.user_id = u.id AND s.id = ANY((SELECT $3::uuid[])::uuid[])
        AND ${isOpen('$4')}
    ) AS sessions`)

/** A user who tries to log in, and what the throttle knows of the attempt. */
export interface Login {
  user: UserWithTenants | undefined
  /** When the user last logged in from this network, by {@link rememberNetwork}; null if never. */
  networkKnownAt: Date | null
  failures: LoginFailures
}

export async function findLogin(
  store: Queries,
  databaseId: string,
  canonicalEmail: string,
  attempt: Attempt,
): Promise<Login> {
  type Row = UserWithTenants & {
    networkKnownAt: Date
    networkCount: number
    networkLastAt: Date
    accountCount: number
    accountLastAt: Date
  }
  const values = [databaseId, canonicalEmail, attempt.address, attempt.network]
  const [row] = await store.query<{ [K in keyof Row]: Row[K] | null }>(findLoginStatement, values)
  const failures = (count?: number | null, lastAt?: Date | null) =>
    count && lastAt ? { count, lastAt } : undefined
  return {
    user: row?.id ? (row as UserWithTenants) : undefined,
    networkKnownAt: row?.networkKnownAt ?? null,
    failures: {
      network: failures(row?.networkCount, row?.networkLastAt),
      account: failures(row?.accountCount, row?.accountLastAt),
    },
  }
}

const findLoginStatement = `
  SELECT ${userColumns}, ${tenantsOf('u.id')}, u.password_hash AS "passwordHash",
    known.last_login_at AS "networkKnownAt",
    network.failures AS "networkCount", network.last_failure_at AS "networkLastAt",
    account.failures AS "accountCount", account.last_failure_at AS "accountLastAt"
  FROM (VALUES (1)) AS always
  LEFT JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.email_key = $2
  LEFT JOIN usher.known_network AS known ON known.database_id = $1::uuid
    AND known.user_id = u.id AND known.network = $4::bytea
  LEFT JOIN usher.login_failures AS network ON network.database_id = $1::uuid
    AND network.address = $3::bytea AND network.network = $4::bytea
  LEFT JOIN usher.login_failures AS account ON account.database_id = $1::uuid
    AND account.address = $3::bytea AND account.network = ''::bytea`

/** Replaces the password hash of a user, unless it has been replaced since the user was read. */
export const replacePasswordHash = (
  store: Queries,
  databaseId: string,
  { id, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
  newHash: string,
) => store.query(replacePasswordHashStatement, [databaseId, id, passwordHash, newHash])

const replacePasswordHashStatement = `
  UPDATE usher."user" SET password_hash = $4
  WHERE database_id = $1::uuid AND id = $2::uuid AND password_hash = $3`

export const updatePreferredName = (
  store: Transactions,
  databaseId: string,
  userId: string,
  preferredName: string | null,
  messages: readonly NewMessage[],
) => changeWithMessages(store, updatePreferredNameStatement, [databaseId, userId, preferredName], messages)

const updatePreferredNameStatement = `
  UPDATE usher."user" SET preferred_name = $3 WHERE database_id = $1::uuid AND id = $2::uuid RETURNING 1`

/** A user as a request has read it. Who was disabled since, or whose tokens were revoked, is not changed. */
export type ReadUser = Pick<User, 'id' | 'tokensValidAfter'>

/**
 * Rejects the tokens that a user has now, and may replace the password hash.
 *
 * @param user with `tokensValidAfter` only if the user is as read
 * @param messages written with the change
 * @returns from when on tokens are valid, by {@link validAfterRevocation}; undefined if there is no such user
 */
export async function revokeUserTokens(
  store: Transactions,
  databaseId: string,
  { id, tokensValidAfter }: Pick<User, 'id'> & Partial<ReadUser>,
  now: Date,
  passwordHash: string | undefined,
  messages: readonly NewMessage[] = [],
) {
  const values = [databaseId, id, now, passwordHash ?? null]
  const [user] = await changeWithMessages<{ tokensValidAfter: Date }>(
    store,
    tokensValidAfter === undefined ? revokeStatement : revokeIfAsReadStatement,
    tokensValidAfter === undefined ? values : [...values, tokensValidAfter],
    messages,
  )
  return user?.tokensValidAfter
}

/** Does what {@link revokeUserTokens} does to a user who is as read. One session, if any, goes on. */
export async function changePassword(
  store: Transactions,
  databaseId: string,
  user: ReadUser,
  now: Date,
  passwordHash: string,
  sessionId: string | undefined,
  messages: readonly NewMessage[],
) {
  // Citus rejects a part that changes no row because it compares with null.
  if (sessionId === undefined) return revokeUserTokens(store, databaseId, user, now, passwordHash, messages)
  const [changed] = await changeWithMessages<{ tokensValidAfter: Date }>(
    store,
    changePasswordInSessionStatement,
    [databaseId, user.id, now, passwordHash, user.tokensValidAfter, sessionId],
    messages,
  )
  return changed?.tokensValidAfter
}

const revoke = (condition = 'true') => `
  UPDATE usher."user" AS u SET
    tokens_valid_after = ${validAfterRevocation('$3')},
    password_hash = COALESCE($4, u.password_hash)
  FROM (SELECT now() AS time) AS store
  WHERE u.database_id = $1::uuid AND u.id = $2::uuid AND ${condition}
  RETURNING u.tokens_valid_after AS "tokensValidAfter"`

const revokeStatement = revoke()
const revokeIfAsReadStatement = revoke(isAsRead('$5'))
const changePasswordInSessionStatement = `
  WITH changed AS (${revokeIfAsReadStatement}
  ), kept AS (
    UPDATE usher.session AS s SET authenticated_at = changed."tokensValidAfter"
    FROM changed
    WHERE s.database_id = $1::uuid AND s.id = $6::uuid AND s.user_id = $2::uuid
  )
  SELECT "tokensValidAfter" FROM changed`
