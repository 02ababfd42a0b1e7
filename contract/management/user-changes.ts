import { initContract } from '@ts-rest/core'
import { NewEmail } from '../email.js'
import { failures } from '../failures.js'
import { NewPassword } from '../fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { givenProfile } from '../profile.js'
import {
  body,
  flag,
  IfMatchHeaders,
  NoQuery,
  productFields,
  UserPath,
  userPath,
  writeProblems,
} from './fields.js'
import { changeableFields, ManagedUser } from './users.js'

const c = initContract()

/** Body of `changeUser`. */
export const ChangeUserBody = body(
  {
    id: 'ChangeUserBody',
    description: 'The fields to change. An absent field does not change.',
    example: { preferredName: 'Ada', disabled: false },
  },
  {
    ...givenProfile('Null removes it.'),
    email: NewEmail.optional(),
    emailUndo: flag(
      'Whether the user can undo the change of the address for 7 days, with a mail to the former address. False also ends the undo of earlier changes. Default: true.',
    ),
    emailVerified: flag(
      'Whether the address counts as verified. A new address is unverified unless this is true.',
    ),
    disabled: flag('Whether logins and tokens of the user are refused. True ends all sessions.'),
    ...productFields(),
  },
)

/** Body of `setUserPassword`. */
export const SetPasswordBody = body(
  {
    id: 'SetPasswordBody',
    description: 'The new password.',
    example: { password: 'correct horse battery' },
  },
  { password: NewPassword },
)

const onUser = { pathParams: UserPath, query: NoQuery } as const
const done = { 204: c.noBody() } as const

export const userChanges = c.router({
  changeUser: {
    method: 'PATCH',
    path: userPath,
    ...onUser,
    headers: IfMatchHeaders,
    body: ChangeUserBody,
    responses: {
      200: ManagedUser,
      ...failures(
        'user_not_found',
        'email_taken',
        'external_id_taken',
        'precondition_failed',
        ...writeProblems,
      ),
    },
    summary: 'Change a user',
    description:
      'Changes the given fields. With `If-Match`, only if the user has not changed since it was read. Also needs `credentials:write` for `email`, `emailVerified` and `emailUndo`.',
    metadata: {
      who: { key: 'users:write', operator: 'admin', in: 'workspace' },
      records: {
        words: 'changed the user',
        when: {
          'disabled: true': 'disabled the user',
          'disabled: false': 'enabled the user',
          'emailVerified: true': 'marked the address as verified',
        },
      },
      fields: [
        { name: 'email', scope: 'credentials:write', operator: 'confirms' },
        { name: 'emailVerified', scope: 'credentials:write', operator: 'confirms' },
        { name: 'emailUndo', scope: 'credentials:write' },
        // Without an undo, the owner of a former address cannot take an account back.
        { name: 'emailUndo', is: false, operator: 'confirms' },
      ],
      changeable: changeableFields,
      isRepeatable: true,
    },
  },
  setUserPassword: {
    method: 'PUT',
    path: `${userPath}/password`,
    ...onUser,
    body: SetPasswordBody,
    responses: { ...done, ...failures('user_not_found', ...writeProblems) },
    summary: 'Set the password of a user',
    description:
      'Ends all sessions, and revokes tokens and codes to choose a password. Also needs `credentials:write`.',
    metadata: {
      who: { key: 'users:write' },
      fields: [{ name: 'password', scope: 'credentials:write' }],
      isRepeatable: true,
      hashesPassword: true,
      newPassword: 'password',
    },
  },
  removeUser: {
    method: 'DELETE',
    path: userPath,
    ...onUser,
    body: c.noBody(),
    responses: { ...done, ...failures(...writeProblems) },
    summary: 'Delete a user',
    description: 'Deletes the user permanently. The tenants remain. Also succeeds if there is no such user.',
    metadata: {
      who: { key: 'users:write', operator: 'admin', in: 'workspace' },
      confirms: 'always',
      records: { words: 'deleted the user' },
      isRepeatable: true,
    },
  },
  unlockUser: {
    method: 'DELETE',
    path: `${userPath}/failed-logins`,
    ...onUser,
    body: c.noBody(),
    responses: { ...done, ...failures('user_not_found', ...writeProblems) },
    summary: 'Clear the failed logins of a user',
    description: 'A throttled user can log in immediately.',
    metadata: {
      who: { key: 'users:write', operator: 'support', in: 'workspace' },
      records: { words: 'unlocked the user' },
      isRepeatable: true,
    },
  },
} satisfies DescribedRoutes)
