import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath, usersPath } from './database-path.js'
import { Email } from './email.js'
import { bodyProblems, databaseProblems, failures, tokenProblems } from './failures.js'
import { body, instant, metadata, Password, password, shownTenant } from './fields.js'
import type { DescribedRoutes } from './metadata.js'
import { exampleProfile, shownProfile } from './profile.js'
import { component, field } from './registry.js'
import { CreateUserBody, IdempotencyHeaders } from './sign-up.js'

const c = initContract()

/** Body of `POST …/users/login` (docs/specification.md, section 2). */
export const LoginBody = body(
  {
    id: 'LoginBody',
    description: 'The email and the password given at sign-up.',
    example: { email: 'ada@example.com', password: 'correct horse battery' },
  },
  {
    email: Email,
    password: field('Compared after Unicode NFKC normalization.', Password.clone(), {
      ...password,
      maxLength: 16384,
    }),
  },
)
export type LoginBody = z.infer<typeof LoginBody>

/** Access token for later requests of a user (docs/specification.md, sections 2 and 5). */
export const AccessToken = component(
  { id: 'AccessToken', description: 'Access token for later requests of the user.' },
  z.object({
    jwt: field('JWT (RFC 9068) to send as `Authorization: Bearer …`.', z.string()),
    maxAge: field(
      'Lifetime of the token in seconds. It ends before its session.',
      z.int().min(0).max(86400),
      {
        format: 'int32',
        examples: [3600],
      },
    ),
    type: field('Always `ACCESS_TOKEN`.', z.literal('ACCESS_TOKEN')),
  }),
)
export type AccessToken = z.infer<typeof AccessToken>

const userId = () => field('ID of the user.', z.uuid())
const tenants = () =>
  field('IDs of the user’s tenants, in the order in which the user joined them.', z.array(z.uuid()))

const ada = {
  id: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01',
  tenants: ['01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a02'],
}

/** The example of a user with a new token. */
export const signedInExample = {
  ...ada,
  token: {
    jwt: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjEifQ.e30.c2ln',
    maxAge: 3600,
    type: 'ACCESS_TOKEN',
  },
}

/** Response of create and login: the user and a new token (docs/specification.md, section 2). */
export const SignedInUser = component(
  {
    id: 'SignedInUser',
    description: 'The user who signed up or logged in, with a new access token.',
    examples: [signedInExample],
  },
  z.object({ id: userId(), tenants: tenants(), token: AccessToken }),
)
export type SignedInUser = z.infer<typeof SignedInUser>

const Membership = component(
  { id: 'Membership', description: 'A user’s membership of a tenant.' },
  z.object({
    ...shownTenant,
    role: field('Role in the tenant: `owner`, `admin`, `member` or a role of the database.', z.string(), {
      examples: ['owner'],
    }),
    joinedAt: instant('When the user joined the tenant'),
    metadata: metadata('What the product keeps about the tenant and shows to its members, or null.'),
  }),
)

/** Response of `GET …/users/me`: the user as currently stored. */
export const User = component(
  {
    id: 'User',
    description: 'The user as currently stored.',
    examples: [
      {
        ...ada,
        email: 'ada@example.com',
        ...exampleProfile,
        emailVerified: true,
        memberships: [
          {
            id: ada.tenants[0],
            name: 'Analytical Engines',
            role: 'owner',
            joinedAt: '2026-03-01T12:00:00.000Z',
            metadata: null,
          },
        ],
        metadata: { plan: 'pro' },
        createdAt: '2026-03-01T12:00:00.000Z',
      },
    ],
  },
  z.object({
    id: userId(),
    email: field('Email address of the sign-up, in Unicode NFC.', z.string(), {
      examples: ['ada@example.com'],
    }),
    ...shownProfile({ preferredName: ' if none was given' }),
    emailVerified: field('Whether the user has proven to receive mail at the address.', z.boolean()),
    tenants: tenants(),
    memberships: field('The user’s tenants, in the order of `tenants`.', z.array(Membership)),
    metadata: metadata('What the product keeps about the user and shows to the user, or null.'),
    createdAt: instant('Time of sign-up'),
  }),
)
export type User = z.infer<typeof User>

const withBody = [...bodyProblems, ...databaseProblems] as const

export const users = c.router({
  createUser: {
    method: 'POST',
    path: usersPath,
    pathParams: DatabasePath,
    headers: IdempotencyHeaders,
    body: CreateUserBody,
    responses: {
      201: SignedInUser,
      ...failures(
        'sign_up_closed',
        'sign_up_refused',
        'code_invalid',
        'email_taken',
        'invitation_for_other_address',
        'seats_full',
        'idempotency_key_reused',
        'too_many_attempts',
        'too_many_sign_ups',
        'second_factor_required',
        'enrolment_required',
        ...withBody,
      ),
    },
    summary: 'Create a user',
    description:
      'Signs up a user in the database. With `newTenant`, also creates a tenant for the user: both are created or neither is. With `invitationCode`, the user also joins a tenant, even if sign-up is closed. Requires no authentication.',
    metadata: {
      who: 'anyone',
      links: ['getMe', 'openSession'],
      hashesPassword: true,
      newPassword: 'password',
      signsIn: 'login',
    },
  },
  login: {
    method: 'POST',
    path: `${usersPath}/login`,
    pathParams: DatabasePath,
    body: LoginBody,
    responses: {
      200: SignedInUser,
      ...failures(
        'invalid_credentials',
        'second_factor_required',
        'enrolment_required',
        'too_many_attempts',
        ...withBody,
      ),
    },
    summary: 'Log in a user',
    description:
      'Returns the user with all tenants and a new access token. The response is the same for an unknown email, a wrong password and a disabled user.',
    metadata: {
      who: 'anyone',
      links: ['getMe', 'openSession'],
      isRepeatable: true,
      hashesPassword: true,
      signsIn: 'login',
    },
  },
  getMe: {
    method: 'GET',
    path: `${usersPath}/me`,
    pathParams: DatabasePath,
    responses: { 200: User, ...failures(...tokenProblems, ...databaseProblems) },
    summary: 'Get the current user',
    description:
      'Returns the user of the access token as currently stored. If the status is 401, log in again.',
    metadata: { who: { user: 'needed', ofTenant: true } },
  },
} satisfies DescribedRoutes)
