import { lockAddressOwner } from '../../../store/queries/email-changes.js'
import { inTransaction } from '../../../store/queries/management/typed-queries.js'
import { type Account, deleteUserRow, type FoundAccount } from '../../../store/queries/management/users.js'
import { insertMessages } from '../../../store/queries/outbox.js'
import { listReserved } from '../../../store/queries/reserved-addresses.js'
import { type Revocation, revokeUserTokens } from '../../../store/queries/revocations.js'
import type { Store } from '../../../store/store.js'
import type { AppContext } from '../../context.js'
import { noticeMessages } from '../../notices/notice.js'
import type { Throttle } from '../../throttle/login-throttle.js'
import { recordHashParameters } from '../../users/verify-password.js'
import { type DatabaseRef, type FoundDatabase, findDatabase } from '../found-database.js'
import { messagesOf, type Operation } from '../operation.js'
import { changeFields } from './change-fields.js'
import { accountOf, findAccount, userNotFound } from './find-account.js'
import { hashOf, requirePassword } from './new-password.js'

type Change = (operation: Operation, ref: DatabaseRef, userRef: string) => Promise<Account>

const setDisabled =
  (isDisabled: boolean): Change =>
  async (operation, ref, userRef) => {
    const { store } = operation
    const database = await findDatabase(store, ref)
    const { id } = await changeFields(operation, database, { userRef, changes: { isDisabled } })
    return accountOf((await findAccount(store, database, id)).account)
  }

/** Rejects the logins of a user, revokes earlier tokens and ends the sessions. */
export const disableUser = setDisabled(true)

/** Accepts the logins of a disabled user again. */
export const enableUser = setDisabled(false)

/**
 * Changes the address of a user. The new address is unverified. The user can undo the change by a mail to the former address.
 *
 * @param change.hasUndo false: no mail to the former address, and no undo of this change and of earlier ones
 */
export async function setEmail(
  operation: Operation,
  ref: DatabaseRef,
  { userRef, email, hasUndo }: { userRef: string; email: string; hasUndo: boolean },
) {
  const { store } = operation
  const database = await findDatabase(store, ref)
  const changes = { email, emailUndo: hasUndo }
  const { id, events } = await changeFields(operation, database, { userRef, changes })
  return { account: accountOf((await findAccount(store, database, id)).account), events }
}

export const revokeTokens: Change = async ({ store, now }, ref, userRef) => {
  const found = await findAccount(store, ref, userRef)
  return revoke(store, found, { now })
}

/**
 * Sets a password and revokes earlier tokens.
 *
 * @throws {Problem} with the policy rules that the password violates
 */
export async function setPassword(
  context: Pick<AppContext, 'hashing' | 'blocklist'> & Operation,
  ref: DatabaseRef,
  { userRef, password }: { userRef: string; password: string },
): Promise<Account> {
  const { store, now } = context
  const { database, account } = await findAccount(store, ref, userRef)
  await requirePassword(context, database, { password, email: account.email })
  const passwordHash = await hashOf(context, { password })
  await recordHashParameters(context, database)
  const { id: userId, email: recipient, emailVerifiedAt } = account
  const isVerified = emailVerifiedAt !== null
  const messages = [
    ...messagesOf(context, database, [{ type: 'user.password_changed', userId }]),
    ...noticeMessages(database, 'password_changed', { userId, recipient, isVerified, now }),
  ]
  return revoke(store, { database, account }, { now, passwordHash, messages })
}

async function revoke(
  store: Store,
  { database, account }: { database: FoundDatabase; account: FoundAccount },
  revocation: Revocation,
) {
  if (!(await revokeUserTokens(store, account, revocation))) throw userNotFound(database, account.id)
  return accountOf(account)
}

export async function unlockUser(
  { store, throttle }: { store: Store; throttle: Throttle },
  ref: DatabaseRef,
  userRef: string,
) {
  const { database, account } = await findAccount(store, ref, userRef)
  await throttle.unlock(database.id, account.canonicalEmail)
  return accountOf(account)
}

/**
 * Deletes a user with memberships, failed logins and idempotency keys. The user's tenants stay. Also notifies the addresses that
 * could undo a change.
 */
export async function deleteUser(
  operation: Operation & { throttle: Throttle },
  ref: DatabaseRef,
  userRef: string,
) {
  const { store, throttle, now } = operation
  const { database, account } = await findAccount(store, ref, userRef)
  const user = accountOf(account)
  await throttle.unlock(database.id, account.canonicalEmail)
  const key = { databaseId: database.id, userId: user.id }
  const deleted = messagesOf(operation, database, [{ type: 'user.deleted', userId: user.id }])
  await inTransaction(store, async (transaction) => {
    const owner = await lockAddressOwner(transaction, key)
    if (!owner) throw userNotFound(database, userRef)
    // The deletion also ends the undo of the former addresses.
    const former = (await listReserved(transaction, key)).filter(({ until }) => until > now)
    await deleteUserRow(transaction, user, now)
    // Only verified addresses are reserved.
    const addresses = [
      { recipient: owner.email, isVerified: owner.emailVerifiedAt !== null },
      ...former.map(({ email }) => ({ recipient: email, isVerified: true })),
    ]
    const notices = addresses.flatMap((address) =>
      noticeMessages(database, 'account_deleted', { userId: user.id, ...address, now }),
    )
    await insertMessages(transaction, [...deleted, ...notices])
  })
  return user
}
