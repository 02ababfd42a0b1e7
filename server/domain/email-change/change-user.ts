import { isDeepStrictEqual } from 'node:util'
import type { UpdateMeBody, User } from '@usher/contract'
import type { z } from 'zod'
import { isUniqueViolation } from '../../store/errors.js'
import { type ChangeableUser, updateUser } from '../../store/queries/changed-user.js'
import { freeReserved } from '../../store/queries/reserved-addresses.js'
import { disableUser, enableUser } from '../../store/queries/revocations.js'
import { type UserFields, userFields } from '../../store/queries/user-fields.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import { type Change, type Changes, type Fact, type Outcome, requireLocked, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { emailTaken, externalIdTaken } from '../problem.js'
import type { UserRequest } from '../request.js'
import { userBody } from '../users/me.js'
import { AddressTaken, changeAddress, hasUndo } from './change-address.js'

/** Fields of a user to change. Undefined ones stay as they are. */
export interface FieldChanges extends Changes<Pick<ChangeableUser, 'email'> & UserFields> {
  isVerified?: boolean | undefined
  isDisabled?: boolean | undefined
  /** False: no undo of this change of the address and of earlier ones, and no mail to the former address. */
  emailUndo?: boolean | undefined
}

/**
 * Changes fields of a user: all of them or none. A new address is unverified. The user can undo its change by a mail to the
 * former address. Users change only their own profile.
 *
 * @param wanted.require throws if the user must not be changed. The user is locked meanwhile
 * @returns the user after the change
 * @throws {Problem} `user_not_found`; `email_taken`; `external_id_taken`
 */
export async function changeUser(
  change: Change,
  {
    userId,
    changes,
    require,
  }: { userId: string; changes: FieldChanges; require?: (user: ChangeableUser) => void },
): Promise<Outcome<ChangeableUser>> {
  const { database, now } = change
  const former = await requireLocked(change, userId)
  require?.(former)
  const { id } = former
  const key = { databaseId: database.id, id }
  const user = changed(former, changes, now)
  const { fields, state } = factsOf(former, user)
  const hasNewAddress = user.canonicalEmail !== former.canonicalEmail
  const update = () => updateUser(change, key, { user, hasNewAddress })
  const ended = changes.emailUndo === false ? await freeReserved(change, { ...key, userId: id }, 0) : []
  const store = async () => {
    const isUndoable = changes.emailUndo !== false && hasUndo(database)
    if (hasNewAddress) return changeAddress(change, { user: former, to: user, isUndoable, update })
    if (fields.length > 0) await update()
    return []
  }
  const mails = await store().catch((error) => {
    if (error instanceof AddressTaken) throw emailTaken(user.email, database, error.isReserved)
    if (!isUniqueViolation(error)) throw error
    throw isUniqueViolation(error, 'external_id')
      ? externalIdTaken('user', user.externalId)
      : emailTaken(user.email, database)
  })
  if (state.includes('user.disabled')) await disableUser(change, key, now)
  if (state.includes('user.enabled')) await enableUser(change, key)
  const types = [...fields, ...(ended.length > 0 ? (['user.email_undo_ended'] as const) : []), ...state]
  return { result: user, facts: types.map((type) => ({ type, userId: id })), mails }
}

/** Changes the profile of the user of a token: see {@link changeUser}. */
export async function updateMe(
  context: AppContext,
  request: UserRequest<z.infer<typeof UpdateMeBody>>,
): Promise<User> {
  const { user, body } = request
  const wanted = { userId: user.id, changes: body }
  const changed = await runChange(context, request, (change) => changeUser(change, wanted))
  return userBody({ ...user, ...changed })
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
const updatedFields = ['email', ...userFields] as const

/** Returns what a change does: to the state of the user, and to other fields. */
function factsOf(former: ChangeableUser, user: ChangeableUser) {
  const [wasVerified, isVerified] = [former.emailVerifiedAt !== null, user.emailVerifiedAt !== null]
  const [wasDisabled, isDisabled] = [former.disabledAt !== null, user.disabledAt !== null]
  const isUpdated =
    updatedFields.some((field) => !isDeepStrictEqual(user[field], former[field])) ||
    (wasVerified && !isVerified)
  const isNewlyVerified = isVerified && (!wasVerified || user.canonicalEmail !== former.canonicalEmail)
  const fields: Fact['type'][] = [
    ...(isUpdated ? (['user.updated'] as const) : []),
    ...(user.canonicalEmail !== former.canonicalEmail ? (['user.email_changed'] as const) : []),
    ...(isNewlyVerified ? (['user.email_verified'] as const) : []),
  ]
  const state: Fact['type'][] =
    wasDisabled === isDisabled ? [] : [isDisabled ? 'user.disabled' : 'user.enabled']
  return { fields, state }
}
