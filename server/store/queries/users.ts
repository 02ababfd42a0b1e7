import type { User } from '../generated/client.js'
import type { Store } from '../store.js'
import type { Attempt, LoginFailures } from './login-failures.js'
import { changeWithMessages, type MessagesOf, type Transactions } from './outbox.js'
import { isAsRead, isOpen, type ReadUser } from './revocations.js'
import { tenantsOf } from './tenants.js'

// The statements of the three operations bypass Prisma: its client takes five round trips for a sign-up instead of
// one, and its raw queries add a third to the CPU time of a read (measured by npm run bench). Each statement names
// database_id, always $1, on every table: a distributed store routes it to one shard.

type Queries = Pick<Store, 'query'>

export type UserWithoutPassword = Pick<
  User,
  'id' | 'email' | 'preferredName' | 'disabledAt' | 'tokensValidAfter' | 'emailVerifiedAt' | 'createdAt'
> & {
  generation: number
  /** In the order of joining. */
  tenants: string[]
}

export type UserWithTenants = UserWithoutPassword & Pick<User, 'passwordHash'>

/** A user to whom a token refers. */
export type UserOfToken = Omit<UserWithoutPassword, 'tenants'> & {
  /** In the order of joining. */
  memberships: { id: string; name: string; joinedAt: Date }[]
  /** Those sessions among the tokens' that have not ended. Undefined if no token belongs to a session. */
  openSessions?: string[]
  /** Whether the sessions that were opened with tokens of logins have ended, by their id. Null if there are none. */
  sessionsOfLogins?: Record<string, boolean> | null
}

const userColumns = `
  u.id, u.email, u.preferred_name AS "preferredName",
  u.disabled_at AS "disabledAt", u.generation, u.tokens_valid_after AS "tokensValidAfter",
  u.email_verified_at AS "emailVerifiedAt", u.created_at AS "createdAt"`

/** The user of a token, and the session that decides whether the token is accepted. */
export interface UserKey {
  id: string
  /** Undefined for the token of a login that has opened no session and can open none. */
  sessionId: string | undefined
  /** The token belongs to the session. Otherwise it is that of a login, which may have opened the session. */
  isOfSession: boolean
}

/** Returns the users that exist, in any order, each with what the store knows of the sessions. */
export async function findUsersOfTokens(
  store: Queries,
  databaseId: string,
  keys: readonly UserKey[],
  now: Date,
): Promise<UserOfToken[]> {
  // Concurrent requests of one user share the statement, which would return the user's rows for each.
  const ids = [...new Set(keys.map(({ id }) => id))]
  const withSession = keys.filter(({ sessionId }) => sessionId !== undefined)
  const rows =
    withSession.length === 0
      ? await store.query<UserRow>(findUsersStatement, [databaseId, ids])
      : await store.query<UserRow>(findUsersWithSessions(withSession), [
          databaseId,
          ids,
          withSession.map(({ sessionId }) => sessionId),
          now,
        ])
  const users = new Map<string, UserOfToken>()
  for (const { tenantId, tenantName, joinedAt, ...row } of rows) {
    const user = users.get(row.id) ?? { ...row, memberships: [] }
    users.set(row.id, user)
    if (tenantId) user.memberships.push({ id: tenantId, name: tenantName, joinedAt })
  }
  for (const { memberships } of users.values()) memberships.sort(inOrderOfJoining)
  return [...users.values()]
}

/** A user with one of the user's tenants, or with none. */
type UserRow = Omit<UserOfToken, 'memberships'> & {
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
const findUsers = (sessions: string) => `
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

const openSessions = `,
    ARRAY(
      SELECT s.id FROM usher.session AS s
      WHERE s.database_id = $1::uuid AND s.user_id = u.id AND s.id = ANY((SELECT $3::uuid[])::uuid[])
        AND ${isOpen('$4')}
    ) AS "openSessions"`

// Does not depend on the user, so that it is executed once. Most often there is none, and null needs no parsing.
const sessionsOfLogins = `,
    (
      SELECT json_object_agg(s.id, s.ended_at IS NOT NULL OR s.expires_at <= $4::timestamptz)
      FROM unnest((SELECT $3::uuid[])::uuid[]) AS wanted (session_id)
      CROSS JOIN LATERAL (
        SELECT id, ended_at, expires_at FROM usher.session
        WHERE database_id = $1::uuid AND id = wanted.session_id OFFSET 0
      ) AS s
    ) AS "sessionsOfLogins"`

const findUsersStatement = findUsers('')
const findUsersOfLogins = findUsers(sessionsOfLogins)
const findUsersOfSessions = findUsers(openSessions)
const findUsersOfLoginsAndSessions = findUsers(openSessions + sessionsOfLogins)

function findUsersWithSessions(keys: readonly UserKey[]) {
  if (keys.every(({ isOfSession }) => isOfSession)) return findUsersOfSessions
  return keys.some(({ isOfSession }) => isOfSession) ? findUsersOfLoginsAndSessions : findUsersOfLogins
}

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

/** Returns whether the name is another one; undefined if the user has changed since the request read it. */
export async function updatePreferredName(
  store: Transactions,
  { databaseId, id, generation, tokensValidAfter }: ReadUser & Pick<User, 'databaseId'>,
  preferredName: string | null,
  messages: MessagesOf<Renaming>,
) {
  const values = [databaseId, id, preferredName, generation, tokensValidAfter]
  const [user] = await changeWithMessages<Renaming>(store, updatePreferredNameStatement, values, messages)
  return user?.isRenamed
}

export interface Renaming {
  isRenamed: boolean
}

// Locked first, so that `former` is the user as the statement finds it.
const updatePreferredNameStatement = `
  UPDATE usher."user" AS u SET preferred_name = $3::text
  FROM (
    SELECT id, preferred_name FROM usher."user"
    WHERE database_id = $1::uuid AND id = $2::uuid FOR NO KEY UPDATE
  ) AS former
  WHERE u.database_id = $1::uuid AND u.id = former.id AND ${isAsRead('$4', '$5')}
  RETURNING former.preferred_name IS DISTINCT FROM $3::text AS "isRenamed"`
