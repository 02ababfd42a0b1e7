import type { RefreshTokenBody, Session } from '@usher/contract'
import { endOpenSession } from '../../store/queries/session-ends.js'
import { countRefresh, endReusedSession, type Refresh } from '../../store/queries/session-refreshes.js'
import type { TenantRole } from '../../store/queries/user-tenants.js'
import { runChange, sendNotice } from '../change.js'
import type { AppContext } from '../context.js'
import { ClientDisconnected, Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { missingStep, type Proven } from '../tokens/authentication.js'
import { openTenants } from '../tokens/open-tenants.js'
import { outcomeOf } from './end-sessions.js'
import { issueTokens, readRefreshToken } from './session-tokens.js'

/** How long a repeated refresh returns the same refresh token: to tabs without a common lock, and to retries. */
const repeatableSeconds = 30

/**
 * Returns a new access token and the next refresh token of a session. A refresh token can be
 * used again, such as after a lost response, until somebody uses its successor. Then it ends the session, because one of the two
 * parties has stolen it.
 *
 * @throws {Problem} `session_ended`
 */
export async function refreshSession(
  context: AppContext,
  request: DatabaseRequest<RefreshTokenBody>,
): Promise<Session> {
  const { database, body, caller } = request
  const token = await readRefreshToken(context, database, body.refreshToken)
  const { sessionIdleSeconds: idleSeconds, sessionMaxSeconds: maxSeconds } = database
  if (!token) throw new Problem('session_ended')
  const now = context.now()
  const { sessionId, isTenantOnly } = token
  const attempt = {
    databaseId: database.id,
    ...token,
    now: new Date(now),
    repeatableSeconds,
    idleSeconds,
    maxSeconds,
    hasSso: database.singleSignOn,
  }
  let session = await countRefresh(context.store, attempt)
  if (!session) {
    // Its server was frozen or the store was slow, and the client may have sent the refresh token to another server since.
    if (caller.isDisconnected()) throw new ClientDisconnected()
    await endIfReused(context, request, attempt)
    // It may have waited for a revocation that lets the session continue, and have read the user before.
    session = await countRefresh(context.store, attempt)
  }
  if (!session) throw new Problem('session_ended')
  const proven = { amr: session.amr, at: session.provenAt.getTime(), tenants: session.ssoProofs ?? undefined }
  if (isTenantOnly) await requireOpenTenant(context, request, { ...session, id: sessionId, proven })
  // The session was opened before the user needed a second step.
  else if (!session.amr.includes('mfa') && missingStep(database, session, now))
    throw new Problem('session_ended')
  return issueTokens(context, request, {
    user: { ...session, id: session.userId },
    session: { ...session, id: sessionId },
    proven,
    isTenantOnly,
    readAt: now,
  })
}

/** Ends a session that single sign-on has opened, once no proof counts any more. @throws {Problem} `session_ended` */
async function requireOpenTenant(
  context: AppContext,
  request: DatabaseRequest,
  { id, memberships, proven }: { id: string; memberships: TenantRole[]; proven: Proven },
) {
  const { database } = request
  const shown = { proven, isTenantOnly: true, now: context.now() }
  if (openTenants(database, memberships, shown).length > 0) return
  const session = { databaseId: database.id, id }
  await runChange(context, request, async (change) =>
    outcomeOf(await endOpenSession(change, session, change.now)),
  )
  throw new Problem('session_ended')
}

/** Ends the session of a refresh token that was used before. */
async function endIfReused(context: AppContext, request: DatabaseRequest, attempt: Refresh) {
  const { ended } = await runChange(context, request, async (change) =>
    outcomeOf(await endReusedSession(change, attempt), 'session.reuse_detected'),
  )
  for (const { userId } of ended) await sendNotice(context, request, { notice: 'session_reused', userId })
}
