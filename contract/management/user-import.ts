import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath } from '../database-path.js'
import { failures } from '../failures.js'
import { FieldError, mustBe } from '../field-errors.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { IdempotencyHeaders, managementPath, NoQuery, postProblems, writeProblems } from './fields.js'
import { UserLine } from './user-line.js'

const c = initContract()

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
    userId: field(
      'ID of the user with the address. Null if the line was rejected, or if the request only checks and there is no such user.',
      z.uuid().nullable(),
    ),
    errors: field('All errors in the line, if it was rejected. Empty otherwise.', z.array(FieldError)),
  }),
)
export type ImportedLine = z.infer<typeof ImportedLine>

/** A tenant that nobody can invite into. */
const OwnerlessTenant = component(
  { id: 'OwnerlessTenant', description: 'A tenant that has no owner.' },
  z.object({
    id: field(
      'ID of the tenant. Null if the request only checks and would create the tenant.',
      z.uuid().nullable(),
    ),
    externalId: field('The ID that your product has given to the tenant.', z.string().nullable()),
    name: field('Name of the tenant.', z.string()),
  }),
)

/** Response of `importUsers`. */
export const ImportResult = component(
  { id: 'ImportResult', description: 'Result of each line.' },
  z.object({
    created: count('Number of lines that added a user.'),
    existing: count('Number of lines whose user existed.'),
    rejected: count('Number of rejected lines.'),
    tenantsWithoutOwner: field(
      'Tenants of these lines that have no owner after them, at most 1,000. Nobody can invite into such a tenant until a user becomes its owner. Empty if there is none.',
      z.array(OwnerlessTenant),
    ),
    lines: field('In the order of the request. Blank lines are left out.', z.array(ImportedLine)),
  }),
)
export type ImportResult = z.infer<typeof ImportResult>

const importPath = `${managementPath}/users/import` as const

const metadata = {
  who: { key: 'users:write', operator: 'admin', in: 'workspace' },
  lines: { each: UserLine },
  maxBytes: 2 ** 20,
} as const

/** What an import and its check read. */
const lines = {
  pathParams: DatabasePath,
  query: NoQuery,
  body: field('One JSON object per line, each a user.', z.string(mustBe('a string')), {
    examples: ['{"email":"ada@example.com"}\n{"email":"grace@example.com"}\n'],
  }),
} as const

export const userImport = c.router({
  importUsers: {
    method: 'POST',
    path: importPath,
    ...lines,
    headers: IdempotencyHeaders,
    responses: { 200: ImportResult, ...failures(...postProblems) },
    summary: 'Import users',
    description: `Adds users with their password hashes from other systems, as \`usher user import\` does. At most ${maxImportedLines} lines and 1 MiB. A line is stored as a whole or not at all. No event is written. Also needs \`credentials:write\` for \`passwordHash\`, \`identities\`, \`totp\` and \`emailVerifiedAt\`, and \`tenants:write\` for \`tenants\`.`,
    // `beginImport` is recorded instead.
    metadata: { ...metadata, confirms: { by: 'beginImport' }, records: false },
  },
  checkImport: {
    method: 'POST',
    path: `${importPath}/check`,
    ...lines,
    responses: { 200: ImportResult, ...failures(...writeProblems) },
    summary: 'Check an import',
    description:
      'Returns what `importUsers` would for the same lines, and stores nothing. Needs the same scopes. Each request is checked for itself: an address in an earlier request is not found.',
    metadata: { ...metadata, records: false },
  },
} satisfies DescribedRoutes)
