import type { OpenSessionBody, Session } from '@usher/contract'
import { isForeignKeyViolation } from '../../store/errors.js'
import { endUnusedSessions, findUnusedSession } from '../../store/queries/session-ends.js'
import { insertSession } from '../../store/queries/sessions.js'
import { audit } from '../../telemetry/audit.js'
import { runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { outcomeOf } from './end-sessions.js'
import { issueTokens } from './session-tokens.js'

/**
 * How long after a login its token can open a session. Short, because clients send the token to other services later.
 */
const openingMilliseconds = 120_000

/**
 * Number of sessions of one user that may be opened while a statement runs, which does not see them. Users with fewer
 * sessions than the limit minus this number need no second statement. If more are opened at the same time, the limit is
 * exceeded until the next session is opened.
 */
const unseenSessions = 50

/**
 * Opens the session of a login. A login opens one session, whose id is the `jti` of the login's token. Ends the longest
 * unused sessions of a user who has too many.
 *
 * @throws {Problem} `session_not_opened`; `token_invalid` if the user is deleted meanwhile
 */
export async function openSession(
  context: AppContext,
  request: UserRequest<OpenSessionBody | undefined>,
): Promise<Session> {
  const { database, user, claims, body, caller } = request
  const now = context.now()
  const loginAt = claims.issuedAt * 1000
  const { sessionIdleSeconds, sessionMaxSeconds } = database
  if (sessionMaxSeconds === 0)
    throw new Problem('session_not_opened', { detail: 'This database has no sessions.' })
  if (claims.sessionId || now - loginAt > openingMilliseconds) throw new Problem('session_not_opened')
  const expiresAt = new Date(Math.min(now + sessionIdleSeconds * 1000, loginAt + sessionMaxSeconds * 1000))
  const { id: userId, generation } = user
  const { id, proven } = claims
  const session = {
    databaseId: database.id,
    id,
    userId,
    loginAt: new Date(loginAt),
    amr: proven.amr,
    provenAt: new Date(proven.at),
    generation,
    ssoProofs: database.singleSignOn ? proven.tenants : undefined,
    label: body?.label ?? null,
    expiresAt,
  }
  const added = await insertSession(context.store, session, new Date(now)).catch((error) => {
    throw isForeignKeyViolation(error) ? new Problem('token_invalid', { cause: error }) : error
  })
  if (!added) throw new Problem('session_not_opened')
  audit(caller.log, 'session.opened', { databaseId: database.id, userId, sessionId: id })
  const isNearLimit = added.others >= database.sessionsPerUser - unseenSessions
  const revoked = isNearLimit ? await endExcessSessions(context, request) : undefined
  return issueTokens(context, request, {
    user: { ...user, ...revoked },
    session: { id, refreshes: 0, expiresAt },
    proven,
    isTenantOnly: claims.isTenantOnly,
    readAt: now,
  })
}

/**
 * Ends the longest unused sessions of a user who has more than the database allows. Returns the values of the user if all
 * tokens were revoked.
 */
async function endExcessSessions(context: AppContext, request: UserRequest) {
  const { database, user } = request
  const excess = {
    databaseId: database.id,
    userId: user.id,
    kept: database.sessionsPerUser,
    now: new Date(context.now()),
  }
  // Usually there are none. Then this is the only statement.
  const unused = await findUnusedSession(context.store, excess)
  if (!unused) return undefined
  const { revoked } = await runChange(context, request, async (change) =>
    outcomeOf(await endUnusedSessions(change, excess, unused)),
  )
  return revoked
}
