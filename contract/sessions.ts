import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath, usersPath } from './database-path.js'
import {
  accountProblems,
  bodyProblems,
  failures,
  ownProblems,
  tokenProblems,
  withoutBodyProblems,
} from './failures.js'
import { body, id, issuedText, name } from './fields.js'
import { idExample, labelExample, SessionList } from './listed-sessions.js'
import type { DescribedRoutes } from './metadata.js'
import { component, field } from './registry.js'
import { SignedInUser, signedInExample } from './users.js'

const c = initContract()

const tokenExample = `${idExample}.0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs`

/** Credential of a session, for `refreshSession` and `endSession` only. */
export const RefreshToken = component(
  { id: 'RefreshToken', description: 'Credential of a session. Never send it to any other server.' },
  z.object({
    value: field(
      'Send it in the body of `refreshSession`, once. Each response has the next one.',
      z.string(),
    ),
    maxAge: field('Seconds until the session ends if it is not refreshed.', z.int().min(0), {
      format: 'int32',
      examples: [1209600],
    }),
    type: field('Always `REFRESH_TOKEN`.', z.literal('REFRESH_TOKEN')),
  }),
)
export type RefreshToken = z.infer<typeof RefreshToken>

/** Response of `openSession` and `refreshSession`: that of a login, with a refresh token. */
export const Session = component(
  {
    id: 'Session',
    description: 'The user, with a new access token and the next refresh token of the session.',
    examples: [
      {
        ...signedInExample,
        refreshToken: { value: tokenExample, maxAge: 1209600, type: 'REFRESH_TOKEN' },
      },
    ],
  },
  SignedInUser.extend({ refreshToken: RefreshToken }),
)
export type Session = z.infer<typeof Session>

/** Body of `openSession`, which may be missing. */
export const OpenSessionBody = body(
  {
    id: 'OpenSessionBody',
    description: 'The session to open.',
    example: { label: labelExample },
  },
  {
    label: field(
      'Name of the session in the list of sessions, such as that of the device. Null means none.',
      name().nullish(),
      { examples: [labelExample] },
    ),
  },
)
export type OpenSessionBody = z.infer<typeof OpenSessionBody>

/** Body of `refreshSession` and `endSession`. */
export const RefreshTokenBody = body(
  {
    id: 'RefreshTokenBody',
    description: 'The refresh token of a session.',
    example: { refreshToken: tokenExample },
  },
  {
    refreshToken: field('`refreshToken.value` of the last response.', issuedText(), {
      examples: [tokenExample],
      maxLength: 16384,
    }),
  },
)
export type RefreshTokenBody = z.infer<typeof RefreshTokenBody>

/** Path parameters that identify a session. */
export const SessionPath = DatabasePath.extend({ sessionId: id('ID of the session.', idExample) })
export type SessionPath = z.infer<typeof SessionPath>

export const sessions = c.router({
  openSession: {
    method: 'POST',
    path: `${usersPath}/me/session`,
    pathParams: DatabasePath,
    body: OpenSessionBody.optional(),
    responses: {
      201: Session,
      ...failures('session_not_opened', ...tokenProblems, ...bodyProblems, ...accountProblems),
    },
    summary: 'Open a session, to stay logged in',
    description:
      'Send the token of a sign-up or login within 120 seconds, before you send it to any other service. Each login can open one session. A user has at most 100 sessions, or fewer if the operator lowers the limit. Opening another one ends the one that has been unused for the longest time. This service rejects the access tokens of ended sessions.',
    metadata: {
      who: { user: 'needed', ofTenant: true },
      on: 'account',
      links: ['getMe', 'refreshSession', 'endSession'],
    },
  },
  refreshSession: {
    method: 'POST',
    path: `${usersPath}/session/refresh`,
    pathParams: DatabasePath,
    body: RefreshTokenBody,
    responses: { 200: Session, ...failures('session_ended', ...bodyProblems, ...accountProblems) },
    summary: 'Refresh a session',
    description:
      'Returns a new access token and the next refresh token. Repeating the request within 30 seconds returns the same refresh token, and later another one, until one of them is used. Then using the repeated one, or another one that it returned, ends the session for everyone who has it.',
    metadata: {
      who: 'anyone',
      on: 'account',
      links: ['getMe', 'refreshSession', 'endSession'],
      isRepeatable: true,
    },
  },
  endSession: {
    method: 'POST',
    path: `${usersPath}/session/end`,
    pathParams: DatabasePath,
    body: RefreshTokenBody,
    responses: { 204: c.noBody(), ...failures(...bodyProblems, ...accountProblems) },
    summary: 'End a session, to log out',
    description: 'Also succeeds if the session has ended or never existed.',
    metadata: { who: 'anyone', on: 'account', isRepeatable: true },
  },
  listSessions: {
    method: 'GET',
    path: `${usersPath}/me/sessions`,
    pathParams: DatabasePath,
    responses: { 200: SessionList, ...failures(...ownProblems, ...accountProblems) },
    summary: 'List the sessions of the current user',
    description: 'Returns the sessions that have not ended.',
    metadata: { who: { user: 'needed' }, on: 'account' },
  },
  endAllSessions: {
    method: 'DELETE',
    path: `${usersPath}/me/sessions`,
    pathParams: DatabasePath,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures(...ownProblems, ...withoutBodyProblems, ...accountProblems) },
    summary: 'End all sessions, to log out everywhere',
    description: 'Also revokes all access tokens of the user, including that of this request.',
    metadata: { who: { user: 'needed' }, on: 'account', signsOut: 'all' },
  },
  endOtherSessions: {
    method: 'DELETE',
    path: `${usersPath}/me/sessions/others`,
    pathParams: DatabasePath,
    body: c.noBody(),
    responses: {
      204: c.noBody(),
      ...failures('session_required', ...ownProblems, ...withoutBodyProblems, ...accountProblems),
    },
    summary: 'End all other sessions of the current user',
    description:
      'Keeps the session of the token, and revokes all access tokens of the user, also those of logins without a session and that of this request. Refresh the session to get a valid token.',
    metadata: { who: { user: 'needed' }, on: 'account', signsOut: 'others' },
  },
  endSessionById: {
    method: 'DELETE',
    path: `${usersPath}/me/sessions/:sessionId`,
    pathParams: SessionPath,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures(...ownProblems, ...bodyProblems, ...accountProblems) },
    summary: 'End one session of the current user, such as that of a lost device',
    description:
      'Also succeeds if the session has ended. Does not affect sessions of other users. If it is the current session, the token of this request is rejected from then on.',
    metadata: { who: { user: 'needed' }, on: 'account', isRepeatable: true, signsOut: 'one' },
  },
} satisfies DescribedRoutes)
