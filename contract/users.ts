import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath } from './database-path.js'
import { Email } from './email.js'
import { failures } from './problems.js'

const c = initContract()

/** NUL cannot be stored in Postgres, and half of a surrogate pair is no Unicode text. */
const isText = (value: string) => !value.includes('\0') && value.isWellFormed()
const text = () =>
  z
    .string()
    .refine(isText, { params: { code: 'invalid_character' }, error: 'must be Unicode text without NUL' })
const name = () => text().trim().min(1).max(255)

const Password = text()
  .min(1)
  .meta({
    description:
      'Compared after Unicode NFKC. At sign-up 8 to 256 characters unless the database says otherwise, not a common password, not the email address; no rules of composition.',
    examples: ['correct horse battery'],
  })

/** Body of `POST …/users` (specification section 2). */
export const CreateUserBody = z
  .object({
    email: Email,
    password: Password,
    preferredName: name()
      .optional()
      .meta({ description: 'Display name.', examples: ['Ada'] }),
    newTenant: name()
      .optional()
      .meta({
        description: 'When present, a tenant of this name is created for the user in the same request.',
        examples: ['Analytical Engines'],
      }),
  })
  .meta({ id: 'CreateUserBody', description: 'A sign-up.' })
export type CreateUserBody = z.infer<typeof CreateUserBody>

/** Headers of `POST …/users` (draft-ietf-httpapi-idempotency-key-header). */
export const IdempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({
      description:
        'Any text that the client makes for one sign-up. Sent again within 24 hours with the same email, tenant and password, it gets the same user and a fresh token.',
      examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
    }),
})

/** Body of `POST …/users/login` (specification section 2). */
export const LoginBody = z
  .object({ email: Email, password: Password })
  .meta({ id: 'LoginBody', description: 'The credentials given at sign-up.' })
export type LoginBody = z.infer<typeof LoginBody>

/** The token that carries a user's later requests (specification sections 2 and 5). */
export const AccessToken = z
  .object({
    jwt: z.string().meta({
      description: 'JWT (RFC 9068) to send as `Authorization: Bearer …`.',
      examples: ['eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjEifQ.e30.c2ln'],
    }),
    maxAge: z
      .int()
      .min(60)
      .max(86400)
      .meta({
        description: 'Lifetime of the token in seconds, from now.',
        examples: [3600],
      }),
    type: z.literal('ACCESS_TOKEN').meta({ description: 'The only kind there is.' }),
  })
  .meta({ id: 'AccessToken', description: 'The token that carries a user’s later requests.' })
export type AccessToken = z.infer<typeof AccessToken>

const id = () => z.uuid()
const userId = () => id().meta({ description: 'Identifier of the user.' })
const tenants = () =>
  z.array(id()).meta({ description: 'Identifiers of the user’s tenants, in the order of joining.' })

/** Answer of create and login: the user and a fresh token (specification section 2). */
export const SignedInUser = z
  .object({ id: userId(), tenants: tenants(), token: AccessToken })
  .meta({ id: 'SignedInUser', description: 'The user who signed up or logged in, and a fresh token.' })
export type SignedInUser = z.infer<typeof SignedInUser>

/** Answer of `GET …/users/me`: the user as the store has it now. */
export const User = z
  .object({
    id: userId(),
    email: z.string().meta({ description: 'As entered at sign-up.', examples: ['ada@example.com'] }),
    preferredName: z
      .string()
      .nullable()
      .meta({ description: 'Display name; null where none was given.', examples: ['Ada'] }),
    tenants: tenants(),
    createdAt: z.iso.datetime().meta({ description: 'Time of sign-up (RFC 3339, UTC).' }),
  })
  .meta({ id: 'User', description: 'The user as the store has it now.' })
export type User = z.infer<typeof User>

const path = '/workspaces/:workspaceSlug/databases/:databaseName/users'
const inDatabase = ['database_not_found', 'unavailable'] as const
const withBody = [
  'malformed_json',
  'validation_failed',
  'payload_too_large',
  'unsupported_media_type',
  ...inDatabase,
] as const

export const users = c.router({
  createUser: {
    method: 'POST',
    path,
    pathParams: DatabasePath,
    headers: IdempotencyHeaders,
    body: CreateUserBody,
    responses: { 201: SignedInUser, ...failures('email_taken', 'idempotency_key_reused', ...withBody) },
    summary: 'Create a user',
    description:
      'Signs a user up in the database and, with `newTenant`, creates a tenant for that user: both or neither. Needs no credential.',
  },
  login: {
    method: 'POST',
    path: `${path}/login`,
    pathParams: DatabasePath,
    body: LoginBody,
    responses: { 200: SignedInUser, ...failures('invalid_credentials', 'too_many_attempts', ...withBody) },
    summary: 'Log in a user',
    description:
      'Answers as create does, with all tenants of the user. An unknown address, a wrong password and a disabled user get the same answer.',
  },
  me: {
    method: 'GET',
    path: `${path}/me`,
    pathParams: DatabasePath,
    responses: { 200: User, ...failures('token_missing', 'token_invalid', 'token_expired', ...inDatabase) },
    summary: 'Who the token’s user is',
    description: 'Reads the user from the store. On any 401: log in again.',
    metadata: { security: 'bearer' },
  },
})
