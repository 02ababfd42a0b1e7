import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath } from './database-path.js'
import { Email, NewEmail } from './email.js'
import { mustBe } from './field-errors.js'
import { atMost255, NewPassword, name, notBlank, Password, password } from './fields.js'
import type { DescribedRoutes } from './metadata.js'
import { bodyProblems, databaseProblems, failures, tokenProblems } from './problems.js'
import { registry } from './registry.js'

const c = initContract()

/** Body of `POST …/users` (docs/specification.md, section 2). */
export const CreateUserBody = z
  .object(
    {
      email: NewEmail,
      password: NewPassword,
      preferredName: name()
        .nullish()
        .register(registry, { description: 'Display name. Null means none.', examples: ['Ada'] }),
      newTenant: name()
        .nullish()
        .register(registry, {
          description: 'Name of a tenant to create for the user in the same request. Null means none.',
          examples: ['Analytical Engines'],
        }),
    },
    mustBe('an object'),
  )
  .register(registry, {
    id: 'CreateUserBody',
    description: 'The user to sign up.',
    examples: [
      {
        email: 'ada@example.com',
        password: 'correct horse battery',
        preferredName: 'Ada',
        newTenant: 'Analytical Engines',
      },
    ],
  })
export type CreateUserBody = z.infer<typeof CreateUserBody>

/** Headers of `POST …/users` (draft-ietf-httpapi-idempotency-key-header). */
export const IdempotencyHeaders = z.object({
  'idempotency-key': z.string().min(1, notBlank).max(255, atMost255).optional().register(registry, {
    description:
      'A unique value, such as a UUID, that the client generates for each sign-up. A retry within 24 hours with the same email, tenant and password returns the same user with a new token.',
  }),
})
export type IdempotencyHeaders = z.infer<typeof IdempotencyHeaders>

/** Body of `POST …/users/login` (docs/specification.md, section 2). */
export const LoginBody = z
  .object(
    {
      email: Email,
      password: Password.clone().register(registry, {
        ...password,
        description: 'Compared after Unicode NFKC normalization.',
        maxLength: 16384,
      }),
    },
    mustBe('an object'),
  )
  .register(registry, {
    id: 'LoginBody',
    description: 'The email and the password given at sign-up.',
    examples: [{ email: 'ada@example.com', password: 'correct horse battery' }],
  })
export type LoginBody = z.infer<typeof LoginBody>

/** Access token for later requests of a user (docs/specification.md, sections 2 and 5). */
export const AccessToken = z
  .object({
    jwt: z.string().register(registry, {
      description: 'JWT (RFC 9068) to send as `Authorization: Bearer …`.',
    }),
    maxAge: z
      .int()
      .min(60)
      .max(86400)
      .register(registry, {
        description: 'Lifetime of the token in seconds.',
        format: 'int32',
        examples: [3600],
      }),
    type: z.literal('ACCESS_TOKEN').register(registry, { description: 'Always `ACCESS_TOKEN`.' }),
  })
  .register(registry, { id: 'AccessToken', description: 'Access token for later requests of the user.' })
export type AccessToken = z.infer<typeof AccessToken>

const id = () => z.uuid()
const userId = () => id().register(registry, { description: 'ID of the user.' })
const tenants = () =>
  z.array(id()).register(registry, {
    description: 'IDs of the user’s tenants, in the order in which the user joined them.',
  })

const jwt = 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjEifQ.e30.c2ln'
const ada = {
  id: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01',
  tenants: ['01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a02'],
}

/** Response of create and login: the user and a new token (docs/specification.md, section 2). */
export const SignedInUser = z
  .object({ id: userId(), tenants: tenants(), token: AccessToken })
  .register(registry, {
    id: 'SignedInUser',
    description: 'The user who signed up or logged in, with a new access token.',
    examples: [{ ...ada, token: { jwt, maxAge: 3600, type: 'ACCESS_TOKEN' } }],
  })
export type SignedInUser = z.infer<typeof SignedInUser>

/** Response of `GET …/users/me`: the user as currently stored. */
export const User = z
  .object({
    id: userId(),
    email: z.string().register(registry, {
      description: 'Email address of the sign-up, in Unicode NFC.',
      examples: ['ada@example.com'],
    }),
    preferredName: z
      .string()
      .nullable()
      .register(registry, { description: 'Display name, or null if none was given.', examples: ['Ada'] }),
    emailVerified: z
      .boolean()
      .register(registry, { description: 'Whether the user has proved to receive mail at this address.' }),
    tenants: tenants(),
    memberships: z
      .array(
        z
          .object({
            id: id().register(registry, { description: 'ID of the tenant.' }),
            name: z.string().register(registry, {
              description: 'Name of the tenant. Names are not unique.',
              examples: ['Analytical Engines'],
            }),
            joinedAt: z.iso
              .datetime()
              .register(registry, { description: 'When the user joined the tenant (RFC 3339, UTC).' }),
          })
          .register(registry, { id: 'Membership', description: 'A user’s membership of a tenant.' }),
      )
      .register(registry, { description: 'The user’s tenants, in the order of `tenants`.' }),
    createdAt: z.iso.datetime().register(registry, { description: 'Time of sign-up (RFC 3339, UTC).' }),
  })
  .register(registry, {
    id: 'User',
    description: 'The user as currently stored.',
    examples: [
      {
        ...ada,
        email: 'ada@example.com',
        preferredName: 'Ada',
        emailVerified: true,
        memberships: [
          { id: ada.tenants[0], name: 'Analytical Engines', joinedAt: '2026-03-01T12:00:00.000Z' },
        ],
        createdAt: '2026-03-01T12:00:00.000Z',
      },
    ],
  })
export type User = z.infer<typeof User>

const path = '/workspaces/:workspaceSlug/databases/:databaseName/users'
const withBody = [...bodyProblems, ...databaseProblems] as const

export const users = c.router({
  createUser: {
    method: 'POST',
    path,
    pathParams: DatabasePath,
    headers: IdempotencyHeaders,
    body: CreateUserBody,
    responses: {
      201: SignedInUser,
      ...failures('email_taken', 'idempotency_key_reused', 'too_many_attempts', ...withBody),
    },
    summary: 'Create a user',
    description:
      'Signs up a user in the database. With `newTenant`, also creates a tenant for the user: both are created or neither is. Requires no authentication.',
    metadata: { links: ['getMe', 'openSession'], hashesPassword: true, newPassword: 'password' },
  },
  login: {
    method: 'POST',
    path: `${path}/login`,
    pathParams: DatabasePath,
    body: LoginBody,
    responses: { 200: SignedInUser, ...failures('invalid_credentials', 'too_many_attempts', ...withBody) },
    summary: 'Log in a user',
    description:
      'Returns the user with all tenants and a new access token. The response is the same for an unknown email, a wrong password and a disabled user.',
    metadata: { links: ['getMe', 'openSession'], isRepeatable: true, hashesPassword: true },
  },
  getMe: {
    method: 'GET',
    path: `${path}/me`,
    pathParams: DatabasePath,
    responses: { 200: User, ...failures(...tokenProblems, ...databaseProblems) },
    summary: 'Get the current user',
    description:
      'Returns the user of the access token as currently stored. If the status is 401, log in again.',
    metadata: { security: 'bearer' },
  },
} satisfies DescribedRoutes)
