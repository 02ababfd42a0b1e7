import type { ChangePasswordBody, SignedInUser } from '@usher/contract'
import { runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { confirmUser } from '../factors/confirm.js'
import { recordHashParameters } from '../passwords/authenticate.js'
import { requireNewPassword } from '../passwords/policy.js'
import type { UserRequest } from '../request.js'
import { Authentication } from '../tokens/authentication.js'
import { completeLogin } from '../tokens/complete-login.js'
import { replacePassword } from './user-changes.js'

/**
 * Changes the password of a user, and ends all sessions. Returns a token that belongs to none.
 *
 * @throws {Problem} those of {@link confirmUser}; `validation_failed` by the database's password policy;
 * `token_invalid` also if the tokens are revoked meanwhile, such as by a reset of the password
 */
export async function changePassword(
  context: AppContext,
  request: UserRequest<ChangePasswordBody>,
): Promise<SignedInUser> {
  const { database, user, body, caller } = request
  const { newPassword } = body
  await requireNewPassword(context, database, {
    password: newPassword,
    email: user.email,
    field: 'newPassword',
  })
  await confirmUser(context, request, body)
  const passwordHash = await context.hashing.hash(newPassword, caller)
  await recordHashParameters(context, database)
  const wanted = { userId: user.id, passwordHash }
  const { generation, at } = await runChange(context, request, (change) => replacePassword(change, wanted))
  return completeLogin(context, request, {
    // A disabled user would not have been changed.
    user: { ...user, generation, disabledAt: null },
    authentication: Authentication.ofToken(user, request.claims.proven),
    readAt: at.getTime(),
  })
}
