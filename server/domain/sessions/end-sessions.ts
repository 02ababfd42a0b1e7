import type { RefreshTokenBody, SessionPath } from '@usher/contract'
import { revokeIfUnchanged } from '../../store/queries/revocations.js'
import {
  type EndedSessions,
  endSession as end,
  endSessionOf,
  revokeOthers,
} from '../../store/queries/session-ends.js'
import { type AuditEvent, audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { readRefreshToken } from './session-tokens.js'

/** Ends the session of a refresh token. An unknown token changes nothing. */
export async function endSession(
  context: AppContext,
  { database, body, caller }: DatabaseRequest<RefreshTokenBody>,
) {
  const token = await readRefreshToken(context, database, body.refreshToken)
  if (!token) return
  const session = { databaseId: database.id, id: token.sessionId }
  auditEnds({ database, caller }, await end(context.store, session, new Date(context.now())))
}

/** Ends a session of the user of a token. Does nothing if the session has ended or belongs to another user. */
export async function endSessionById(
  context: AppContext,
  { database, user, params: { sessionId }, caller }: UserRequest & { params: SessionPath },
) {
  const session = { databaseId: database.id, userId: user.id, id: sessionId }
  auditEnds({ database, caller }, await endSessionOf(context.store, session, new Date(context.now())))
}

/** Audits that sessions have ended, and all tokens of their user if these were revoked, too. */
export function auditEnds(
  { database: { id: databaseId }, caller: { log } }: Pick<DatabaseRequest, 'database' | 'caller'>,
  { ended, revoked }: EndedSessions,
  event: AuditEvent = 'session.ended',
) {
  for (const session of ended) audit(log, event, { databaseId, ...session })
  const [first] = ended
  if (first && revoked) audit(log, 'user.tokens_revoked', { databaseId, userId: first.userId })
}

/**
 * Ends all sessions of a user, and revokes all tokens.
 *
 * @throws {Problem} `token_invalid` also if another request has revoked them meanwhile
 */
export async function endAllSessions(context: AppContext, { database, user, caller }: UserRequest) {
  const read = { ...user, databaseId: database.id }
  const revoked = await revokeIfUnchanged(context.store, read, { now: new Date(context.now()) })
  if (!revoked) throw new Problem('token_invalid')
  audit(caller.log, 'user.tokens_revoked', { databaseId: database.id, userId: user.id })
}

/**
 * Ends all sessions of a user except that of the token, and revokes all tokens. The session returns a valid token when it
 * is refreshed. A new token in the response would let a stolen one outlive its expiry.
 *
 * @throws {Problem} `session_required` if the token belongs to no session; `token_invalid` also if another request has
 * revoked it meanwhile
 */
export async function endOtherSessions(
  { store, now }: AppContext,
  { database, user, claims, caller }: UserRequest,
) {
  const { id, generation } = user
  // The id of a session is the `jti` of its login's token.
  const sessionId = claims.sessionId ?? claims.id
  await store.transaction(database.id, async (query) => {
    const owner = { databaseId: database.id, id, generation, now: new Date(now()), sessionId }
    const others = await revokeOthers(query, owner)
    if (!others) throw new Problem('token_invalid')
    if (others.kept === 0) throw new Problem(claims.sessionId ? 'token_invalid' : 'session_required')
  })
  audit(caller.log, 'user.tokens_revoked', { databaseId: database.id, userId: id })
}
