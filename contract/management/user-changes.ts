import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { NewEmail } from '../email.js'
import { failures } from '../failures.js'
import { failsWith, mustBe } from '../field-errors.js'
import { instant, NewPassword, name } from '../fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import {
  body,
  bodyProblems,
  flag,
  IdempotencyHeaders,
  IfMatchHeaders,
  keyProblems,
  managementPath,
  NoQuery,
  next,
  page,
  postProblems,
  strict,
  UserPath,
} from './fields.js'
import { changeableFields, ManagedUser } from './users.js'

const c = initContract()

const userPath = `${managementPath}/users/:userId` as const

/** Body of `changeUser`. */
export const ChangeUserBody = body(
  {
    id: 'ChangeUserBody',
    description: 'The fields to change. Others stay as they are.',
    example: { preferredName: 'Ada', disabled: false },
  },
  {
    preferredName: field('Display name. Null removes it.', name().nullish(), { examples: ['Ada'] }),
    email: NewEmail.optional(),
    emailVerified: flag(
      'Whether the address counts as verified. Another address does not, unless this is true.',
    ),
    disabled: flag('Whether logins and tokens of the user are refused. True ends all sessions.'),
  },
)
export type ChangeUserBody = z.infer<typeof ChangeUserBody>

/** Body of `setUserPassword`. */
export const SetPasswordBody = body(
  {
    id: 'SetPasswordBody',
    description: 'The new password.',
    example: { password: 'correct horse battery' },
  },
  { password: NewPassword },
)
export type SetPasswordBody = z.infer<typeof SetPasswordBody>

/** Query of `listUserSessions`. */
export const ListSessionsQuery = strict(page)
export type ListSessionsQuery = z.infer<typeof ListSessionsQuery>

/** Response of `listUserSessions`. */
export const UserSessionList = component(
  { id: 'UserSessionList', description: 'A page of the sessions of a user that have not ended.' },
  z.object({
    sessions: field(
      'Ordered by id.',
      z.array(
        component(
          { id: 'UserSession', description: 'A session of a user.' },
          z.object({
            id: field('ID of the session.', z.uuid()),
            label: field('What the app calls it, or null.', z.string().nullable()),
            createdAt: instant('Time of the login'),
            refreshedAt: instant('Time of the last refresh'),
            expiresAt: instant('When it ends unless it is refreshed'),
          }),
        ),
      ),
    ),
    next: next(),
  }),
)
export type UserSessionList = z.infer<typeof UserSessionList>

const oneOf = (values: string) => ({
  error: (issue: z.core.$ZodRawIssue) =>
    (issue.input === undefined ? mustBe('a string') : failsWith('invalid_type', `must be ${values}`)).error(
      issue,
    ),
})

/** Body of `createUserCode`. */
export const CreateCodeBody = body(
  {
    id: 'CreateCodeBody',
    description: 'What the code is for, and who gets it.',
    example: { purpose: 'password_reset', deliver: 'mail' },
  },
  {
    purpose: field(
      'To choose a new password, or to verify the address.',
      z.enum(['password_reset', 'email_verification'], oneOf('`password_reset` or `email_verification`')),
    ),
    deliver: field(
      '`mail` sends it to the user. `return` returns it, for an app that sends its own mails.',
      z.enum(['mail', 'return'], oneOf('`mail` or `return`')),
    ),
  },
)
export type CreateCodeBody = z.infer<typeof CreateCodeBody>

/** Response of `createUserCode`. */
export const UserCode = component(
  { id: 'UserCode', description: 'A code that replaces earlier ones of its purpose.' },
  z.object({
    code: field('The code, or null if a mail has it.', z.string().nullable()),
    expiresAt: instant('When it expires'),
  }),
)
export type UserCode = z.infer<typeof UserCode>

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
      ...failures('user_not_found', 'email_taken', 'precondition_failed', ...bodyProblems),
    },
    summary: 'Change a user',
    description:
      'Changes the given fields. With `If-Match`, only if the user still has the ETag of an earlier response. Also needs `credentials:write` for `email` and `emailVerified`.',
    metadata: { scope: 'users:write', changeable: changeableFields },
  },
  setUserPassword: {
    method: 'PUT',
    path: `${userPath}/password`,
    ...onUser,
    body: SetPasswordBody,
    responses: { ...done, ...failures('user_not_found', ...bodyProblems) },
    summary: 'Set the password of a user',
    description:
      'Ends all sessions, and revokes tokens and codes to choose a password. Also needs `credentials:write`.',
    metadata: { scope: 'users:write', hashesPassword: true, newPassword: 'password' },
  },
  removeUser: {
    method: 'DELETE',
    path: userPath,
    ...onUser,
    body: c.noBody(),
    responses: { ...done, ...failures(...bodyProblems) },
    summary: 'Delete a user',
    description:
      'Deletes the user and what belongs to the user. The tenants stay. Succeeds also if there is no such user.',
    metadata: { scope: 'users:write', isRepeatable: true },
  },
  listUserSessions: {
    method: 'GET',
    path: `${userPath}/sessions`,
    pathParams: UserPath,
    query: ListSessionsQuery,
    responses: { 200: UserSessionList, ...failures('user_not_found', ...keyProblems) },
    summary: 'List the sessions of a user',
    description: 'Returns the sessions that have not ended, ordered by id.',
    metadata: { scope: 'users:read' },
  },
  endUserSessions: {
    method: 'DELETE',
    path: `${userPath}/sessions`,
    ...onUser,
    body: c.noBody(),
    responses: { ...done, ...failures('user_not_found', ...bodyProblems) },
    summary: 'End all sessions of a user',
    description: 'Also revokes all access tokens of the user.',
    metadata: { scope: 'sessions:write', isRepeatable: true },
  },
  createUserCode: {
    method: 'POST',
    path: `${userPath}/codes`,
    ...onUser,
    headers: IdempotencyHeaders,
    body: CreateCodeBody,
    responses: { 201: UserCode, ...failures('user_not_found', 'refused', ...postProblems) },
    summary: 'Create a code for a user',
    description:
      'Creates a code to choose a new password or to verify the address. Also needs `credentials:write` to return it.',
    metadata: { scope: 'users:write' },
  },
  unlockUser: {
    method: 'DELETE',
    path: `${userPath}/failed-logins`,
    ...onUser,
    body: c.noBody(),
    responses: { ...done, ...failures('user_not_found', ...bodyProblems) },
    summary: 'Clear the failed logins of a user',
    description: 'A throttled user can log in immediately.',
    metadata: { scope: 'users:write', isRepeatable: true },
  },
} satisfies DescribedRoutes)
