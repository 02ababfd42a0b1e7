import { initContract } from '@ts-rest/core'
import type { z } from 'zod'
import { DatabasePath, usersPath } from './database-path.js'
import { accountProblems, bodyProblems, failures, ownProblems } from './failures.js'
import { body, NewPassword, Password, password } from './fields.js'
import type { DescribedRoutes } from './metadata.js'
import { givenProfile } from './profile.js'
import { field } from './registry.js'
import { confirmation } from './second-factor.js'
import { SignedInUser, User } from './users.js'

const c = initContract()

/** Body of `PATCH …/users/me`. */
export const UpdateMeBody = body(
  { id: 'UpdateMeBody', description: 'The fields to change.', example: { preferredName: 'Ada' } },
  givenProfile('Null removes it. If this field is absent, it does not change.'),
)

/** Returns the schema of the current password, as confirmation. */
export const currentPassword = () =>
  field(
    'The current password. A user without one leaves it out, and must have logged in within 10 minutes. Not needed with a `confirmation` for which it was given.',
    Password.clone().optional(),
    { ...password, maxLength: 16384 },
  )

/** Body of `PUT …/users/me/password`. */
export const ChangePasswordBody = body(
  {
    id: 'ChangePasswordBody',
    description: 'The current password and the new one.',
    example: { password: 'correct horse battery', newPassword: 'four random common words' },
  },
  { password: currentPassword(), newPassword: NewPassword, confirmation: confirmation() },
)
export type ChangePasswordBody = z.infer<typeof ChangePasswordBody>

/** Body of `POST …/users/me/deletion`. */
export const DeleteMeBody = body(
  {
    id: 'DeleteMeBody',
    description: 'The password, as confirmation.',
    example: { password: 'correct horse battery' },
  },
  { password: currentPassword(), confirmation: confirmation() },
)
export type DeleteMeBody = z.infer<typeof DeleteMeBody>

/** Problems of an operation that requires the current password, or a recent login of a user without one. */
export const confirmedProblems = [
  'recent_login_required',
  'step_up_required',
  ...ownProblems,
  'too_many_attempts',
  ...bodyProblems,
  ...accountProblems,
] as const

export const me = c.router({
  updateMe: {
    method: 'PATCH',
    path: `${usersPath}/me`,
    pathParams: DatabasePath,
    body: UpdateMeBody,
    responses: { 200: User, ...failures(...ownProblems, ...bodyProblems, ...accountProblems) },
    summary: 'Change the current user',
    description: 'Changes the fields that are in the body, and returns the user.',
    metadata: { who: { user: 'needed' }, on: 'account', isRepeatable: true },
  },
  changePassword: {
    method: 'PUT',
    path: `${usersPath}/me/password`,
    pathParams: DatabasePath,
    body: ChangePasswordBody,
    responses: {
      200: SignedInUser,
      ...failures(...confirmedProblems),
    },
    summary: 'Change the password of the current user',
    description:
      'Also sets the first password of a user without one. Ends all sessions of the user, including that of this request, and revokes all earlier access tokens. The returned token belongs to no session, and can open a new one.',
    metadata: {
      who: { user: 'needed' },
      on: 'account',
      links: ['getMe', 'openSession'],
      hashesPassword: true,
      newPassword: 'newPassword',
      signsIn: 'renewal',
    },
  },
  deleteMe: {
    method: 'POST',
    path: `${usersPath}/me/deletion`,
    pathParams: DatabasePath,
    body: DeleteMeBody,
    responses: {
      204: c.noBody(),
      ...failures('email_recently_changed', 'last_owner', ...confirmedProblems),
    },
    summary: 'Delete the current user',
    description:
      'Also deletes the user’s tenants that have no other user. This cannot be undone. A tenant with other users must keep an owner. While the former address can undo a change of the address, the account cannot be deleted.',
    metadata: { who: { user: 'needed' }, on: 'account', signsOut: 'all', hashesPassword: true },
  },
} satisfies DescribedRoutes)
