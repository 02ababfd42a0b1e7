import type { Account } from '../../../store/queries/management/users.js'
import { insertMessages } from '../../../store/queries/outbox.js'
import type { Store } from '../../../store/store.js'
import { nameOfDatabase, requireAppUrl } from '../../databases/find-database.js'
import { mailMessage } from '../../notices/mail-message.js'
import { Problem } from '../../problem.js'
import type { DatabaseRef, FoundDatabase } from '../found-database.js'
import type { Operation } from '../operation.js'
import { accountOf, findAccount } from './find-account.js'

/**
 * Stores the message that sends a user a code for a new password. A server delivers it.
 *
 * @throws {Problem} if the mail could not be sent
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
 * @throws {Problem} if there is no such user, the user is disabled, or the database sends no mails with codes
 */
export async function requireRecipient(
  store: Store,
  ref: DatabaseRef,
  { userRef, byMail }: { userRef: string; byMail: boolean },
) {
  const { database, account } = await findAccount(store, ref, userRef)
  if (byMail) requireCodeMails(database)
  else requireAccountOperations(database)
  if (account.disabledAt) throw new Problem('user_disabled', { detail: `User ${account.id} is disabled.` })
  return { database, account }
}

/** @throws {Problem} if a database sends no mails with codes */
export function requireCodeMails(database: FoundDatabase) {
  requireAccountOperations(database)
  requireAppUrl(database)
}

function requireAccountOperations(database: FoundDatabase) {
  if (database.accountOperations) return
  throw new Problem('account_operations_off', {
    detail: 'Account operations are off.',
    about: nameOfDatabase(database),
  })
}
