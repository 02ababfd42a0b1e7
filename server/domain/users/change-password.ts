import type { ChangePasswordBody, SignedInUser } from '@usher/contract'
import { revokeIfUnchanged } from '../../store/queries/revocations.js'
import type { AppContext } from '../context.js'
import { eventMessages } from '../events/events.js'
import { noticeMessages } from '../notices/notice.js'
import { requireNewPassword } from '../passwords/policy.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { confirmUser } from './authenticate.js'
import { completeLogin } from './complete-login.js'
import { recordHashParameters } from './verify-password.js'

/**
 * Changes the password of a user, and ends all sessions. Returns a token that belongs to none.
 *
 * @throws {Problem} `invalid_credentials`; `too_many_attempts`; `validation_failed` by the database's password policy;
 * `token_invalid` also if the tokens are revoked meanwhile, such as by a reset of the password
 */
export async function changePassword(
  context: AppContext,
  request: UserRequest<ChangePasswordBody>,
): Promise<SignedInUser> {
  const { database, user, body, caller } = request
  const { id, email, emailVerifiedAt } = user
  const { password, newPassword } = body
  await requireNewPassword(context, database, { password: newPassword, email, field: 'newPassword' })
  await confirmUser(context, request, password)
  const passwordHash = await context.hashing.hash(newPassword, caller)
  await recordHashParameters(context, database)
  const now = context.now()
  const at = new Date(now)
  const messages = [
    ...eventMessages(database, at, [{ type: 'user.password_changed', userId: id }]),
    ...noticeMessages(database, 'password_changed', {
      userId: id,
      recipient: email,
      isVerified: emailVerifiedAt !== null,
      now: at,
    }),
  ]
  const revoked = await revokeIfUnchanged(
    context.store,
    { ...user, databaseId: database.id },
    { now: at, passwordHash, messages },
  )
  if (!revoked) throw new Problem('token_invalid')
  context.deliver(messages)
  return completeLogin(context, request, {
    // A disabled user would not have been changed.
    user: { ...user, ...revoked, disabledAt: null },
    readAt: now,
    event: 'user.password_changed',
  })
}
