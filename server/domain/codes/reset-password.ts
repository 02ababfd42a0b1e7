import type { ResetPasswordBody, SignedInUser } from '@usher/contract'
import { type CodeUser, resetPassword as reset } from '../../store/queries/codes.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { eventChannels, eventMessagesOf } from '../events/events.js'
import { noticeMessages, withNotices } from '../notices/notice.js'
import { requireNewPassword } from '../passwords/policy.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { completeLogin } from '../users/complete-login.js'
import { recordHashParameters } from '../users/verify-password.js'
import { requireCode, verifiedEvents } from './code.js'

/**
 * Sets a new password with a code. Ends all sessions, revokes all earlier tokens and clears the failed logins. The
 * client has the code from the mail, so the address counts as verified.
 *
 * @throws {Problem} `code_invalid`; `validation_failed` by the database's password policy, which does not use up the
 * code
 */
export async function resetPassword(
  context: AppContext,
  request: DatabaseRequest<ResetPasswordBody>,
): Promise<SignedInUser> {
  const { database, caller } = request
  const { code, newPassword } = request.body
  const { store, hashing, throttle } = context
  const found = await requireCode(context, database, { purpose: 'password_reset', code })
  const { email, userId, canonicalEmail } = found
  await requireNewPassword(context, database, { password: newPassword, email, field: 'newPassword' })
  const passwordHash = await hashing.hash(newPassword, caller)
  await recordHashParameters(context, database)
  const now = context.now()
  const at = new Date(now)
  const events = eventMessagesOf<CodeUser>(database, at, (user) => [
    { type: 'user.password_changed', userId },
    ...verifiedEvents(user),
  ])
  const notices = noticeMessages(database, 'password_changed', {
    userId,
    recipient: email,
    // The code has verified it.
    isVerified: true,
    now: at,
  })
  const user = await reset(
    store,
    { databaseId: database.id, ...found },
    { now: at, passwordHash, messages: withNotices(events, notices) },
  )
  if (!user) throw new Problem('code_invalid')
  context.deliver([...eventChannels(database), ...notices])
  const signedIn = await completeLogin(context, request, { user, readAt: now, event: 'user.password_reset' })
  if (user.isNewlyVerified) audit(caller.log, 'user.email_verified', { databaseId: database.id, userId })
  try {
    await throttle.unlock(database.id, canonicalEmail)
  } catch (error) {
    // The code is used up, so an error would leave the user without a way to repeat the request.
    caller.log.warn({ err: error, databaseId: database.id, userId }, 'failed logins were not cleared')
  }
  return signedIn
}
