import { isDeepStrictEqual } from 'node:util'
import { isUniqueViolation } from '../../../store/errors.js'
import { type ChangeableUser, lockUser, updateUser } from '../../../store/queries/changed-user.js'
import { findAccountRow } from '../../../store/queries/management/users.js'
import { insertMessages, within } from '../../../store/queries/outbox.js'
import type { ProductFields } from '../../../store/queries/product-fields.js'
import { freeReserved } from '../../../store/queries/reserved-addresses.js'
import { disableUser, enableUser } from '../../../store/queries/revocations.js'
import type { AuditEvent } from '../../../telemetry/audit.js'
import { requireCanonicalEmail } from '../../canonical-email.js'
import type { Changes } from '../../change.js'
import { AddressTaken, changeAddress, hasUndo } from '../../email-change/change-address.js'
import type { Event } from '../../events/events.js'
import { externalIdTaken } from '../../problem.js'
import type { DatabaseRef } from '../found-database.js'
import { messagesOf, type Operation } from '../operation.js'
import { emailTaken, findAccount, userNotFound } from './find-account.js'

/** Fields of a user to change. Undefined ones stay as they are. */
export interface FieldChanges
  extends Changes<Pick<ChangeableUser, 'email' | 'preferredName'> & ProductFields> {
  isVerified?: boolean | undefined
  isDisabled?: boolean | undefined
  /** False: no undo of this change of the address and of earlier ones, and no mail to the former address. */
  emailUndo?: boolean | undefined
}

interface Change {
  userRef: string
  changes: FieldChanges
  /** Throws if the user must not be changed. The user is locked meanwhile. */
  require?: (user: ChangeableUser) => void
}

/** The result of a change. */
interface Changed {
  id: string
  /** Includes events that are only audited. */
  events: AuditEvent[]
  /** Whether it sends mails. */
  hasMails: boolean
}

/**
 * Changes fields of a user: all of them or none.
 *
 * @throws {Problem} if there is no such user, or the email or the external id is taken
 */
export async function changeFields(
  operation: Operation,
  ref: DatabaseRef,
  { userRef, changes, require }: Change,
): Promise<Changed> {
  const { store, now } = operation
  const { database, account } = await findAccount(store, ref, userRef)
  const { id } = account
  const messages = (types: readonly Event['type'][]) =>
    messagesOf(
      operation,
      database,
      types.map((type) => ({ type, userId: id })),
    )
  const work = store.transaction(database.id, async (query) => {
    const former = await lockUser({ query }, account)
    if (!former) throw userNotFound(database, userRef)
    require?.(former)
    const user = changed(former, changes, now)
    const { state, fields } = eventsOf(former, user)
    // Lets statements that open a transaction run within this one.
    const open = within(query)
    const hasNewAddress = user.canonicalEmail !== former.canonicalEmail
    const update = () => updateUser(open, account, { user, hasNewAddress, messages: messages(fields) })
    const key = { databaseId: database.id, userId: id }
    const ended = changes.emailUndo === false ? await freeReserved(open, key, 0) : []
    if (fields.length > 0 && !hasNewAddress) await update()
    const mails = hasNewAddress
      ? await changeAddress(open, {
          database,
          now,
          update,
          email: user.email,
          canonicalEmail: user.canonicalEmail,
          user: { ...former, id },
          isUndoable: changes.emailUndo !== false && hasUndo(database),
        })
      : []
    await insertMessages(open, mails)
    if (state.includes('user.disabled')) await disableUser(open, account, { now, messages: messages(state) })
    if (state.includes('user.enabled')) await enableUser(open, account, messages(state))
    const audited = ended.length > 0 ? (['user.email_undo_ended'] as const) : []
    return { id, events: [...fields, ...audited, ...state], hasMails: mails.length > 0 }
  })
  return work.catch(async (error) => {
    const { email, externalId } = changes
    if (error instanceof AddressTaken) throw emailTaken(String(email), database, error.isReserved)
    if (!isUniqueViolation(error)) throw error
    const canonicalEmail = email && requireCanonicalEmail(email)
    const named = canonicalEmail && (await findAccountRow(store, { databaseId: database.id, canonicalEmail }))
    if (externalId && (!named || named.id === id)) throw externalIdTaken('user', externalId)
    throw emailTaken(String(email), database)
  })
}

/** Returns the user after the changes. */
function changed(
  former: ChangeableUser,
  { isVerified, isDisabled, emailUndo: _, ...changes }: FieldChanges,
  now: Date,
): ChangeableUser {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  const user: ChangeableUser = { ...former, ...Object.fromEntries(given) }
  const { email } = user
  const canonicalEmail = email === former.email ? former.canonicalEmail : requireCanonicalEmail(email)
  const verifiedAt = canonicalEmail === former.canonicalEmail ? former.emailVerifiedAt : null
  const since = (is: boolean | undefined, at: Date | null) =>
    is === undefined ? at : is ? (at ?? now) : null
  return {
    ...user,
    canonicalEmail,
    emailVerifiedAt: since(isVerified, verifiedAt),
    disabledAt: since(isDisabled, former.disabledAt),
  }
}

/** Fields whose change is the event `user.updated`. */
const updatedFields = ['email', 'preferredName', 'externalId', 'metadata', 'privateMetadata'] as const

/** Returns the events of a change: of the state of the user, and of other fields. */
function eventsOf(former: ChangeableUser, user: ChangeableUser) {
  const [wasVerified, isVerified] = [former.emailVerifiedAt !== null, user.emailVerifiedAt !== null]
  const [wasDisabled, isDisabled] = [former.disabledAt !== null, user.disabledAt !== null]
  const isUpdated =
    updatedFields.some((field) => !isDeepStrictEqual(user[field], former[field])) ||
    (wasVerified && !isVerified)
  const isNewlyVerified = isVerified && (!wasVerified || user.canonicalEmail !== former.canonicalEmail)
  const fields: Event['type'][] = [
    ...(isUpdated ? (['user.updated'] as const) : []),
    ...(user.canonicalEmail !== former.canonicalEmail ? (['user.email_changed'] as const) : []),
    ...(isNewlyVerified ? (['user.email_verified'] as const) : []),
  ]
  const state: Event['type'][] =
    wasDisabled === isDisabled ? [] : [isDisabled ? 'user.disabled' : 'user.enabled']
  return { fields, state }
}
