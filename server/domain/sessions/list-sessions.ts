import type { SessionList } from '@usher/contract'
import { findSessions } from '../../store/queries/sessions.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { sessionIdOf } from '../tokens/access-token.js'

/**
 * Returns the sessions of a user that have not ended.
 *
 * @throws {Problem} `token_invalid` if the user has changed or the token's session has ended since it was read
 */
export async function listSessions(
  context: AppContext,
  { database, user, claims }: UserRequest,
): Promise<SessionList> {
  const currentId = sessionIdOf(claims)
  const read = { ...user, databaseId: database.id }
  const sessions = await findSessions(context.store, read, { currentId, now: new Date(context.now()) })
  const isEnded = claims.sessionId && sessions?.[0]?.id !== currentId
  if (!sessions || isEnded) throw new Problem('token_invalid')
  return {
    sessions: sessions.map(({ id, createdAt, refreshedAt, label }) => ({
      id,
      createdAt: createdAt.toISOString(),
      refreshedAt: refreshedAt.toISOString(),
      label,
      current: id === currentId,
    })),
  }
}
