import { canonicalEmail, type DatabasePath } from '@usher/contract'
import { validate as isUuid } from 'uuid'
import { type Account, type FoundAccount, findAccountRow } from '../../../store/queries/management/users.js'
import type { Store } from '../../../store/store.js'
import { nameOfDatabase } from '../../databases/find-database.js'
import { Problem, usageError } from '../../problem.js'
import { type DatabaseRef, findDatabase } from '../found-database.js'

/**
 * Returns a user.
 *
 * @param userRef id or email address
 * @throws {Problem} if there is no such user or database
 */
export async function findAccount(store: Store, ref: DatabaseRef, userRef: string) {
  const email = canonicalEmail(userRef.trim())
  if (!email && !isUuid(userRef)) throw usageError(`${userRef} is neither a user id nor an email address`)
  const database = await findDatabase(store, ref)
  const key = email ? { canonicalEmail: email } : { id: userRef }
  const account = await findAccountRow(store, { databaseId: database.id, ...key })
  if (!account) throw userNotFound(database, userRef)
  return { database, account }
}

/** Returns the fields of a user that operators see. */
export const accountOf = ({ canonicalEmail: _, ...account }: FoundAccount): Account => account

export const userNotFound = (path: DatabasePath, userRef: string) =>
  new Problem('user_not_found', { detail: `User ${userRef} does not exist in ${nameOfDatabase(path)}.` })

/** @param isReserved whether the address is reserved for a user who had it until recently */
export const emailTaken = (email: string, database: DatabasePath, isReserved = false) =>
  isReserved
    ? new Problem('email_taken', {
        detail: `${email} is reserved in ${nameOfDatabase(database)} for a user who can undo a change of the address.`,
      })
    : new Problem('email_taken', { detail: `User ${email} already exists in ${nameOfDatabase(database)}.` })
