import { z } from 'zod'
import { Email } from '../email.js'
import { failsWith, mustBe } from '../field-errors.js'
import { name } from '../fields.js'
import { givenProfile } from '../profile.js'
import { component, field } from '../registry.js'
import { role } from '../role.js'
import { notFlag, productFields, refuseRepeated, strict } from './fields.js'
import { time } from './line-fields.js'
import { PasskeyOfLine } from './passkey-of-line.js'
import { seats } from './tenants.js'

const nil = '00000000-0000-0000-0000-000000000000'
const id = (description: string) =>
  field(
    description,
    z
      .uuid(failsWith('invalid_type', 'must be a UUID'))
      .toLowerCase()
      .refine((id) => id !== nil, failsWith('invalid_type', 'must not be the nil UUID'))
      .nullish(),
    { maxLength: 36 },
  )

const isText = mustBe('a string')

const TenantOfLine = component(
  { id: 'TenantOfLine', description: 'A tenant of an imported user.' },
  strict({
    id: id(
      'ID of the tenant. Lines with the same ID, and an existing tenant with it, are one tenant. Default: that of the tenant with the same `externalId`, or a new ID.',
    ),
    name: field(
      'Name of the tenant. Ignored if a tenant has the `id`. Without `id`, it must be that of the tenant with the same `externalId`.',
      name(),
      {
        examples: ['Analytical Engines'],
      },
    ),
    ...productFields(),
    seats: seats(),
    role: field('Role of the user. Default: `member`.', role().nullish()),
    createdAt: time('When it was created. Default: `createdAt` of the user.'),
    joinedAt: time('When the user joined it. Default: `createdAt` of the user.'),
  }),
)

const IdentityOfLine = component(
  { id: 'IdentityOfLine', description: 'An account at a provider with which an imported user logs in.' },
  strict({
    connection: field('Name of a connection of the database.', name(), {
      examples: ['google'],
      maxLength: 255,
    }),
    subject: field(
      'ID of the account at the provider: `sub` of its ID tokens, or `tid.oid` of those of Microsoft.',
      z
        .string(isText)
        .regex(
          /^[\x21-\x7e]{1,511}$/,
          failsWith('invalid_type', 'must be 1 to 511 ASCII characters, no spaces'),
        ),
      { examples: ['110169484474386276334'], maxLength: 511 },
    ),
    issuer: field(
      'The issuer that the connection had when the identity was linked. Default: its issuer now. With another one, the identity logs nobody in.',
      name().nullish(),
      { examples: ['https://accounts.google.com'] },
    ),
    email: field('Address of the account at the provider. It is only shown.', name().nullish(), {
      examples: ['ada@example.com'],
    }),
    linkedAt: time('When it was linked. Default: `createdAt` of the user.'),
    isProven: field(
      'Whether the address of the user was verified when it was linked. If not, a password reset removes it. Default: whether the address is verified now.',
      z.boolean(notFlag).nullish(),
    ),
  }),
)

const TotpOfLine = component(
  {
    id: 'TotpOfLine',
    description: 'An authenticator app of an imported user, with SHA-1, six digits and 30 seconds.',
  },
  strict({
    secret: field(
      'The secret of the app in base32, of at least 80 bits.',
      z
        .string(isText)
        .regex(
          /^[A-Z2-7]{16,128}={0,6}$/i,
          failsWith('invalid_type', 'must be 16 to 128 characters of base32'),
        )
        .overwrite((text) => text.toUpperCase().replaceAll('=', '')),
      { examples: ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'], maxLength: 134 },
    ),
    name: field('Name that the user has given to it.', name().nullish(), { examples: ['Ada’s phone'] }),
    createdAt: time('When it was added. Default: `createdAt` of the user.'),
  }),
)

/** Factors that a user may have. */
const mostApps = 2
const mostPasskeys = 10

/**
 * A user as one line of a file: `usher user export` writes it, and `usher user import` and `importUsers` read it. Null means
 * absent. Unknown fields are rejected, because a misspelled `passwordHash` would be lost.
 */
export const UserLine = component(
  { id: 'UserLine', description: 'A user to import. Null means absent, and an unknown field is an error.' },
  strict({
    id: id('ID of the user. Default: a new ID.'),
    email: Email,
    passwordHash: field(
      'A password hash in a format that the import accepts. Without it, no password matches.',
      z.string(isText).nullish(),
      { maxLength: 65_536 },
    ),
    ...givenProfile(),
    ...productFields(),
    tenants: field(
      'In the order of joining, each given once.',
      z
        .array(TenantOfLine, failsWith('invalid_type', 'must be a list'))
        .superRefine(refuseRepeated('id', 'ID of an earlier tenant'))
        .superRefine(refuseRepeated('externalId', 'external ID of an earlier tenant'))
        .nullish(),
    ),
    identities: field(
      'The accounts at providers with which the user logs in, at most one of each connection.',
      z
        .array(IdentityOfLine, failsWith('invalid_type', 'must be a list'))
        .max(20, failsWith('too_long', 'must have at most 20 identities'))
        .superRefine(refuseRepeated('connection', 'connection of an earlier identity'))
        .nullish(),
    ),
    totp: field(
      'The authenticator apps of the user. Logins need a code of one of them.',
      z
        .array(TotpOfLine, failsWith('invalid_type', 'must be a list'))
        .max(mostApps, failsWith('too_long', `must have at most ${mostApps} apps`))
        .superRefine(refuseRepeated('secret', 'secret of an earlier app'))
        .nullish(),
    ),
    passkeys: field(
      'The passkeys of the user.',
      z
        .array(PasskeyOfLine, failsWith('invalid_type', 'must be a list'))
        .max(mostPasskeys, failsWith('too_long', `must have at most ${mostPasskeys} passkeys`))
        .superRefine(refuseRepeated('credentialId', 'ID of an earlier passkey'))
        .nullish(),
    ),
    emailVerifiedAt: time('When the user verified the address.'),
    disabledAt: time('When the user was disabled.'),
    createdAt: time('Time of sign-up. Default: now.'),
  }),
)
export type UserLine = z.output<typeof UserLine>
