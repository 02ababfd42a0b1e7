import { MAX, NIL } from 'uuid'
import type { Session, User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { apiKeyColumns, joinedApiKey, type StoredApiKey } from './api-keys.js'
import { type Delaying, mayDelayLogins } from './delaying-failures.js'
import { byNamePrefix, type NamedCursor, type NamePrefix, namePrefixValues } from './name-prefix.js'
import type { Page } from './page.js'
import { isAccount } from './reserved-addresses.js'
import { isOpen } from './revocations.js'
import { type Profile, profileFields, profileOf, selected, type UserFields } from './user-fields.js'
import { type JoinedTenant, joinedColumns, joinedTenants, type TenantOfRow, usersOf } from './user-tenants.js'

/** A user as a backend sees it. */
export type FoundUser = ListedUserRow &
  UserFields & {
    memberships: JoinedTenant[]
    /** Number of sessions that have not ended. */
    sessions: number
    /** The last login from a known network. */
    lastLoginAt: Date | null
    hasPassword: boolean
  }

type UserRow = Omit<FoundUser, 'id' | 'memberships'> &
  TenantOfRow & { userId: string | null; mayDelay: boolean } & (StoredApiKey | { id: null })

const listedColumns = `
  u.email, ${selected(profileFields)}, u.external_id AS "externalId",
  u.email_verified_at AS "emailVerifiedAt", u.disabled_at AS "disabledAt", u.created_at AS "createdAt",
  u.email_key AS "canonicalEmail"`

/** What {@link findManagedUsers} reads. */
export interface Wanted {
  /** Different ids of users. */
  ids: readonly string[]
  /** Different ids of API keys. */
  apiKeyIds: readonly string[]
}

/**
 * Returns the user of each id with the tenants in the order of joining, or undefined, in the order of the ids, and whether
 * failed logins may delay a login of one of them. Returns the API keys that exist.
 */
export async function findManagedUsers(
  store: Queries,
  { databaseId, now, delaying }: { databaseId: string; now: Date; delaying: Delaying },
  { ids, apiKeyIds }: Wanted,
): Promise<{ users: (FoundUser | undefined)[]; apiKeys: StoredApiKey[]; mayDelay: boolean }> {
  const values = [databaseId, ids, now, delaying.count, delaying.since, apiKeyIds]
  const rows = await store.query<UserRow>(findStatement, values)
  const users = usersOf(
    rows.filter((row) => row.userId !== null),
    userOfRow,
  )
  return {
    users: ids.map((_id, index) => users[index]),
    apiKeys: rows.filter((row) => row.id !== null),
    mayDelay: rows[0]?.mayDelay ?? false,
  }
}

// Field by field, because spreading a row takes longer.
const userOfRow = (row: UserRow): FoundUser => ({
  id: row.userId as string,
  email: row.email,
  canonicalEmail: row.canonicalEmail,
  ...profileOf(row),
  externalId: row.externalId,
  emailVerifiedAt: row.emailVerifiedAt,
  disabledAt: row.disabledAt,
  createdAt: row.createdAt,
  metadata: row.metadata,
  privateMetadata: row.privateMetadata,
  memberships: [],
  sessions: row.sessions,
  lastLoginAt: row.lastLoginAt,
  hasPassword: row.hasPassword,
})

// As for users of tokens. The counts are in the subquery of the user, so that each is read once and not for each tenant.
// An API key is in the rows of one user, because most requests of a database have the same key.
// The place is an int, because Prisma returns a bigint as another type.
const findStatement = `
  SELECT wanted.place::int, u.id AS "userId", ${listedColumns}, u.metadata, u.private_metadata AS "privateMetadata",
    u.sessions, u."lastLoginAt", u.password_hash IS NOT NULL AS "hasPassword", ${mayDelayLogins({ count: '$4', since: '$5' })} AS "mayDelay", ${joinedColumns},
    ${apiKeyColumns}
  FROM unnest((SELECT $2::uuid[])::uuid[], (SELECT $6::text[])::text[])
    WITH ORDINALITY AS wanted (user_id, api_key_id, place)
  LEFT JOIN LATERAL (
    SELECT u.*,
      (SELECT count(*)::int FROM usher.session AS s
        WHERE s.database_id = $1::uuid AND s.user_id = u.id AND ${isOpen('$3')}) AS sessions,
      (SELECT max(last_login_at) FROM usher.known_network AS known
        WHERE known.database_id = $1::uuid AND known.user_id = u.id) AS "lastLoginAt"
    FROM usher."user" AS u
    WHERE u.database_id = $1::uuid AND u.id = wanted.user_id AND ${isAccount('u')} OFFSET 0
  ) AS u ON true${joinedTenants()}
  ${joinedApiKey('wanted.api_key_id')}`

/** A user of a list. */
export type ListedUserRow = Profile &
  Pick<
    User,
    'id' | 'email' | 'externalId' | 'emailVerifiedAt' | 'disabledAt' | 'createdAt' | 'canonicalEmail'
  >

/**
 * Returns the users whose canonical email begins with a text, in the order of its bytes.
 *
 * @param page.after the last canonical email of the page before
 */
export const listUsersByPrefix = (
  store: Queries,
  { databaseId, prefix }: { databaseId: string; prefix: string },
  { limit, after = '' }: Page<string>,
) =>
  store.query<ListedUserRow>(listByPrefixStatement, [
    databaseId,
    prefix,
    prefix + lastCharacter,
    after,
    limit,
  ])

/** Returns users in the reverse order of the bytes of their canonical email. @param page.after as in {@link listUsersByPrefix} */
export const listUsersByEmailDescending = (
  store: Queries,
  databaseId: string,
  { limit, after = lastCharacter }: Page<string>,
) => store.query<ListedUserRow>(byEmailDescendingStatement, [databaseId, after, limit])

/** No address has it. */
const lastCharacter = '\u{10FFFF}'

// The operators that compare bytes, because the order of a language has no prefixes.
const listByPrefixStatement = `
  SELECT u.id, ${listedColumns} FROM usher."user" AS u
  WHERE database_id = $1::uuid AND email_key ~>=~ $2::text AND email_key ~<~ $3::text AND email_key ~>~ $4::text
    AND reserved_for IS NULL
  ORDER BY email_key USING ~<~ LIMIT $5::int`

const byEmailDescendingStatement = `
  SELECT u.id, ${listedColumns} FROM usher."user" AS u
  WHERE database_id = $1::uuid AND email_key ~<~ $2::text AND reserved_for IS NULL
  ORDER BY email_key USING ~>~ LIMIT $3::int`

/** Returns users by their time of sign-up. @param page.after id and time of the last user of the page before */
export const listUsersByTime = (
  store: Queries,
  { databaseId, isDescending }: { databaseId: string; isDescending: boolean },
  { limit, after }: Page<{ id: string; createdAt: string }>,
) => {
  const start = isDescending ? { createdAt: 'infinity', id: MAX } : { createdAt: '-infinity', id: NIL }
  const { createdAt, id } = after ?? start
  const statement = isDescending ? byTimeStatement('<', 'DESC') : byTimeStatement('>', 'ASC')
  return store.query<ListedUserRow>(statement, [databaseId, createdAt, id, limit])
}

const byTimeStatement = (comparison: '<' | '>', direction: 'ASC' | 'DESC') => `
  SELECT u.id, ${listedColumns} FROM usher."user" AS u
  WHERE u.database_id = $1::uuid AND u.reserved_for IS NULL
    AND (u.created_at, u.id) ${comparison} ($2::timestamptz, $3::uuid)
  ORDER BY u.created_at ${direction}, u.id ${direction} LIMIT $4::int`

/** Returns the users whose name begins with a text, ignoring case, in the order of the bytes of their lower case. */
export const listUsersByName = (store: Queries, filter: NamePrefix, page: Page<NamedCursor>) =>
  store.query<ListedUserRow & NamedCursor>(listByNameStatement, namePrefixValues(filter, page))

const listByNameStatement = `
  SELECT u.id, ${listedColumns}, lower(u.preferred_name) AS "foldedName" FROM usher."user" AS u
  WHERE u.preferred_name IS NOT NULL AND u.reserved_for IS NULL AND ${byNamePrefix('u', 'preferred_name')}`

/** A session of a user as a backend sees it. */
export type UserSession = Pick<Session, 'id' | 'label' | 'createdAt' | 'refreshedAt' | 'expiresAt'>

/** Returns sessions of a user that have not ended, ordered by id. Returns undefined if there is no such user. */
export async function findSessionsOfUser(
  store: Queries,
  { databaseId, id }: { databaseId: string; id: string },
  { now, limit, after = NIL }: Page<string> & { now: Date },
) {
  const values = [databaseId, id, now, after, limit]
  const rows = await store.query<UserSession | { id: null }>(findSessionsStatement, values)
  return rows.length > 0 ? rows.filter((row): row is UserSession => row.id !== null) : undefined
}

// A user without sessions is one row without a session.
const findSessionsStatement = `
  SELECT s.id, s.label, s.created_at AS "createdAt", s.refreshed_at AS "refreshedAt", s.expires_at AS "expiresAt"
  FROM usher."user" AS u
  LEFT JOIN usher.session AS s ON s.database_id = $1::uuid AND s.user_id = u.id AND s.id > $4::uuid
    AND ${isOpen('$3')}
  WHERE u.database_id = $1::uuid AND u.id = $2::uuid AND ${isAccount('u')}
  ORDER BY s.id LIMIT $5::int`
