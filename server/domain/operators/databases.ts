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
import { findKeysAndHashes, type KeysAndHashes } from '../../store/queries/keys.js'
import { listDatabasesByPrefix, listWorkspacesByPrefix } from '../../store/queries/operator-lists.js'
import { type DatabaseNumbers, findNumbers } from '../../store/queries/statistics.js'
import type { Store } from '../../store/store.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { isBeingDeleted } from '../databases/find-database.js'
import { createDatabase } from '../management/databases.js'
import { deleteDatabase } from '../management/delete-database.js'
import { createWorkspace } from '../management/workspaces.js'
import { readPage } from '../page.js'
import { dayOf } from '../statistics/daily-counts.js'
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
  { store, now }: AppContext,
  { workspace, query }: Listing,
): Promise<DatabaseList> {
  const { prefix, page } = read(query)
  const { id: workspaceId } = workspace as Workspace
  const { rows, next } = await readPage(
    page,
    ({ limit, after }) => listDatabasesByPrefix(store, { prefix, limit, after }, workspaceId),
    ({ name }) => name,
  )
  const ids = rows.map(({ id }) => id)
  const from = dayOf(now() - loginDays * dayMilliseconds)
  const [keys, numbers] = await Promise.all([
    readEach(store, ids, (some) => findKeysAndHashes(store, some)),
    readEach(store, ids, (some) => findNumbers(store, some, from)),
  ])
  const databases = rows.map((row, index) => ({
    ...databaseInfo(row, numbers[index]),
    isBeingDeleted: isBeingDeleted(keys[index] as KeysAndHashes),
  }))
  return { databases, next }
}

const dayMilliseconds = 86_400_000
/** Days of the logins in a list of databases, before today. */
const loginDays = 6

/** Reads what databases have with one statement. On Citus, a statement for each database uses one node each. */
async function readEach<Row>(
  store: Store,
  ids: readonly string[],
  read: (ids: readonly string[]) => Promise<Row[]>,
) {
  if (store.readsAcrossDatabases()) return read(ids)
  return (await Promise.all(ids.map((id) => read([id])))).flat()
}

const databaseInfo = (
  { name, appUrl, createdAt }: { name: string; appUrl: string | null; createdAt: Date },
  numbers: DatabaseNumbers = { users: 0, logins: 0 },
): DatabaseInfo => ({ name, appUrl, ...numbers, isBeingDeleted: false, createdAt: createdAt.toISOString() })

/** Creates a database with the default settings. */
export async function createOperatorDatabase(
  { store, now }: AppContext,
  { params, body, caller, user }: OperatorRequest<CreateDatabaseBody> & { params: { workspaceSlug: string } },
): Promise<DatabaseInfo> {
  const path = { workspaceSlug: params.workspaceSlug, databaseName: body.name }
  const created = await createDatabase({ store, now: new Date(now()) }, path, {})
  audit(caller.log, 'database.created', { databaseId: created.id, operatorId: user.id })
  return databaseInfo(created)
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
