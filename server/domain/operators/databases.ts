import type {
  CreateDatabaseBody,
  CreateWorkspaceBody,
  DatabaseInfo,
  DatabaseList,
  NamesQuery,
  WorkspaceInfo,
  WorkspaceList,
} from '@usher/contract/operator'
import type { Workspace } from '../../store/generated/client.js'
import { findSigningKeys } from '../../store/queries/keys.js'
import { listDatabasesByPrefix, listWorkspacesByPrefix } from '../../store/queries/operator-lists.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { isBeingDeleted } from '../databases/find-database.js'
import { createDatabase } from '../management/databases.js'
import { deleteDatabase } from '../management/delete-database.js'
import { createWorkspace } from '../management/workspaces.js'
import { readPage } from '../page.js'
import type { InDatabase, OperatorRequest } from './operator-request.js'
import { roleIn } from './rights.js'

type Listing = OperatorRequest & { query: NamesQuery }

const read = ({ prefix = '', limit, after }: NamesQuery) => ({ prefix, page: { limit, after } })

/** Returns a page of the workspaces in which an operator has a right. */
export async function listWorkspaces({ store }: AppContext, request: Listing): Promise<WorkspaceList> {
  const { user, operators, query } = request
  const { prefix, page } = read(query)
  const ids = roleIn(user, [operators.id]) ? null : user.memberships.map(({ id }) => id)
  const { rows, next } = await readPage(
    page,
    ({ limit, after }) => listWorkspacesByPrefix(store, { prefix, limit, after }, ids),
    ({ slug }) => slug,
  )
  return { workspaces: rows.map((row) => workspaceInfo(request, row)), next }
}

const workspaceInfo = (
  { user, operators }: OperatorRequest,
  { id, slug, databases, createdAt }: Workspace & { databases: number },
): WorkspaceInfo => ({
  slug,
  databases,
  role: roleIn(user, [operators.id, id]) as WorkspaceInfo['role'],
  createdAt: createdAt.toISOString(),
})

/** Creates a workspace. */
export async function createOperatorWorkspace(
  { store, now }: AppContext,
  request: OperatorRequest<CreateWorkspaceBody>,
): Promise<WorkspaceInfo> {
  const workspace = await createWorkspace(store, request.body.slug, new Date(now()))
  audit(request.caller.log, 'workspace.created', { workspaceId: workspace.id, operatorId: request.user.id })
  return workspaceInfo(request, { ...workspace, databases: 0 })
}

/** Returns a page of the databases of a workspace. */
export async function listDatabases(
  { store }: AppContext,
  { workspace, query }: Listing,
): Promise<DatabaseList> {
  const { prefix, page } = read(query)
  const { id: workspaceId } = workspace as Workspace
  const { rows, next } = await readPage(
    page,
    ({ limit, after }) => listDatabasesByPrefix(store, { prefix, limit, after }, workspaceId),
    ({ name }) => name,
  )
  // A query per database uses one node of a distributed store. A join would use all nodes.
  const databases = await Promise.all(
    rows.map(async (row) =>
      databaseInfo(row, isBeingDeleted({ signingKeys: await findSigningKeys(store, row.id) })),
    ),
  )
  return { databases, next }
}

const databaseInfo = (
  { name, appUrl, createdAt }: { name: string; appUrl: string | null; createdAt: Date },
  isBeingDeleted: boolean,
): DatabaseInfo => ({ name, appUrl, isBeingDeleted, createdAt: createdAt.toISOString() })

/** Creates a database with the default settings. */
export async function createOperatorDatabase(
  { store, now }: AppContext,
  { params, body, caller, user }: OperatorRequest<CreateDatabaseBody> & { params: { workspaceSlug: string } },
): Promise<DatabaseInfo> {
  const path = { workspaceSlug: params.workspaceSlug, databaseName: body.name }
  const created = await createDatabase({ store, now: new Date(now()) }, path, {})
  audit(caller.log, 'database.created', { databaseId: created.id, operatorId: user.id })
  return databaseInfo(created, false)
}

/** How long one request deletes. */
const deletionMilliseconds = 5_000

/** Deletes a database, or a part of it. The next request continues. */
export async function deleteOperatorDatabase(
  { store }: AppContext,
  { params, caller, user }: OperatorRequest & InDatabase,
) {
  const until = performance.now() + deletionMilliseconds
  const { id, isComplete } = await deleteDatabase(store, params, until)
  if (isComplete) audit(caller.log, 'database.deleted', { databaseId: id, operatorId: user.id })
  return { isDone: isComplete }
}
