import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath } from '../database-path.js'
import { Email } from '../email.js'
import { failures } from '../failures.js'
import { FieldError, failsWith, mustBe } from '../field-errors.js'
import { name } from '../fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { givenProfile } from '../profile.js'
import { component, field } from '../registry.js'
import { role } from '../role.js'
import {
  IdempotencyHeaders,
  managementPath,
  NoQuery,
  postProblems,
  productFields,
  refuseRepeated,
  strict,
} from './fields.js'
import { seats } from './tenants.js'

const c = initContract()

const nil = '00000000-0000-0000-0000-000000000000'
const earliest = new Date(0)
const latest = new Date('9999-12-31T23:59:59.999Z')

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

const time = (description: string) =>
  field(
    description,
    z.iso
      .datetime({
        offset: true,
        ...failsWith('invalid_type', 'must be a time with a zone, such as 2026-01-31T09:30:00Z'),
      })
      .transform((text) => new Date(text))
      .refine(
        (time) => time >= earliest && time <= latest,
        failsWith('invalid_type', 'must be a time from 1970 to 9999'),
      )
      .nullish(),
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
        .superRefine(refuseRepeated('id'))
        .superRefine(refuseRepeated('externalId'))
        .nullish(),
    ),
    emailVerifiedAt: time('When the user verified the address.'),
    disabledAt: time('When the user was disabled.'),
    createdAt: time('Time of sign-up. Default: now.'),
  }),
)
export type UserLine = z.output<typeof UserLine>

/** Lines of one request of `importUsers`. */
export const maxImportedLines = 1_000

const count = (description: string) => field(description, z.int(), { format: 'int32' })

const ImportStatus = component(
  {
    id: 'ImportStatus',
    description:
      '`created`: the user was added with all tenants. `exists`: a user or an earlier line has the address, and nothing changed. `rejected`: no part of the line was stored.',
    isOpen: true,
  },
  z.enum(['created', 'exists', 'rejected']),
)

/** Result of a line. */
export const ImportedLine = component(
  { id: 'ImportedLine', description: 'Result of a line.' },
  z.object({
    line: count('Number of the line, starting at 1.'),
    status: ImportStatus,
    userId: field('ID of the user with the address, or null if the line was rejected.', z.uuid().nullable()),
    errors: field('All errors in the line, if it was rejected. Empty otherwise.', z.array(FieldError)),
  }),
)
export type ImportedLine = z.infer<typeof ImportedLine>

/** Response of `importUsers`. */
export const ImportResult = component(
  { id: 'ImportResult', description: 'Result of each line.' },
  z.object({
    created: count('Number of lines that added a user.'),
    existing: count('Number of lines whose user existed.'),
    rejected: count('Number of rejected lines.'),
    lines: field('In the order of the request. Blank lines are left out.', z.array(ImportedLine)),
  }),
)
export type ImportResult = z.infer<typeof ImportResult>

export const userImport = c.router({
  importUsers: {
    method: 'POST',
    path: `${managementPath}/users/import`,
    pathParams: DatabasePath,
    query: NoQuery,
    headers: IdempotencyHeaders,
    body: field('One JSON object per line, each a user.', z.string(isText), {
      examples: ['{"email":"ada@example.com"}\n{"email":"grace@example.com"}\n'],
    }),
    responses: { 200: ImportResult, ...failures(...postProblems) },
    summary: 'Import users',
    description: `Adds users with their password hashes from other systems, as \`usher user import\` does. At most ${maxImportedLines} lines and 1 MiB. A line is stored as a whole or not at all. No event is written. Also needs \`credentials:write\` for \`passwordHash\` and \`emailVerifiedAt\`, and \`tenants:write\` for \`tenants\`.`,
    metadata: { scope: 'users:write', lines: { each: UserLine, maxBytes: 2 ** 20 } },
  },
} satisfies DescribedRoutes)
