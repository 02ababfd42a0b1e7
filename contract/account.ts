import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath } from './database-path.js'
import { Email } from './email.js'
import { failsWith, mustBe } from './field-errors.js'
import { NewPassword, name, notBlank, Password, password } from './fields.js'
import type { DescribedRoutes } from './metadata.js'
import { bodyProblems, databaseProblems, failures, tokenProblems } from './problems.js'
import { registry } from './registry.js'
import { SignedInUser, User, users } from './users.js'

const c = initContract()

/** Credential of a session, for `refreshSession` and `endSession` only. */
export const RefreshToken = z
  .object({
    value: z.string().register(registry, {
      description: 'Send it in the body of `refreshSession`, once: each response has the next one.',
    }),
    maxAge: z
      .int()
      .min(0)
      .register(registry, {
        description: 'Seconds until the session ends if it is not refreshed.',
        format: 'int32',
        examples: [1209600],
      }),
    type: z.literal('REFRESH_TOKEN').register(registry, { description: 'Always `REFRESH_TOKEN`.' }),
  })
  .register(registry, {
    id: 'RefreshToken',
    description: 'Credential of a session. Never send it to any other server.',
  })
export type RefreshToken = z.infer<typeof RefreshToken>

const signedIn = registry.get(SignedInUser)?.examples?.[0] as SignedInUser
const refreshToken = '01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs'

/** Response of `openSession` and `refreshSession`: that of a login, with a refresh token. */
export const Session = SignedInUser.extend({ refreshToken: RefreshToken }).register(registry, {
  id: 'Session',
  description: 'The user, with a new access token and the next refresh token of the session.',
  examples: [{ ...signedIn, refreshToken: { value: refreshToken, maxAge: 1209600, type: 'REFRESH_TOKEN' } }],
})
export type Session = z.infer<typeof Session>

const labelExample = 'Ada’s phone'

/** Body of `openSession`, which may be missing. */
export const OpenSessionBody = z
  .object(
    {
      label: name()
        .nullish()
        .register(registry, {
          description:
            'What the app calls the session in the list of sessions, such as the name of the device. Null means none.',
          examples: [labelExample],
        }),
    },
    mustBe('an object'),
  )
  .register(registry, {
    id: 'OpenSessionBody',
    description: 'What is known about the session to open.',
    examples: [{ label: labelExample }],
  })
export type OpenSessionBody = z.infer<typeof OpenSessionBody>

/** Body of `refreshSession` and `endSession`. */
export const RefreshTokenBody = z
  .object(
    {
      refreshToken: z
        .string(mustBe('a string'))
        .min(1, notBlank)
        .register(registry, {
          description: '`refreshToken.value` of the last response.',
          examples: [refreshToken],
          maxLength: 16384,
        }),
    },
    mustBe('an object'),
  )
  .register(registry, {
    id: 'RefreshTokenBody',
    description: 'The refresh token of a session.',
    examples: [{ refreshToken }],
  })
export type RefreshTokenBody = z.infer<typeof RefreshTokenBody>

const time = (description: string) => z.iso.datetime().register(registry, { description })

/** Response of `listSessions`. */
export const SessionList = z
  .object({
    sessions: z
      .array(
        z
          .object({
            id: z
              .uuid()
              .register(registry, { description: 'ID of the session: the `sid` claim of its tokens.' }),
            createdAt: time('Time of the login (RFC 3339, UTC).'),
            refreshedAt: time('Time of the last refresh (RFC 3339, UTC).'),
            label: z
              .string()
              .nullable()
              .register(registry, {
                description: 'The label given to `openSession`. Null if there was none.',
                examples: [labelExample],
              }),
            current: z.boolean().register(registry, {
              description: 'Whether the token of this request belongs to it, or is that of its login.',
            }),
          })
          .register(registry, { id: 'SessionInfo', description: 'A session that has not ended.' }),
      )
      .register(registry, {
        description: 'At most 100: the current one first, then the most recently refreshed.',
      }),
  })
  .register(registry, {
    id: 'SessionList',
    description: 'The sessions of the user that have not ended.',
    examples: [
      {
        sessions: [
          {
            id: refreshToken.slice(0, 36),
            createdAt: '2026-03-01T12:00:00.000Z',
            refreshedAt: '2026-03-01T13:00:00.000Z',
            label: labelExample,
            current: true,
          },
        ],
      },
    ],
  })
export type SessionList = z.infer<typeof SessionList>

/** Path parameters that identify a session. */
export const SessionPath = DatabasePath.extend({
  sessionId: z.uuid(failsWith('invalid_type', 'must be a UUID')).register(registry, {
    description: 'ID of the session.',
    examples: [refreshToken.slice(0, 36)],
    maxLength: 36,
  }),
})
export type SessionPath = z.infer<typeof SessionPath>

/** Body of `PATCH …/users/me`. */
export const UpdateMeBody = z
  .object(
    {
      preferredName: name()
        .nullish()
        .register(registry, {
          description: 'Display name. Null removes it; it stays as it is if this field is absent.',
          examples: ['Ada'],
        }),
    },
    mustBe('an object'),
  )
  .register(registry, {
    id: 'UpdateMeBody',
    description: 'The fields to change.',
    examples: [{ preferredName: 'Ada' }],
  })
export type UpdateMeBody = z.infer<typeof UpdateMeBody>

const currentPassword = () =>
  Password.clone().register(registry, { ...password, description: 'The present password.', maxLength: 16384 })

/** Body of `PUT …/users/me/password`. */
export const ChangePasswordBody = z
  .object({ password: currentPassword(), newPassword: NewPassword }, mustBe('an object'))
  .register(registry, {
    id: 'ChangePasswordBody',
    description: 'The present password and the new one.',
    examples: [{ password: 'correct horse battery', newPassword: 'four random common words' }],
  })
export type ChangePasswordBody = z.infer<typeof ChangePasswordBody>

/** Body of `POST …/users/me/deletion`. */
export const DeleteMeBody = z
  .object({ password: currentPassword() }, mustBe('an object'))
  .register(registry, {
    id: 'DeleteMeBody',
    description: 'The password, as confirmation.',
    examples: [{ password: 'correct horse battery' }],
  })
export type DeleteMeBody = z.infer<typeof DeleteMeBody>

/** Body of `POST …/users/password-reset`. */
export const RequestPasswordResetBody = z.object({ email: Email }, mustBe('an object')).register(registry, {
  id: 'RequestPasswordResetBody',
  description: 'The address of the account.',
  examples: [{ email: 'ada@example.com' }],
})
export type RequestPasswordResetBody = z.infer<typeof RequestPasswordResetBody>

/** Response of operations that may have sent a mail. */
const Accepted = z.object({}).register(registry, {
  id: 'Accepted',
  description: 'Empty. It says nothing about whether a mail is sent.',
  examples: [{}],
})

const exampleCode = '01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs'

const code = () =>
  z
    .string(mustBe('a string'))
    .min(1, notBlank)
    .register(registry, {
      description: 'The code in the mail: what follows `#code=` in its link.',
      examples: [exampleCode],
      maxLength: 16384,
    })

/** Body of `POST …/users/password-reset/confirm`. */
export const ResetPasswordBody = z
  .object({ code: code(), newPassword: NewPassword }, mustBe('an object'))
  .register(registry, {
    id: 'ResetPasswordBody',
    description: 'The code in the mail, and the new password.',
    examples: [{ code: exampleCode, newPassword: 'four random common words' }],
  })
export type ResetPasswordBody = z.infer<typeof ResetPasswordBody>

/** Body of `POST …/users/email-verification`. */
export const VerifyEmailBody = z.object({ code: code() }, mustBe('an object')).register(registry, {
  id: 'VerifyEmailBody',
  description: 'The code in the mail.',
  examples: [{ code: exampleCode }],
})
export type VerifyEmailBody = z.infer<typeof VerifyEmailBody>

/** Response of `verifyEmail`. */
export const VerifiedEmail = z
  .object({
    email: z.string().register(registry, {
      description: 'The verified address, as `getMe` returns it.',
      format: 'idn-email',
      examples: ['ada@example.com'],
    }),
  })
  .register(registry, {
    id: 'VerifiedEmail',
    description: 'The address that is verified now.',
    examples: [{ email: 'ada@example.com' }],
  })
export type VerifiedEmail = z.infer<typeof VerifiedEmail>

const { path } = users.createUser
/** `route_not_found`: the database has no account operations. */
const inDatabase = ['route_not_found', ...databaseProblems] as const

/** A body that an operation does not need can still be wrong. */
const withoutBody = ['malformed_json', 'payload_too_large', 'unsupported_media_type', ...inDatabase] as const

export const account = c.router({
  openSession: {
    method: 'POST',
    path: `${path}/me/session`,
    pathParams: DatabasePath,
    body: OpenSessionBody.optional(),
    responses: {
      201: Session,
      ...failures('session_not_opened', ...tokenProblems, ...bodyProblems, ...inDatabase),
    },
    summary: 'Open a session, to stay logged in',
    description:
      'Send the token of a sign-up or login within 120 seconds, before anyone else gets it. A login opens one session. Its access tokens are refused by this service once the session has ended.',
    metadata: { security: 'bearer', links: ['getMe', 'refreshSession', 'endSession'] },
  },
  refreshSession: {
    method: 'POST',
    path: `${path}/session/refresh`,
    pathParams: DatabasePath,
    body: RefreshTokenBody,
    responses: { 200: Session, ...failures('session_ended', ...bodyProblems, ...inDatabase) },
    summary: 'Refresh a session',
    description:
      'Returns a new access token and the next refresh token. Repeating the request within 30 seconds returns the same refresh token. Using a refresh token again later ends the session for everyone who has it.',
    metadata: { links: ['getMe', 'refreshSession', 'endSession'], isRepeatable: true },
  },
  endSession: {
    method: 'POST',
    path: `${path}/session/end`,
    pathParams: DatabasePath,
    body: RefreshTokenBody,
    responses: { 204: c.noBody(), ...failures(...bodyProblems, ...inDatabase) },
    summary: 'End a session, to log out',
    description: 'Succeeds also if the session has ended or never existed.',
    metadata: { isRepeatable: true },
  },
  listSessions: {
    method: 'GET',
    path: `${path}/me/sessions`,
    pathParams: DatabasePath,
    responses: { 200: SessionList, ...failures(...tokenProblems, ...inDatabase) },
    summary: 'List the sessions of the current user',
    description: 'Returns the sessions that have not ended.',
    metadata: { security: 'bearer' },
  },
  endAllSessions: {
    method: 'DELETE',
    path: `${path}/me/sessions`,
    pathParams: DatabasePath,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures(...tokenProblems, ...withoutBody) },
    summary: 'End all sessions, to log out everywhere',
    description: 'Also refuses all access tokens that the user has, including that of this request.',
    metadata: { security: 'bearer', signsOut: true },
  },
  endSessionById: {
    method: 'DELETE',
    path: `${path}/me/sessions/:sessionId`,
    pathParams: SessionPath,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures(...tokenProblems, ...bodyProblems, ...inDatabase) },
    summary: 'End one session of the current user, such as that of a lost device',
    description:
      'Succeeds also if the session has ended. Does nothing to a session of another user. The current session may end too, which refuses the token of this request.',
    metadata: { security: 'bearer', isRepeatable: true },
  },
  updateMe: {
    method: 'PATCH',
    path: `${path}/me`,
    pathParams: DatabasePath,
    body: UpdateMeBody,
    responses: { 200: User, ...failures(...tokenProblems, ...bodyProblems, ...inDatabase) },
    summary: 'Change the current user',
    description: 'Changes the fields that the body has, and returns the user.',
    metadata: { security: 'bearer', isRepeatable: true },
  },
  changePassword: {
    method: 'PUT',
    path: `${path}/me/password`,
    pathParams: DatabasePath,
    body: ChangePasswordBody,
    responses: {
      200: SignedInUser,
      ...failures(
        'invalid_credentials',
        ...tokenProblems,
        'too_many_attempts',
        ...bodyProblems,
        ...inDatabase,
      ),
    },
    summary: 'Change the password of the current user',
    description:
      'Ends every session, also that of the request, and refuses all earlier access tokens. Use the returned one, which belongs to no session: it can open a new one.',
    metadata: { security: 'bearer', links: ['getMe'], hashesPassword: true, newPassword: 'newPassword' },
  },
  deleteMe: {
    method: 'POST',
    path: `${path}/me/deletion`,
    pathParams: DatabasePath,
    body: DeleteMeBody,
    responses: {
      204: c.noBody(),
      ...failures(
        'invalid_credentials',
        ...tokenProblems,
        'too_many_attempts',
        ...bodyProblems,
        ...inDatabase,
      ),
    },
    summary: 'Delete the current user',
    description: 'Also deletes those of the user’s tenants that have no other user. This cannot be undone.',
    metadata: { security: 'bearer', signsOut: true, hashesPassword: true },
  },
  requestPasswordReset: {
    method: 'POST',
    path: `${path}/password-reset`,
    pathParams: DatabasePath,
    body: RequestPasswordResetBody,
    responses: { 202: Accepted, ...failures(...bodyProblems, ...inDatabase) },
    summary: 'Request a mail to choose a new password',
    description:
      'Sends a mail with a code that is valid for one hour, if an account has the address. The response is the same in any case. An address gets at most one mail a minute and five an hour; its client network and its database have limits too.',
    metadata: { links: ['resetPassword'] },
  },
  resetPassword: {
    method: 'POST',
    path: `${path}/password-reset/confirm`,
    pathParams: DatabasePath,
    body: ResetPasswordBody,
    responses: { 200: SignedInUser, ...failures('code_invalid', ...bodyProblems, ...inDatabase) },
    summary: 'Choose a new password with a code',
    description:
      'Ends all sessions of the user, refuses all earlier access tokens and clears the failed logins. The address counts as verified. A code can be used once, and a newer one replaces it.',
    metadata: { links: ['getMe', 'openSession'], hashesPassword: true, newPassword: 'newPassword' },
  },
  requestEmailVerification: {
    method: 'POST',
    path: `${path}/me/email-verification`,
    pathParams: DatabasePath,
    body: c.noBody(),
    responses: { 202: Accepted, ...failures(...tokenProblems, ...withoutBody) },
    summary: 'Request a mail to verify the address',
    description:
      'Sends a mail with a code that is valid for 24 hours, unless the address is verified. An address gets at most one mail a minute and five an hour; its client network and its database have limits too. The response is the same in any case.',
    metadata: { security: 'bearer', links: ['verifyEmail'] },
  },
  verifyEmail: {
    method: 'POST',
    path: `${path}/email-verification`,
    pathParams: DatabasePath,
    body: VerifyEmailBody,
    responses: {
      200: VerifiedEmail,
      ...failures('code_invalid', ...tokenProblems, ...bodyProblems, ...inDatabase),
    },
    summary: 'Verify an address with a code',
    description:
      'Needs no token, because the mail may be opened in another browser than the one that signed up, unless the database demands one. A token that is sent must be of the user of the code. A refused request does not use the code up.',
    metadata: { security: 'optional bearer' },
  },
} satisfies DescribedRoutes)
