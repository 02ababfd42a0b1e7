import type { DatabasePath } from '@usher/contract'
import type { Account } from '../../../store/queries/management/users.js'
import { insertMessages } from '../../../store/queries/outbox.js'
import type { Store } from '../../../store/store.js'
import { codeMessage } from '../../codes/request-code.js'
import { type DatabaseRow, nameOfDatabase } from '../../databases/find-database.js'
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
  path: DatabasePath,
  userRef: string,
): Promise<Account> {
  const { database, account } = await requireRecipient(store, path, { userRef, byMail: true })
  await insertMessages(store, [
    codeMessage({ databaseId: database.id, purpose: 'password_reset', userId: account.id }, now),
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
  path: DatabasePath,
  { userRef, byMail }: { userRef: string; byMail: boolean },
) {
  const { database, account } = await findAccount(store, path, userRef)
  if (byMail) requireCodeMails(database, path)
  else requireAccountOperations(database, path)
  if (account.disabledAt) throw new OperatorError('user_disabled', `user ${account.id} is disabled`)
  return { database, account }
}

/** @throws {OperatorError} if a database sends no mails with codes */
export function requireCodeMails(
  database: Pick<DatabaseRow, 'accountOperations' | 'appUrl'>,
  path: DatabasePath,
) {
  requireAccountOperations(database, path)
  if (database.appUrl === null) {
    throw new OperatorError(
      'app_url_missing',
      `no app URL. Set it with: npx @usher/server database set ${nameOfDatabase(path)} --app-url URL`,
    )
  }
}

function requireAccountOperations(
  { accountOperations }: Pick<DatabaseRow, 'accountOperations'>,
  path: DatabasePath,
) {
  if (accountOperations) return
  throw new OperatorError(
    'account_operations_off',
    `account operations are off. Turn them on with: npx @usher/server database set ${nameOfDatabase(path)} --account-operations on`,
  )
}
