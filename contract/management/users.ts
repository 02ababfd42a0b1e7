import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath } from '../database-path.js'
import { NewEmail } from '../email.js'
import { failures } from '../failures.js'
import { failsWith, mustBe } from '../field-errors.js'
import { id, instant, metadata, NewPassword, shownUser } from '../fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { next } from '../page.js'
import { givenProfile, profileFields, shownProfile } from '../profile.js'
import { component, field } from '../registry.js'
import { role, shownRole } from '../role.js'
import {
  body,
  externalId,
  flag,
  IdempotencyHeaders,
  keyProblems,
  managementPath,
  NoQuery,
  postProblems,
  privateMetadata,
  productFields,
  refuseRepeated,
  strict,
  UserPath,
  yes,
} from './fields.js'
import { ListUsersQuery } from './user-filters.js'

const c = initContract()

const listed = {
  ...shownUser,
  ...shownProfile(),
  emailVerified: field('Whether the user has proven to receive mail at the address.', z.boolean()),
  disabled: field('Whether logins and tokens of the user are refused.', z.boolean()),
  externalId: externalId(),
  createdAt: instant('Time of sign-up'),
}

/** A user of a list. */
export const ListedUser = component({ id: 'ListedUser', description: 'A user of a list.' }, z.object(listed))
export type ListedUser = z.infer<typeof ListedUser>

/** Response of `listUsers`. */
export const UserList = component(
  { id: 'UserList', description: 'A page of users.' },
  z.object({
    users: field(
      'Ordered by id, with `emailPrefix` by address, with `namePrefix` by name, or as `order` says.',
      z.array(ListedUser),
    ),
    next: next(),
  }),
)
export type UserList = z.infer<typeof UserList>

const ManagedMembership = component(
  { id: 'ManagedMembership', description: 'A tenant of a user.' },
  z.object({
    id: field('ID of the tenant.', z.uuid()),
    name: field('Name of the tenant.', z.string(), { examples: ['Analytical Engines'] }),
    role: shownRole('Role in the tenant:'),
    joinedAt: instant('When the user joined the tenant'),
  }),
)

/** Fields of a user that `changeUser` changes. The ETag of a user covers them. */
export const changeableFields = [
  'email',
  ...profileFields,
  'emailVerified',
  'disabled',
  'externalId',
  'metadata',
  'privateMetadata',
] as const

const FailedLogins = component(
  { id: 'FailedLogins', description: 'Failed logins of a user that may delay the next one.' },
  z.object({
    count: field('Their number.', z.int(), { format: 'int32' }),
    lastAt: field('Time of the last one, or null.', z.iso.datetime().nullable()),
  }),
)

/** A user as a backend sees it. */
export const ManagedUser = component(
  { id: 'ManagedUser', description: 'A user as a backend sees it.' },
  z.object({
    ...listed,
    metadata: metadata('An object of the product that the user sees, or null.'),
    privateMetadata: privateMetadata(),
    memberships: field('The user’s tenants, in the order of joining.', z.array(ManagedMembership)),
    hasPassword: field(
      'Whether the user has a password. A user without one logs in by mail, or chooses one with a code.',
      z.boolean(),
    ),
    throttledUntil: field(
      'Until when logins may have to wait because earlier ones failed, or null. Those from a known network may not have to.',
      z.iso.datetime().nullable(),
    ),
    sessions: field('Number of sessions that have not ended.', z.int(), { format: 'int32' }),
    failedLogins: field(
      'The failed logins. Only if the request of `getUser` has `failedLogins`.',
      FailedLogins.clone(undefined, { parent: true }).optional(),
    ),
    lastLoginOn: field(
      'Day of the last login from a known network (UTC), or null. A network is known for 30 days.',
      z.iso.date().nullable(),
    ),
  }),
)
export type ManagedUser = z.infer<typeof ManagedUser>

/** Body of `addUser`. */
export const AddUserBody = body(
  {
    id: 'AddUserBody',
    description: 'The user to add.',
    example: { email: 'ada@example.com', preferredName: 'Ada', sendMail: true },
  },
  {
    email: NewEmail,
    password: NewPassword.optional(),
    passwordHash: field(
      'A password hash of another system, instead of `password`, in a format that the import accepts.',
      z.string(mustBe('a string')).optional(),
      { maxLength: 65_536 },
    ),
    ...givenProfile('Null means none.'),
    emailVerified: flag('Whether the address counts as verified.'),
    tenants: field(
      'Existing tenants that the user joins, in this order, each given once. `role` is `member` by default.',
      z
        .array(
          strict({ id: id('ID of the tenant.'), role: role().optional() }),
          failsWith('invalid_type', 'must be a list'),
        )
        .max(1_000, failsWith('too_long', 'must have at most 1000 tenants'))
        .superRefine(refuseRepeated('id', 'ID of an earlier tenant'))
        .optional(),
    ),
    ...productFields(),
    sendMail: flag(
      'Whether to send a mail with a code to choose a password. Only for a user without a password.',
    ),
  },
)
export type AddUserBody = z.infer<typeof AddUserBody>

export const users = c.router({
  listUsers: {
    method: 'GET',
    path: `${managementPath}/users`,
    pathParams: DatabasePath,
    query: ListUsersQuery,
    responses: { 200: UserList, ...failures('tenant_not_found', ...keyProblems) },
    summary: 'List users',
    description:
      'Returns users ordered by id, with `emailPrefix` by the bytes of the lower-case address, with `namePrefix` by those of the lower-case name, or as `order` says. Ids of users who were not imported with one are in the order of sign-up.',
    metadata: { who: { key: 'users:read', operator: 'member', in: 'workspace' } },
  },
  addUser: {
    method: 'POST',
    path: `${managementPath}/users`,
    pathParams: DatabasePath,
    query: NoQuery,
    headers: IdempotencyHeaders,
    body: AddUserBody,
    responses: {
      201: ManagedUser,
      ...failures(
        'email_taken',
        'external_id_taken',
        'account_operations_off',
        'app_url_missing',
        'tenant_not_found',
        ...postProblems,
      ),
    },
    summary: 'Add a user',
    description:
      'Adds a user with all given tenants, or nothing. Without `password` and `passwordHash`, the user must choose a password with a code before logging in. Also needs `credentials:write` for `password`, `passwordHash` and `emailVerified`, and `tenants:write` for `tenants`.',
    metadata: {
      who: { key: 'users:write', operator: 'admin', in: 'workspace' },
      records: { words: 'added the user' },
      fields: [
        { name: 'password', scope: 'credentials:write', operator: 'never' },
        { name: 'passwordHash', scope: 'credentials:write', operator: 'never' },
        { name: 'emailVerified', scope: 'credentials:write' },
        // An identity or a mail of that address logs in as the user.
        { name: 'emailVerified', is: true, operator: 'confirms' },
        { name: 'tenants', scope: 'tenants:write' },
      ],
      hashesPassword: true,
      newPassword: 'password',
      changeable: changeableFields,
    },
  },
  getUser: {
    method: 'GET',
    path: `${managementPath}/users/:userId`,
    pathParams: UserPath,
    query: strict({ failedLogins: yes('`true`: with the failed logins, which takes longer.') }),
    responses: { 200: ManagedUser, ...failures('user_not_found', ...keyProblems) },
    summary: 'Get a user',
    description: 'Returns a user as currently stored, with tenants and the number of sessions.',
    metadata: {
      who: { key: 'users:read', operator: 'member', in: 'workspace' },
      readsUser: true,
      changeable: changeableFields,
    },
  },
} satisfies DescribedRoutes)
