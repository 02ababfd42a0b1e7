import type { DatabasePath } from '@usher/contract'
import { isUniqueViolation } from '../../../store/errors.js'
import { type ChangeableUser, lockUser, updateUser } from '../../../store/queries/changed-user.js'
import type { Transactions } from '../../../store/queries/outbox.js'
import { disableUser, enableUser } from '../../../store/queries/revocations.js'
import { nameOfDatabase } from '../../databases/find-database.js'
import type { Event } from '../../events/events.js'
import { requireCanonicalEmail } from '../../users/canonical-email.js'
import { messagesOf, type Operation } from '../operation.js'
import { OperatorError } from '../operator-error.js'
import { findAccount, userNotFound } from './find-account.js'

/** Fields of a user to change. Undefined ones stay as they are. */
export interface FieldChanges {
  email?: string | undefined
  preferredName?: string | null | undefined
  isVerified?: boolean | undefined
  isDisabled?: boolean | undefined
}

interface Change {
  userRef: string
  changes: FieldChanges
  /** Throws if the user must not be changed. The user is locked meanwhile. */
  require?: (user: ChangeableUser) => void
}

/**
 * Changes fields of a user: all of them or none.
 *
 * @returns the events that it has caused
 * @throws {OperatorError} if there is no such user, or the email is taken
 */
export async function changeFields(
  operation: Operation,
  path: DatabasePath,
  { userRef, changes, require }: Change,
): Promise<{ id: string; events: Event['type'][] }> {
  const { store, now } = operation
  const { database, account } = await findAccount(store, path, userRef)
  const { id } = account
  const messages = (types: readonly Event['type'][]) =>
    messagesOf(
      operation,
      database,
      types.map((type) => ({ type, userId: id })),
    )
  const work = store.transaction(database.id, async (query) => {
    const former = await lockUser({ query }, account)
    if (!former) throw userNotFound(path, userRef)
    require?.(former)
    const user = changed(former, changes, now)
    const { state, fields } = eventsOf(former, user)
    // The same statements as those of commands, within this transaction.
    const open: Transactions = { query, transaction: (_databaseId, statements) => statements(query) }
    if (fields.length > 0) {
      const hasNewAddress = user.canonicalEmail !== former.canonicalEmail
      await updateUser(open, account, { user, hasNewAddress, messages: messages(fields) })
    }
    if (state.includes('user.disabled')) await disableUser(open, account, { now, messages: messages(state) })
    if (state.includes('user.enabled')) await enableUser(open, account, messages(state))
    return { id, events: [...fields, ...state] }
  })
  return work.catch((error) => {
    if (!isUniqueViolation(error)) throw error
    throw new OperatorError('email_taken', `user ${changes.email} already exists in ${nameOfDatabase(path)}`)
  })
}

/** Returns the user after the changes. */
function changed(
  former: ChangeableUser,
  { email = former.email, preferredName = former.preferredName, isVerified, isDisabled }: FieldChanges,
  now: Date,
): ChangeableUser {
  const canonicalEmail = email === former.email ? former.canonicalEmail : requireCanonicalEmail(email)
  const verifiedAt = canonicalEmail === former.canonicalEmail ? former.emailVerifiedAt : null
  const since = (is: boolean | undefined, at: Date | null) =>
    is === undefined ? at : is ? (at ?? now) : null
  return {
    email,
    canonicalEmail,
    preferredName,
    emailVerifiedAt: since(isVerified, verifiedAt),
    disabledAt: since(isDisabled, former.disabledAt),
  }
}

/** Returns the events of a change: of the state of the user, and of other fields. */
function eventsOf(former: ChangeableUser, user: ChangeableUser) {
  const [wasVerified, isVerified] = [former.emailVerifiedAt !== null, user.emailVerifiedAt !== null]
  const [wasDisabled, isDisabled] = [former.disabledAt !== null, user.disabledAt !== null]
  const isUpdated =
    user.email !== former.email || user.preferredName !== former.preferredName || (wasVerified && !isVerified)
  const isNewlyVerified = isVerified && (!wasVerified || user.canonicalEmail !== former.canonicalEmail)
  const fields: Event['type'][] = [
    ...(isUpdated ? (['user.updated'] as const) : []),
    ...(isNewlyVerified ? (['user.email_verified'] as const) : []),
  ]
  const state: Event['type'][] =
    wasDisabled === isDisabled ? [] : [isDisabled ? 'user.disabled' : 'user.enabled']
  return { fields, state }
}
