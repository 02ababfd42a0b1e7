import type { DatabasePath } from '@usher/contract'
import type { Account } from '../../../store/queries/management/users.js'
import { insertMessages } from '../../../store/queries/outbox.js'
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
  const { database, account } = await findAccount(store, path, userRef)
  requireCodeMails(database, path)
  if (account.disabledAt) throw new OperatorError('user_disabled', `user ${account.id} is disabled`)
  await insertMessages(store, [
    codeMessage({ databaseId: database.id, purpose: 'password_reset', userId: account.id }, now),
  ])
  return accountOf(account)
}

/** @throws {OperatorError} if a database sends no mails with codes */
export function requireCodeMails(
  database: Pick<DatabaseRow, 'accountOperations' | 'appUrl'>,
  path: DatabasePath,
) {
  const name = nameOfDatabase(path)
  if (!database.accountOperations) {
    throw new OperatorError(
      'account_operations_off',
      `account operations are off. Turn them on with: npx @usher/server database set ${name} --account-operations on`,
    )
  }
  if (database.appUrl === null) {
    throw new OperatorError(
      'app_url_missing',
      `no app URL. Set it with: npx @usher/server database set ${name} --app-url URL`,
    )
  }
}
