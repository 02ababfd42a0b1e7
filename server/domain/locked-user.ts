import { lockUser, type UserLock } from '../store/queries/changed-user.js'
import type { Change } from './change.js'
import { Problem, userNotFound } from './problem.js'

/**
 * Locks a user until the transaction ends, and returns the user. Backends and operators may change any user. The user of a token
 * may change that user only.
 *
 * @throws {Problem} `user_not_found`; `token_invalid` if the user who acts has changed since the request read it
 */
export async function requireLocked(change: Change, userId: string, lock: UserLock = 'NO KEY UPDATE') {
  const { actor, database } = change
  const user = await lockUser(change, { databaseId: database.id, id: userId }, lock)
  if (actor.kind === 'user') {
    const { id, generation } = actor.user
    if (user?.id === id && user.generation === generation && !user.disabledAt) return user
    throw new Problem('token_invalid')
  }
  if (!user || actor.kind === 'visitor') throw userNotFound(database, userId)
  return user
}
