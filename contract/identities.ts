import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath, usersPath } from './database-path.js'
import { accountProblems, failures, ownProblems } from './failures.js'
import { body, code, codeExample, id, instant } from './fields.js'
import { verifier, verifierExample } from './logins.js'
import { confirmedProblems, currentPassword } from './me.js'
import type { DescribedRoutes } from './metadata.js'
import { component, field } from './registry.js'
import { confirmation } from './second-factor.js'
import { SignedInUser } from './users.js'

const c = initContract()

const identityExample = '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a04'

/** An account at a provider with which a user logs in. */
export const Identity = component(
  {
    id: 'Identity',
    description: 'An account at a provider with which the user logs in.',
    examples: [
      {
        id: identityExample,
        connection: 'google',
        email: 'ada@example.com',
        linkedAt: '2026-03-01T12:00:00.000Z',
      },
    ],
  },
  z.object({
    id: field('ID of the identity.', z.uuid()),
    connection: field('Name of the connection.', z.string(), { examples: ['google'] }),
    email: field(
      'Address of the account at the provider when it was linked, or null. It can differ from that of the user.',
      z.string().nullable(),
      { examples: ['ada@example.com'] },
    ),
    linkedAt: instant('When it was linked'),
  }),
)
export type Identity = z.infer<typeof Identity>

/** Response of `listIdentities`. */
export const IdentityList = component(
  {
    id: 'IdentityList',
    description: 'The identities of the user.',
    examples: [
      {
        identities: [
          {
            id: identityExample,
            connection: 'google',
            email: 'ada@example.com',
            linkedAt: '2026-03-01T12:00:00.000Z',
          },
        ],
      },
    ],
  },
  z.object({ identities: field('At most one of each connection, the oldest first.', z.array(Identity)) }),
)
export type IdentityList = z.infer<typeof IdentityList>

/** Body of `linkIdentity`. */
export const LinkIdentityBody = body(
  {
    id: 'LinkIdentityBody',
    description: 'A login at a provider that has returned, and the password as confirmation.',
    example: { code: codeExample, verifier: verifierExample, password: 'correct horse battery' },
  },
  {
    code: code('The code in the URL to which the provider has led: what follows `#code=`.'),
    verifier: verifier(),
    password: currentPassword(),
    confirmation: confirmation(),
  },
)
export type LinkIdentityBody = z.infer<typeof LinkIdentityBody>

/** Body of `unlinkIdentity`. */
export const UnlinkIdentityBody = body(
  {
    id: 'UnlinkIdentityBody',
    description: 'The password, as confirmation.',
    example: { password: 'correct horse battery' },
  },
  { password: currentPassword(), confirmation: confirmation() },
)
export type UnlinkIdentityBody = z.infer<typeof UnlinkIdentityBody>

/** The path of an identity of the current user. */
export const IdentityPath = DatabasePath.extend({ identityId: id('ID of the identity.', identityExample) })
export type IdentityPath = z.infer<typeof IdentityPath>

export const identities = c.router({
  listIdentities: {
    method: 'GET',
    path: `${usersPath}/me/identities`,
    pathParams: DatabasePath,
    responses: { 200: IdentityList, ...failures(...ownProblems, ...accountProblems) },
    summary: 'List the identities of the current user',
    description: 'Returns the accounts at providers with which the user logs in.',
    metadata: { who: { user: 'needed' }, on: 'account' },
  },
  linkIdentity: {
    method: 'POST',
    path: `${usersPath}/me/identities`,
    pathParams: DatabasePath,
    body: LinkIdentityBody,
    responses: {
      201: Identity,
      ...failures('code_invalid', 'identity_taken', 'already_linked', ...confirmedProblems),
    },
    summary: 'Link an identity to the current user',
    description:
      'Start as for a login, with `startLogin`, and use the code here instead of `finishLogin`. The user logs in with the identity from then on. Its address can differ from that of the user, which does not change.',
    metadata: { who: { user: 'needed' }, on: 'account', hashesPassword: true },
  },
  unlinkIdentity: {
    method: 'POST',
    path: `${usersPath}/me/identities/:identityId/removal`,
    pathParams: IdentityPath,
    body: UnlinkIdentityBody,
    responses: {
      200: SignedInUser,
      ...failures('identity_not_found', 'last_login_method', ...confirmedProblems),
    },
    summary: 'Remove an identity of the current user',
    description:
      'Ends all sessions of the user, including that of this request, and revokes all earlier access tokens. The returned token belongs to no session, and can open a new one. The user must keep a way to log in: a password, another identity, or a login by mail.',
    metadata: {
      who: { user: 'needed' },
      on: 'account',
      links: ['getMe', 'openSession'],
      hashesPassword: true,
      signsIn: 'renewal',
    },
  },
} satisfies DescribedRoutes)
