import type { ResetPasswordBody, SignedInUser } from '@usher/contract'
import { resetPassword as reset } from '../../store/queries/codes.js'
import { audit } from '../../telemetry/audit.js'
import type { Caller } from '../caller.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { type Event, eventMessages } from '../outbox/events.js'
import { passwordErrors } from '../passwords/policy.js'
import { Problem, validationFailed } from '../problem.js'
import { signedIn } from '../users/signed-in.js'
import { recordHashParameters } from '../users/verify-password.js'
import { requireCode } from './code.js'

/**
 * Sets a new password by a code. Ends all sessions, refuses all earlier tokens and clears the failed logins. Who has the
 * code can read the mail, so the address counts as verified.
 *
 * @throws {Problem} `code_invalid`; `validation_failed` by the database's password policy, which uses no code up
 */
export async function resetPassword(
  context: AppContext,
  database: Database,
  { code, newPassword }: ResetPasswordBody,
  caller: Caller,
): Promise<SignedInUser> {
  const { store, hashing, blocklist, throttle } = context
  const found = await requireCode(context, database, 'password_reset', code)
  const { email, userId, canonicalEmail } = found
  const errors = await passwordErrors(database.passwordPolicy, newPassword, email, blocklist, 'newPassword')
  if (errors.length > 0) throw validationFailed(errors)
  const passwordHash = await hashing.hash(newPassword, caller)
  await recordHashParameters(context, database)
  const now = context.now()
  const events: Event[] = [{ type: 'user.password_changed', userId }]
  if (!found.emailVerifiedAt) events.push({ type: 'user.email_verified', userId })
  const messages = eventMessages(database, new Date(now), events)
  const user = await reset(store, database.id, found.id, new Date(now), passwordHash, messages)
  if (!user) throw new Problem('code_invalid')
  context.deliver(messages)
  audit(caller.log, 'user.password_reset', { databaseId: database.id, userId })
  try {
    await throttle.unlock(database.id, canonicalEmail)
  } catch (error) {
    // The code is used up, so an error would leave the user without a way to repeat the request.
    caller.log.warn({ err: error, databaseId: database.id, userId }, 'failed logins not cleared')
  }
  return signedIn(database, user, now)
}
