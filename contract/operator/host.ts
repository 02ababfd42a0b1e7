import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { NewEmail } from '../email.js'
import { failures } from '../failures.js'
import { body, strict } from '../management/fields.js'
import type { UserLine } from '../management/user-line.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { DatabasePath } from './fields.js'

const DeleteWorkspaceBody = body(
  { id: 'DeleteWorkspaceBody', description: 'A workspace.', example: { slug: 'acme' } },
  { slug: field('Slug of the workspace.', z.string()) },
)
export type DeleteWorkspaceBody = z.infer<typeof DeleteWorkspaceBody>

const ExportUsersQuery = strict({
  totpSecrets: field(
    '`true`: with the secrets of authenticator apps, with which anyone can create their codes.',
    z.enum(['true', 'false']).optional(),
  ),
})
export type ExportUsersQuery = z.infer<typeof ExportUsersQuery>

const ExpireCursorsBody = body(
  {
    id: 'ExpireCursorsBody',
    description: 'The databases whose cursors expire.',
    example: { database: null },
  },
  { database: field('A database. Null: all of them.', strict(DatabasePath.shape).nullable()) },
)
export type ExpireCursorsBody = z.infer<typeof ExpireCursorsBody>

const ResetOperatorBody = body(
  { id: 'ResetOperatorBody', description: 'An operator.', example: { email: 'ada@example.com' } },
  { email: field('Address of the operator.', NewEmail.clone(undefined, { parent: true })) },
)
export type ResetOperatorBody = z.infer<typeof ResetOperatorBody>

const problems = ['validation_failed', 'unavailable'] as const
const metadata = { who: { host: true } } as const

const host = initContract().router({
  deleteWorkspace: {
    method: 'POST',
    path: '/host/workspaces/delete',
    body: DeleteWorkspaceBody,
    responses: {
      200: component(
        { id: 'DeletedWorkspace', description: 'A deleted workspace.' },
        z.object({ id: z.uuid(), slug: z.string() }),
      ),
      ...failures('workspace_not_found', ...problems),
    },
    summary: 'Delete a workspace that has no databases',
    metadata,
  },
  exportUsers: {
    method: 'GET',
    path: '/host/workspaces/:workspaceSlug/databases/:databaseName/users',
    pathParams: DatabasePath,
    query: ExportUsersQuery,
    responses: {
      200: z.custom<AsyncIterable<UserLine>>(),
      ...failures('database_not_found', ...problems),
    },
    summary: 'Export all users with their password hashes, as lines of NDJSON',
    metadata,
  },
  expireCursors: {
    method: 'POST',
    path: '/host/cursors/expire',
    body: ExpireCursorsBody,
    responses: {
      200: component(
        { id: 'ExpiredCursors', description: 'Whose cursors have expired.' },
        z.object({
          databases: field('Number of databases that had cursors.', z.int()),
          databaseId: field('The database of the request, if it names one.', z.uuid().optional()),
        }),
      ),
      ...failures('database_not_found', ...problems),
    },
    summary: 'Expire all cursors of events and revocations',
    metadata,
  },
  resetOperator: {
    method: 'POST',
    path: '/host/operators/reset',
    body: ResetOperatorBody,
    responses: {
      200: component(
        { id: 'ResetOperator', description: 'An operator without second factors.' },
        z.object({
          id: field('ID of the operator.', z.uuid()),
          factors: field('Number of removed factors.', z.int()),
          link: field('Where the operator chooses a password, valid for an hour.', z.string()),
        }),
      ),
      ...failures('user_not_found', ...problems),
    },
    summary: 'Remove the second factors of an operator, and return a link to choose a password',
    metadata,
  },
} satisfies DescribedRoutes)

/** What only the machine of the server may do. No port serves it. */
export const hostContract = { host }
