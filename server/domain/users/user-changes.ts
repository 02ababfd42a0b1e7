import { deleteUserRow, findOwnerless, lockTenantsOf } from '../../store/queries/delete-user.js'
import { listReserved, type ReservedAddress } from '../../store/queries/reserved-addresses.js'
import { type Revoked, revokeUserTokens } from '../../store/queries/revocations.js'
import type { Client } from '../caller.js'
import {
  type Change,
  type ChangeContext,
  type ChangeRequest,
  type Outcome,
  requireLocked,
  runChange,
} from '../change.js'
import type { AppContext } from '../context.js'
import { noticeMessages } from '../notices/notice.js'
import { recordHashParameters } from '../passwords/authenticate.js'
import { Problem } from '../problem.js'
import { requireOtherOwner } from '../tenants/locked-tenant.js'
import { lastOwner } from '../tenants/roles.js'
import type { Throttle } from '../throttle/login-throttle.js'
import { requirePassword } from './new-password.js'

// What users do to themselves, and backends and operators to any user, apart from changing fields.

/** Ends the sessions of a user, and revokes the tokens. @throws {Problem} `user_not_found`; `token_invalid` */
export async function revokeTokens(
  change: Change,
  { userId }: { userId: string },
): Promise<Outcome<undefined>> {
  await requireLocked(change, userId)
  await revokeUserTokens(change, { databaseId: change.database.id, id: userId }, change)
  return { result: undefined, facts: [{ type: 'user.tokens_revoked', userId }] }
}

/**
 * Replaces the password of a user, and revokes tokens, sessions and codes. Notifies the address.
 *
 * @returns the new generation, and when it was given
 * @throws {Problem} `user_not_found`; `token_invalid`
 */
export async function replacePassword(
  change: Change,
  { userId, passwordHash }: { userId: string; passwordHash: string },
): Promise<Outcome<Revoked & { at: Date }>> {
  const { database, actor, now } = change
  const { email: recipient, emailVerifiedAt } = await requireLocked(change, userId)
  const key = { databaseId: database.id, id: userId }
  const revoked = (await revokeUserTokens(change, key, { now, passwordHash })) as Revoked
  const notified = { userId, recipient, isVerified: emailVerifiedAt !== null, now }
  const changed = { type: 'user.password_changed', userId } as const
  return {
    result: { ...revoked, at: now },
    mails: noticeMessages(database, 'password_changed', notified),
    ...(actor.kind === 'user'
      ? { facts: [changed] }
      : { facts: [{ type: 'user.password_set', userId }], events: [changed] }),
  }
}

interface PasswordToSet {
  user: { id: string; email: string }
  password: string
  /** Waits for the hash. */
  client?: Client
}

/**
 * Sets the password of a user without the former one.
 *
 * @throws {Problem} `validation_failed` with the policy rules that the password violates; `user_not_found`
 */
export async function setPassword(
  context: ChangeContext & Pick<AppContext, 'store' | 'hashing' | 'blocklist'>,
  request: ChangeRequest,
  { user: { id: userId, email }, password, client }: PasswordToSet,
) {
  await requirePassword(context, request.database, { password, email })
  const passwordHash = await context.hashing.hash(password, client)
  await recordHashParameters(context, request.database)
  await runChange(context, request, (change) => replacePassword(change, { userId, passwordHash }))
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
 * Deletes a user with memberships and idempotency keys. Users who delete themselves also delete the tenants that have no other
 * user. Backends and operators keep them, also clear the failed logins, and notify the addresses that could undo a change.
 *
 * @throws {Problem} `user_not_found`; `token_invalid`; `owner_needed` for the last owner of the installation. Users who delete
 * themselves also get `email_recently_changed` while a change of the address can be undone, and `last_owner` if a tenant with other
 * users, or the installation, would have no owner
 */
export async function deleteUser(
  change: Change,
  { userId, throttle }: ThrottledUser,
): Promise<Outcome<undefined>> {
  const { database, now, actor } = change
  const key = { databaseId: database.id, userId }
  if (database.isOperators) await requireOtherOwner(change, userId)
  const user = await requireLocked(change, userId, 'UPDATE')
  // The deletion also ends the undo of the former addresses.
  const former = (await listReserved(change, key)).filter(({ until }) => until > now)
  const isOwn = actor.kind === 'user'
  if (isOwn) await requireDeletable(change, userId, former)
  else await throttle.unlock(database.id, user.canonicalEmail, change)
  const tenants = await deleteUserRow(change, key, { now, withTenants: isOwn })
  // Only verified addresses are reserved.
  const addresses = [
    { recipient: user.email, isVerified: user.emailVerifiedAt !== null },
    ...former.map(({ email }) => ({ recipient: email, isVerified: true })),
  ]
  return {
    result: undefined,
    facts: [
      { type: 'user.deleted', userId },
      ...tenants.map((tenantId) => ({ type: 'tenant.deleted', tenantId }) as const),
    ],
    mails: addresses.flatMap((address) =>
      noticeMessages(database, 'account_deleted', { userId, ...address, now, locale: user.locale }),
    ),
  }
}

/** @throws {Problem} `email_recently_changed`; `last_owner` */
async function requireDeletable(
  change: Change,
  userId: string,
  former: readonly Pick<ReservedAddress, 'until'>[],
) {
  const { id: databaseId, tenantOperations } = change.database
  const until = former.at(-1)?.until.toISOString()
  if (until)
    throw new Problem('email_recently_changed', {
      detail: `The change of the address can be undone until ${until}. The account can be deleted after that.`,
    })
  await lockTenantsOf(change, { databaseId, userId })
  // Without these operations, users could not make another member owner.
  const ownerless = tenantOperations ? await findOwnerless(change, { databaseId, userId }) : []
  if (ownerless.length > 0) throw lastOwner(ownerless)
}
