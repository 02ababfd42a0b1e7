import type { Session, User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { after, isOpen } from './revocations.js'
import { endAndStore, ending, returningEnded } from './session-ends.js'
import type { SsoProofs } from './sessions.js'
import { membershipsOf, type Tenancy } from './user-tenants.js'

/** The parameters of a refresh. */
export interface Refresh {
  databaseId: string
  sessionId: string
  /** The number in the refresh token. */
  refreshes: number
  now: Date
  /** How long a repeated refresh returns the same refresh token, by the store's clock. */
  repeatableSeconds: number
  idleSeconds: number
  maxSeconds: number
  /** Whether the database has single sign-on. */
  hasSso: boolean
}

/** A session after a refresh, with its user. */
export type RefreshedSession = Pick<Session, 'userId' | 'refreshes' | 'expiresAt' | 'amr' | 'provenAt'> &
  Pick<User, 'emailVerifiedAt' | 'createdAt' | 'needsSecondStep'> &
  Tenancy & {
    generation: number
    /** Only of a database with single sign-on. */
    ssoProofs?: SsoProofs | null
  }

/**
 * Counts a refresh with a refresh token that nobody has used, or with the one that was used last. The latter changes nothing for
 * `repeatableSeconds`, and has another successor after that: if the first one was not lost, two parties have refresh tokens
 * of their own, and the second one that uses its own is noticed. An earlier refresh token ends nothing here: see
 * {@link endReusedSession}.
 *
 * @returns undefined if there is no such session, if it has ended, or if the refresh token is an earlier one
 */
export async function countRefresh(store: Queries, refresh: Refresh): Promise<RefreshedSession | undefined> {
  const { databaseId, sessionId, refreshes, now, repeatableSeconds, idleSeconds, maxSeconds } = refresh
  const values = [databaseId, sessionId, refreshes, now, repeatableSeconds, idleSeconds, maxSeconds]
  const text = refresh.hasSso ? refreshWithSsoStatement : refreshStatement
  const [session] = await store.query<RefreshedSession>(text, values)
  return session
}

/**
 * Ends a session if its refresh token is an earlier one, because one of the two parties has stolen it. Does nothing if there
 * is no such session, if it has ended, or if the refresh token may be used.
 */
export const endReusedSession = (
  transaction: Queries,
  { databaseId, sessionId, refreshes, now, maxSeconds }: Refresh,
) => {
  const values: [string, ...unknown[]] = [databaseId, sessionId, refreshes, now, maxSeconds]
  return endAndStore(transaction, { text: endReusedStatement, values }, { sessionId, now })
}

// Concurrent refreshes of one session wait for its row, and Postgres evaluates each one with the row that the
// previous one wrote. The time between two refreshes is measured between the arrivals of their statements at the
// store, without the clocks of servers and the waits for the row.

// The refresh token that was used last has the number `s.refreshes - s.retries - 1`, and its successors have those that follow.

const isUsable = 's.refreshes - s.retries - 1 <= $3::int'
const isUsedLast = 's.refreshes - s.retries - 1 = $3::int'
const isRepeated = `${isUsedLast} AND ${after('s.refreshed_at', '$5')} > store.time`

/** Returns the condition that the number of a refresh token is one of an open session of user `u`. */
const isRefreshable = (maxSeconds: string) => `
  s.database_id = $1::uuid AND s.id = $2::uuid AND s.refreshes >= $3::int AND ${isOpen('$4')}
    AND ${after('s.created_at', maxSeconds)} > $4::timestamptz
    AND u.database_id = $1::uuid AND u.id = s.user_id AND u.disabled_at IS NULL`

const fromUser = `FROM usher."user" AS u, (SELECT statement_timestamp() AS time) AS store`

// The use of one of several successors skips a number, because the newest one would count as used last.
const refreshing = (hasSso: boolean) => `
  UPDATE usher.session AS s SET
    refreshes = s.refreshes + CASE WHEN ${isRepeated} THEN 0 WHEN ${isUsedLast} OR s.refreshes = $3::int THEN 1 ELSE 2 END,
    retries = CASE WHEN ${isRepeated} THEN s.retries WHEN ${isUsedLast} THEN s.retries + 1 ELSE 0 END,
    refreshed_at = CASE WHEN ${isRepeated} THEN s.refreshed_at ELSE store.time END,
    expires_at = LEAST(${after('$4::timestamptz', '$6')}, ${after('s.created_at', '$7')})
  ${fromUser}
  WHERE ${isRefreshable('$7')} AND ${isUsable}
  RETURNING s.user_id AS "userId", s.refreshes, s.expires_at AS "expiresAt", s.amr, s.proven_at AS "provenAt",
    u.generation, u.created_at AS "createdAt", u.needs_second_step AS "needsSecondStep",
    u.tenants_version AS "tenantsVersion", u.email_verified_at AS "emailVerifiedAt"${hasSso ? `, s.sso_proofs AS "ssoProofs"` : ''}, ${membershipsOf('s.user_id', hasSso)}`

const refreshStatement = refreshing(false)
const refreshWithSsoStatement = refreshing(true)

const endReusedStatement = `
  UPDATE usher.session AS s SET ${ending('$4')}
  ${fromUser}
  WHERE ${isRefreshable('$5')} AND NOT ${isUsable}
  ${returningEnded}`
