import { canonicalEmail } from '@usher/contract'
import { validate as isUuid } from 'uuid'
import { type Account, findAccountRow } from '../../../store/queries/management/users.js'
import type { Store } from '../../../store/store.js'
import type { RuleDatabase } from '../../databases/find-database.js'
import { invalidField, Problem, userNotFound } from '../../problem.js'

/**
 * Returns a user.
 *
 * @param userRef id or email address
 * @throws {Problem} `validation_failed` if it is neither; `user_not_found`
 */
export async function findAccount(store: Store, database: RuleDatabase, userRef: string): Promise<Account> {
  const email = canonicalEmail(userRef.trim())
  if (!email && !isUuid(userRef)) {
    const rule = 'is neither a user id nor an email address'
    throw new Problem('validation_failed', {
      detail: `${userRef} ${rule}`,
      errors: [invalidField('userId', rule)],
    })
  }
  const key = email ? { canonicalEmail: email } : { id: userRef }
  const account = await findAccountRow(store, { databaseId: database.id, ...key })
  if (!account) throw userNotFound(database, userRef)
  return account
}
