import { lockUser } from '../../store/queries/changed-user.js'
import { deleteUserRow } from '../../store/queries/delete-user.js'
import { type AddressOwner, lockAddressOwner } from '../../store/queries/email-changes.js'
import { listReserved } from '../../store/queries/reserved-addresses.js'
import { revokeUserTokens } from '../../store/queries/revocations.js'
import type { Client } from '../caller.js'
import { type Change, type ChangeContext, type ChangeRequest, type Outcome, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { noticeMessages } from '../notices/notice.js'
import { userNotFound } from '../problem.js'
import type { Throttle } from '../throttle/login-throttle.js'
import { hashOf, requirePassword } from './new-password.js'
import { recordHashParameters } from './verify-password.js'

// What backends and operators do to a user, apart from changing fields.

/** Locks a user whom a backend or an operator changes. @throws {Problem} `user_not_found` */
export async function requireLocked(change: Change, userId: string) {
  const user = await lockUser(change, { databaseId: change.database.id, id: userId })
  if (!user) throw userNotFound(change.database, userId)
  return user
}

/** Ends the sessions of a user, and revokes the tokens. @throws {Problem} `user_not_found` */
export async function revokeTokens(
  change: Change,
  { userId }: { userId: string },
): Promise<Outcome<undefined>> {
  await requireRevoked(change, userId)
  return { result: undefined, facts: [{ type: 'user.tokens_revoked', userId }] }
}

async function requireRevoked(change: Change, userId: string, passwordHash?: string) {
  const { database, now } = change
  const key = { databaseId: database.id, id: userId }
  if (!(await revokeUserTokens(change, key, { now, passwordHash }))) throw userNotFound(database, userId)
}

/** A user who gets a password, and whose address gets a notice. */
type PasswordOwner = Pick<AddressOwner, 'id' | 'email' | 'emailVerifiedAt'>

/**
 * Sets the password of a user, and revokes tokens, sessions and codes.
 *
 * @param wanted.client waits for the hash
 * @throws {Problem} `validation_failed` with the policy rules that the password violates; `user_not_found`
 */
export async function setPassword(
  context: ChangeContext & Pick<AppContext, 'store' | 'hashing' | 'blocklist'>,
  request: ChangeRequest,
  { user, password, client }: { user: PasswordOwner; password: string; client?: Client },
) {
  const { database } = request
  await requirePassword(context, database, { password, email: user.email })
  const passwordHash = await hashOf(context, { password }, client)
  await recordHashParameters(context, database)
  await runChange(context, request, async (change) => {
    const { id: userId, email: recipient, emailVerifiedAt } = user
    await requireRevoked(change, userId, passwordHash)
    const notified = { userId, recipient, isVerified: emailVerifiedAt !== null, now: change.now }
    return {
      result: undefined,
      facts: [{ type: 'user.password_set', userId }],
      events: [{ type: 'user.password_changed', userId }],
      mails: noticeMessages(database, 'password_changed', notified),
    }
  })
}

interface ThrottledUser {
  userId: string
  throttle: Throttle
}

/** Clears the failed logins of a user. @throws {Problem} `user_not_found` */
export async function unlockUser(
  change: Change,
  { userId, throttle }: ThrottledUser,
): Promise<Outcome<undefined>> {
  const { canonicalEmail } = await requireLocked(change, userId)
  await throttle.unlock(change.database.id, canonicalEmail, change)
  return { result: undefined, facts: [{ type: 'user.unlocked', userId }] }
}

/**
 * Deletes a user with memberships, failed logins and idempotency keys. The user's tenants stay. Also notifies the addresses that
 * could undo a change.
 *
 * @throws {Problem} `user_not_found`
 */
export async function deleteUser(
  change: Change,
  { userId, throttle }: ThrottledUser,
): Promise<Outcome<undefined>> {
  const { database, now } = change
  const key = { databaseId: database.id, userId }
  const user = await lockAddressOwner(change, key)
  if (!user) throw userNotFound(database, userId)
  // The deletion also ends the undo of the former addresses.
  const former = (await listReserved(change, key)).filter(({ until }) => until > now)
  await throttle.unlock(database.id, user.canonicalEmail, change)
  await deleteUserRow(change, { databaseId: database.id, id: userId }, now)
  // Only verified addresses are reserved.
  const addresses = [
    { recipient: user.email, isVerified: user.emailVerifiedAt !== null },
    ...former.map(({ email }) => ({ recipient: email, isVerified: true })),
  ]
  return {
    result: undefined,
    facts: [{ type: 'user.deleted', userId }],
    mails: addresses.flatMap((address) =>
      noticeMessages(database, 'account_deleted', { userId, ...address, now }),
    ),
  }
}
