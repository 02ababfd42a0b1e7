import type { Account } from '../../../store/queries/management/users.js'
import { insertMessages } from '../../../store/queries/outbox.js'
import type { Store } from '../../../store/store.js'
import { nameOfDatabase } from '../../databases/find-database.js'
import { mailMessage } from '../../notices/mail-message.js'
import type { DatabaseRef, FoundDatabase } from '../found-database.js'
import type { Operation } from '../operation.js'
import { OperatorError } from '../operator-error.js'
import { accountOf, findAccount } from './find-account.js'

/**
 * Stores the message that sends a user a code for a new password. A server delivers it.
 *
 * @throws {OperatorError} if the mail could not be sent
 */
export async function sendReset(
  { store, now }: Operation,
  ref: DatabaseRef,
  userRef: string,
): Promise<Account> {
  const { database, account } = await requireRecipient(store, ref, { userRef, byMail: true })
  await insertMessages(store, [
    mailMessage({ databaseId: database.id, type: 'password_reset', userId: account.id }, now),
  ])
  return accountOf(account)
}

/**
 * Returns a user who can get a code.
 *
 * @param recipient.byMail whether a mail sends it
 * @throws {OperatorError} if there is no such user, the user is disabled, or the database sends no mails with codes
 */
export async function requireRecipient(
  store: Store,
  ref: DatabaseRef,
  { userRef, byMail }: { userRef: string; byMail: boolean },
) {
  const { database, account } = await findAccount(store, ref, userRef)
  if (byMail) requireCodeMails(database)
  else requireAccountOperations(database)
  if (account.disabledAt) throw new OperatorError('user_disabled', `user ${account.id} is disabled`)
  return { database, account }
}

/** @throws {OperatorError} if a database sends no mails with codes */
export function requireCodeMails(database: FoundDatabase) {
  requireAccountOperations(database)
  requireAppUrl(database)
}

/** @throws {OperatorError} if a database has no URL for the links of mails */
export function requireAppUrl(database: FoundDatabase) {
  if (database.appUrl !== null) return
  const advice = `Set it with: npx @usher/server database set ${nameOfDatabase(database)} --app-url URL`
  throw new OperatorError('app_url_missing', 'the database has no app URL', { advice })
}

function requireAccountOperations(database: FoundDatabase) {
  if (database.accountOperations) return
  const advice = `Turn them on with: npx @usher/server database set ${nameOfDatabase(database)} --account-operations on`
  throw new OperatorError('account_operations_off', 'account operations are off', { advice })
}
