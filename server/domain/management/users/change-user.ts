import type { DatabasePath } from '@usher/contract'
import { inTransaction } from '../../../store/queries/management/typed-queries.js'
import { type Account, deleteUserRow, type FoundAccount } from '../../../store/queries/management/users.js'
import { insertMessages } from '../../../store/queries/outbox.js'
import {
  disableUser as disable,
  enableUser as enable,
  type Revocation,
  revokeUserTokens,
} from '../../../store/queries/revocations.js'
import type { Store } from '../../../store/store.js'
import type { AppContext } from '../../context.js'
import type { Throttle } from '../../throttle/login-throttle.js'
import { recordHashParameters } from '../../users/verify-password.js'
import { messagesOf, type Operation } from '../operation.js'
import { accountOf, findAccount, userNotFound } from './find-account.js'
import { hashOf, requirePassword } from './new-password.js'

type Change = (operation: Operation, path: DatabasePath, userRef: string) => Promise<Account>

/** Rejects the logins of a user, revokes earlier tokens and ends the sessions. */
export const disableUser: Change = async (operation, path, userRef) => {
  const { store, now } = operation
  const { database, account } = await findAccount(store, path, userRef)
  const messages = messagesOf(operation, database, [{ type: 'user.disabled', userId: account.id }])
  const changed = await disable(store, account, { now, messages })
  return changed
    ? { ...accountOf(account), disabledAt: now, tokensValidAfter: changed.tokensValidAfter }
    : accountAsItIs(store, path, account.id)
}

/** Accepts the logins of a disabled user again. */
export const enableUser: Change = async (operation, path, userRef) => {
  const { store } = operation
  const { database, account } = await findAccount(store, path, userRef)
  const messages = messagesOf(operation, database, [{ type: 'user.enabled', userId: account.id }])
  const changed = await enable(store, account, messages)
  return changed
    ? { ...accountOf(account), disabledAt: null, tokensValidAfter: changed.tokensValidAfter }
    : accountAsItIs(store, path, account.id)
}

/** Returns the user if a command had nothing to change. @throws {OperatorError} if the user was deleted meanwhile */
const accountAsItIs = async (store: Store, path: DatabasePath, id: string) =>
  accountOf((await findAccount(store, path, id)).account)

export const revokeTokens: Change = async ({ store, now }, path, userRef) => {
  const { account } = await findAccount(store, path, userRef)
  return revoke(store, { path, account }, { now })
}

/**
 * Sets a password and revokes earlier tokens.
 *
 * @throws {OperatorError} with the policy rules that the password violates
 */
export async function setPassword(
  context: Pick<AppContext, 'hashing' | 'blocklist'> & Operation,
  path: DatabasePath,
  { userRef, password }: { userRef: string; password: string },
): Promise<Account> {
  const { store, now } = context
  const { database, account } = await findAccount(store, path, userRef)
  await requirePassword(context, database, { password, email: account.email })
  const passwordHash = await hashOf(context, { password })
  await recordHashParameters(context, database)
  const messages = messagesOf(context, database, [{ type: 'user.password_changed', userId: account.id }])
  return revoke(store, { path, account }, { now, passwordHash, messages })
}

async function revoke(
  store: Store,
  { path, account }: { path: DatabasePath; account: FoundAccount },
  revocation: Revocation,
) {
  const revoked = await revokeUserTokens(store, account, revocation)
  if (!revoked) throw userNotFound(path, account.id)
  return { ...accountOf(account), tokensValidAfter: revoked.tokensValidAfter }
}

export async function unlockUser(
  { store, throttle }: { store: Store; throttle: Throttle },
  path: DatabasePath,
  userRef: string,
) {
  const { database, account } = await findAccount(store, path, userRef)
  await throttle.unlock(database.id, account.canonicalEmail)
  return accountOf(account)
}

/** Deletes a user with memberships, failed logins and idempotency keys. The user's tenants stay. */
export async function deleteUser(
  operation: Operation & { throttle: Throttle },
  path: DatabasePath,
  userRef: string,
) {
  const { store, throttle } = operation
  const { database, account } = await findAccount(store, path, userRef)
  const user = accountOf(account)
  await throttle.unlock(database.id, account.canonicalEmail)
  const messages = messagesOf(operation, database, [{ type: 'user.deleted', userId: user.id }])
  await inTransaction(store, async (transaction) => {
    const isDeleted = await deleteUserRow(transaction, user)
    if (!isDeleted) throw userNotFound(path, userRef)
    await insertMessages(transaction, messages)
  })
  return user
}
