import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { Accepted } from './codes.js'
import { DatabasePath, usersPath } from './database-path.js'
import { NewEmail } from './email.js'
import { accountProblems, bodyProblems, failures } from './failures.js'
import { body, codeBody } from './fields.js'
import { confirmedProblems, currentPassword } from './me.js'
import type { DescribedRoutes } from './metadata.js'
import { component, field } from './registry.js'
import { confirmation } from './second-factor.js'

const c = initContract()

const example = 'ada@engines.example'

/** Body of `POST …/users/me/email`. */
export const RequestEmailChangeBody = body(
  {
    id: 'RequestEmailChangeBody',
    description: 'The new address, and the current password.',
    example: { email: example, password: 'correct horse battery' },
  },
  { email: NewEmail, password: currentPassword(), confirmation: confirmation() },
)
export type RequestEmailChangeBody = z.infer<typeof RequestEmailChangeBody>

/** Body of `POST …/users/email-change/confirm`. */
export const ChangeEmailBody = codeBody('ChangeEmailBody', 'The code in the mail to the new address.')
export type ChangeEmailBody = z.infer<typeof ChangeEmailBody>

/** Body of `POST …/users/email-change/undo`. */
export const UndoEmailChangeBody = codeBody(
  'UndoEmailChangeBody',
  'The code in the mail to the former address.',
)
export type UndoEmailChangeBody = z.infer<typeof UndoEmailChangeBody>

/** Response of `changeEmail` and `undoEmailChange`. */
export const ChangedEmail = component(
  {
    id: 'ChangedEmail',
    description: 'The address of the user from now on, which is verified.',
    examples: [{ email: example }],
  },
  z.object({
    email: field('The address, as `getMe` returns it.', z.string(), {
      format: 'idn-email',
      examples: [example],
    }),
  }),
)
export type ChangedEmail = z.infer<typeof ChangedEmail>

export const emailChange = c.router({
  requestEmailChange: {
    method: 'POST',
    path: `${usersPath}/me/email`,
    pathParams: DatabasePath,
    body: RequestEmailChangeBody,
    responses: { 202: Accepted, ...failures('too_many_mails', ...confirmedProblems) },
    summary: 'Request to change the address of the current user',
    description:
      'Sends a mail with a code to the new address. The code is valid for one hour. Also notifies the current address. If the new address is taken, the response is the same, and the mail has no code. A user can request five changes an hour. The limits of mails also apply.',
    metadata: { who: { user: 'needed' }, on: 'account', links: ['changeEmail'], hashesPassword: true },
  },
  changeEmail: {
    method: 'POST',
    path: `${usersPath}/email-change/confirm`,
    pathParams: DatabasePath,
    body: ChangeEmailBody,
    responses: {
      200: ChangedEmail,
      ...failures('code_invalid', 'email_taken', ...bodyProblems, ...accountProblems),
    },
    summary: 'Change the address with a code',
    description:
      'Needs no token, because users may open the mail in another browser. Ends all sessions of the user, and revokes all access tokens and codes. The former address gets a mail. If it was verified, the mail has a code to undo the change, and the address stays taken for 7 days.',
    metadata: { who: 'anyone', on: 'account', links: ['undoEmailChange'] },
  },
  undoEmailChange: {
    method: 'POST',
    path: `${usersPath}/email-change/undo`,
    pathParams: DatabasePath,
    body: UndoEmailChangeBody,
    responses: { 200: ChangedEmail, ...failures('code_invalid', ...bodyProblems, ...accountProblems) },
    summary: 'Undo a change of the address with a code',
    description:
      'Restores the address to which the code was sent. Ends all sessions of the user, revokes all access tokens and codes, and removes the password, all factors and all identities. Sends a mail to choose a new password. Also undoes the changes that followed. The code is valid for 7 days.',
    metadata: { who: 'anyone', on: 'account', links: ['resetPassword'] },
  },
} satisfies DescribedRoutes)
