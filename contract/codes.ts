import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath, usersPath } from './database-path.js'
import { Email } from './email.js'
import { accountProblems, bodyProblems, failures, ownProblems, withoutBodyProblems } from './failures.js'
import { body, code, codeBody, codeExample, NewPassword } from './fields.js'
import type { DescribedRoutes } from './metadata.js'
import { component, field } from './registry.js'
import { secondFactor, secondStepProblems } from './second-factor.js'
import { SignedInUser } from './users.js'
import { ProofHeaders } from './work.js'

const c = initContract()

/** Body of `POST …/users/password-reset`. */
export const RequestPasswordResetBody = body(
  {
    id: 'RequestPasswordResetBody',
    description: 'The address of the account.',
    example: { email: 'ada@example.com' },
  },
  { email: Email },
)
export type RequestPasswordResetBody = z.infer<typeof RequestPasswordResetBody>

/** Response of operations that may have sent a mail. */
export const Accepted = component(
  {
    id: 'Accepted',
    description: 'Empty. It does not reveal whether a mail is sent.',
    examples: [{}],
  },
  z.object({}),
)

/** Body of `POST …/users/password-reset/confirm`. */
export const ResetPasswordBody = body(
  {
    id: 'ResetPasswordBody',
    description: 'The code in the mail, and the new password.',
    example: { code: codeExample, newPassword: 'four random common words' },
  },
  { code: code(), newPassword: NewPassword, secondFactor: secondFactor() },
)
export type ResetPasswordBody = z.infer<typeof ResetPasswordBody>

/** Body of `POST …/users/email-verification`. */
export const VerifyEmailBody = codeBody('VerifyEmailBody', 'The code in the mail.')
export type VerifyEmailBody = z.infer<typeof VerifyEmailBody>

/** Response of `verifyEmail`. */
export const VerifiedEmail = component(
  {
    id: 'VerifiedEmail',
    description: 'The address that is verified now.',
    examples: [{ email: 'ada@example.com' }],
  },
  z.object({
    email: field('The verified address, as `getMe` returns it.', z.string(), {
      format: 'idn-email',
      examples: ['ada@example.com'],
    }),
  }),
)
export type VerifiedEmail = z.infer<typeof VerifiedEmail>

export const codes = c.router({
  requestPasswordReset: {
    method: 'POST',
    path: `${usersPath}/password-reset`,
    pathParams: DatabasePath,
    headers: ProofHeaders,
    body: RequestPasswordResetBody,
    responses: {
      202: Accepted,
      ...failures('proof_required', 'proof_invalid', ...bodyProblems, ...accountProblems),
    },
    summary: 'Request a mail to choose a new password',
    description:
      'Sends a mail with a code that is valid for one hour, if an account has the address. The response is always the same. An address gets at most one mail a minute and five an hour. The network of the client and the database have limits, too.',
    metadata: { who: 'anyone', on: 'account', links: ['resetPassword'], isRepeatable: true },
  },
  resetPassword: {
    method: 'POST',
    path: `${usersPath}/password-reset/confirm`,
    pathParams: DatabasePath,
    body: ResetPasswordBody,
    responses: {
      200: SignedInUser,
      ...failures('code_invalid', ...secondStepProblems, ...bodyProblems, ...accountProblems),
    },
    summary: 'Choose a new password with a code',
    description:
      'Ends all sessions of the user, revokes all earlier access tokens and clears the failed logins. The address counts as verified. A code can be used once. A newer code replaces it. A user with a second factor must prove it, too: a refused request does not use up the code.',
    metadata: {
      who: 'anyone',
      on: 'account',
      links: ['getMe', 'openSession'],
      hashesPassword: true,
      newPassword: 'newPassword',
      signsIn: 'login',
    },
  },
  requestEmailVerification: {
    method: 'POST',
    path: `${usersPath}/me/email-verification`,
    pathParams: DatabasePath,
    body: c.noBody(),
    responses: {
      202: Accepted,
      ...failures('too_many_mails', ...ownProblems, ...withoutBodyProblems, ...accountProblems),
    },
    summary: 'Request a mail to verify the address',
    description:
      'Sends a mail with a code that is valid for 24 hours, unless the address is verified. An address gets at most one mail a minute and five an hour. The network of the client and the database have limits, too.',
    metadata: { who: { user: 'needed' }, on: 'account', links: ['verifyEmail'] },
  },
  verifyEmail: {
    method: 'POST',
    path: `${usersPath}/email-verification`,
    pathParams: DatabasePath,
    body: VerifyEmailBody,
    responses: {
      200: VerifiedEmail,
      ...failures('code_invalid', ...ownProblems, ...bodyProblems, ...accountProblems),
    },
    summary: 'Verify an address with a code',
    description:
      'Needs no token unless the database requires one, because users may open the mail in another browser. If a token is sent, it must belong to the user of the code. A rejected request does not use up the code.',
    metadata: { who: { user: 'optional' }, on: 'account' },
  },
} satisfies DescribedRoutes)
