import type { ResetPasswordBody, SignedInUser } from '@usher/contract'
import { type FoundCode, useResetCode } from '../../store/queries/codes.js'
import { deleteUnprovenIdentities } from '../../store/queries/identities.js'
import { type Change, type Outcome, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { ifStepMissing, proveStep } from '../factors/step.js'
import { noticeMessages } from '../notices/notice.js'
import { recordHashParameters } from '../passwords/authenticate.js'
import { requireNewPassword } from '../passwords/policy.js'
import { Problem } from '../problem.js'
import { removeClaims, unlinked } from '../reclaim.js'
import type { DatabaseRequest } from '../request.js'
import { Authentication, type SecondStep } from '../tokens/authentication.js'
import { completeLogin } from '../tokens/complete-login.js'
import { factsOfUse, requireCode } from './code.js'

/**
 * Sets a new password with a code. Ends all sessions, revokes all earlier tokens and clears the failed logins. The
 * client has the code from the mail, so the address counts as verified. If it was not before, nothing is left to whoever signed
 * up with it.
 *
 * @throws {Problem} `code_invalid`; `validation_failed` by the database's password policy, which does not use up the
 * code
 */
export async function resetPassword(
  context: AppContext,
  request: DatabaseRequest<ResetPasswordBody>,
): Promise<SignedInUser> {
  const { database, caller } = request
  const { code, newPassword, secondFactor: proof } = request.body
  const { hashing, throttle } = context
  const found = await requireCode(context, database, { purpose: 'password_reset', code })
  const { email, userId, canonicalEmail } = found
  await requireNewPassword(context, database, { password: newPassword, email, field: 'newPassword' })
  const passwordHash = await hashing.hash(newPassword, caller)
  await recordHashParameters(context, database)
  // An account whose address was never verified is given to another person, as if that person signed up.
  const second =
    found.emailVerifiedAt === null
      ? undefined
      : await proveStep(context, request, {
          id: found.id,
          user: { ...found, id: userId },
          way: 'mail',
          proof,
        })
  const wanted = { found, passwordHash, second }
  const { user, authentication, at } = await runChange(context, request, (change) => reset(change, wanted))
    // The user needs a second step since the code was read.
    .catch(ifStepMissing(context, database, { id: found.id }))
  const signedIn = await completeLogin(context, request, { user, authentication, readAt: at.getTime() })
  try {
    await throttle.unlock(database.id, canonicalEmail)
  } catch (error) {
    // The code is used up, so an error would leave the user without a way to repeat the request.
    caller.log.warn({ err: error, databaseId: database.id, userId }, 'failed logins were not cleared')
  }
  return signedIn
}

interface Reset {
  found: FoundCode
  passwordHash: string
  second: SecondStep | undefined
}

async function reset(change: Change, { found, passwordHash, second }: Reset) {
  const { database, now } = change
  const { userId, email } = found
  const user = await useResetCode(change, { databaseId: database.id, ...found }, { now, passwordHash })
  if (!user) throw new Problem('code_invalid')
  // An identity that was linked while the address was not verified may be that of a stranger.
  const removed = user.isNewlyVerified
    ? await removeClaims(change, userId)
    : unlinked(userId, await deleteUnprovenIdentities(change, { databaseId: database.id, userId }))
  const proven = { way: 'mail', at: now.getTime(), second } as const
  const authentication = user.isNewlyVerified
    ? Authentication.ofSignUp(user, proven)
    : Authentication.afterSteps(database, user, proven)
  // The code has verified the address.
  const notified = { userId, recipient: email, isVerified: true, now }
  return {
    result: { user, authentication, at: now },
    facts: [
      { type: 'user.password_reset', userId },
      ...(user.isNewlyVerified ? [{ type: 'user.reclaimed', userId } as const] : []),
      ...factsOfUse(user),
      ...removed,
    ],
    events: [{ type: 'user.password_changed', userId }],
    mails: noticeMessages(database, 'password_changed', notified),
  } satisfies Outcome<object>
}
