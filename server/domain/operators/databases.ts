import type { DatabasePath } from '@usher/contract'
import type {
  CreateDatabaseBody,
  CreatedDatabase,
  CreateWorkspaceBody,
  DatabaseDetails,
  DatabaseInfo,
  DatabaseList,
  EveryDatabaseList,
  EveryDatabaseQuery,
  NamesQuery,
  WorkspaceInfo,
  WorkspaceList,
} from '@usher/contract/operator'
import { ifStoreUnavailable } from '../../store/errors.js'
import type { Workspace } from '../../store/generated/client.js'
import { findKeysAndHashes, findSigningKeys, type KeysAndHashes } from '../../store/queries/keys.js'
import { listDatabaseRows } from '../../store/queries/management/databases.js'
import { listDatabasesByPrefix, listWorkspacesByPrefix } from '../../store/queries/operator-lists.js'
import { type DatabaseNumbers, findNumbers } from '../../store/queries/statistics.js'
import type { Store } from '../../store/store.js'
import { audit } from '../../telemetry/audit.js'
import { operatorOf } from '../change.js'
import type { AppContext } from '../context.js'
import { isBeingDeleted } from '../databases/find-database.js'
import { relatedOrigins, relyingPartyOf } from '../databases/relying-party.js'
import { settingsOf } from '../databases/settings.js'
import { createDatabase as create, requireDatabase } from '../management/databases.js'
import { deleteDatabase as deletePart } from '../management/delete-database.js'
import { createWorkspace as insert } from '../management/workspaces.js'
import { readPage } from '../page.js'
import { dayOf } from '../statistics/daily-counts.js'
import type { OperatorDatabaseRequest, OperatorRequest, WorkspaceRequest } from './operator-request.js'
import { requireOperators } from './operators-database.js'
import { roleIn } from './rights.js'
import { readSettings } from './settings.js'

type Listing = { query: NamesQuery }

const read = ({ prefix = '', limit, after }: NamesQuery) => ({ prefix, page: { limit, after } })

/** Returns a page of the workspaces in which an operator has a right. */
export async function listWorkspaces(
  context: AppContext,
  { user, query }: OperatorRequest & Listing,
): Promise<WorkspaceList> {
  const { store } = context
  const { prefix, page } = read(query)
  const roleOf = await rolesOf(context, user)
  const ids = visibleTo(user, roleOf())
  const { rows, next } = await readPage(
    page,
    ({ limit, after }) => listWorkspacesByPrefix(store, { prefix, limit, after }, ids),
    ({ slug }) => slug,
  )
  return { workspaces: rows.map((row) => workspaceInfo(row, roleOf(row.id))), next }
}

/** Returns the ids of the workspaces that an operator may see. Null: all of them. @param role in the installation */
const visibleTo = (user: OperatorRequest['user'], role: WorkspaceInfo['role'] | undefined) =>
  user && !role ? user.memberships.map(({ id }) => id) : null

/** Returns a function that returns the role of an operator in workspaces. That of the machine of the server is `owner`. */
async function rolesOf(context: AppContext, user: OperatorRequest['user']) {
  if (!user) return () => 'owner' as const
  const { id } = await requireOperators(context)
  return (...workspaceIds: string[]) => roleIn(user, [id, ...workspaceIds])
}

const workspaceInfo = (
  { id, slug, databases, createdAt }: Workspace & { databases: number },
  role: WorkspaceInfo['role'] | undefined,
): WorkspaceInfo => ({
  id,
  slug,
  databases,
  role: role as WorkspaceInfo['role'],
  createdAt: createdAt.toISOString(),
})

/** Creates a workspace. */
export async function createWorkspace(
  { store, now }: AppContext,
  { caller, actor, body }: OperatorRequest<CreateWorkspaceBody>,
): Promise<WorkspaceInfo> {
  const workspace = await insert(store, body.slug, new Date(now()))
  audit(caller.log, 'workspace.created', { workspaceId: workspace.id, ...operatorOf(actor) })
  // Only owners of the installation may.
  return workspaceInfo({ ...workspace, databases: 0 }, 'owner')
}

/**
 * Returns a page of the databases of all workspaces that the operator may see, ordered by path. `isBeingDeleted` is null if the node
 * of a distributed store that has the keys cannot be reached.
 */
export async function listEveryDatabase(
  context: AppContext,
  { user, query }: OperatorRequest & { query: EveryDatabaseQuery },
): Promise<EveryDatabaseList> {
  const { store } = context
  const workspaceIds = visibleTo(user, (await rolesOf(context, user))())
  const { rows, next } = await readPage(
    query,
    ({ limit, after }) => {
      const [workspaceSlug = '', databaseName = ''] = after?.split('/') ?? []
      const page = { limit, ...(after !== undefined && { after: { workspaceSlug, databaseName } }) }
      return listDatabaseRows(store, page, workspaceIds)
    },
    ({ name, workspace }) => `${workspace.slug}/${name}`,
  )
  // A query per database uses one node of a distributed store. A join would use all nodes.
  const keysOf = ({ id }: { id: string }) => findSigningKeys(store, id).catch(ifStoreUnavailable(undefined))
  const databases = rows.map(async (row) => {
    const signingKeys = await keysOf(row)
    return {
      id: row.id,
      workspace: row.workspace.slug,
      name: row.name,
      isBeingDeleted: signingKeys ? isBeingDeleted({ signingKeys }) : null,
      createdAt: row.createdAt.toISOString(),
    }
  })
  return { databases: await Promise.all(databases), next }
}

/** Returns a database with its settings, as currently stored. */
export async function getDatabase(
  { store }: AppContext,
  { database }: OperatorDatabaseRequest,
): Promise<DatabaseDetails> {
  const row = await requireDatabase(store, database)
  const rp = relyingPartyOf(row)
  return {
    id: row.id,
    url: database.issuer,
    values: settingsOf(row),
    hashParameterSets: row.dummyHashes.length,
    passkeyDomain: rp?.domain ?? null,
    wellKnownWebauthn: (rp && relatedOrigins(rp)) ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}

/** Returns a page of the databases of a workspace. */
export async function listDatabases(
  { store, now }: AppContext,
  { workspace, query }: WorkspaceRequest & Listing,
): Promise<DatabaseList> {
  const { prefix, page } = read(query)
  const { rows, next } = await readPage(
    page,
    ({ limit, after }) => listDatabasesByPrefix(store, { prefix, limit, after }, workspace.id),
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

/** Creates a database. A setting that is not given has its default. */
export async function createDatabase(
  { store, now, urlOf }: AppContext,
  { workspace, body, caller, actor }: WorkspaceRequest<CreateDatabaseBody>,
): Promise<CreatedDatabase> {
  const { name: databaseName, settings = {}, mails: mail } = body
  const path = { workspaceSlug: workspace.slug, databaseName }
  const wanted = { ...readSettings(settings), ...(mail && { mail }) }
  const created = await create({ store, now: new Date(now()) }, path, wanted)
  const { id, webhookSecret = null, signUpHookSecret = null } = created
  audit(caller.log, 'database.created', { databaseId: id, ...operatorOf(actor) })
  return { ...databaseInfo(created), id, url: urlOf(path), webhookSecret, signUpHookSecret }
}

/** How long one request deletes. */
const deletionMilliseconds = 5_000

/** Deletes a database, or a part of it. The next request continues. */
export async function deleteDatabase(
  { store }: AppContext,
  { params, caller, actor }: OperatorRequest & { params: DatabasePath },
) {
  const until = performance.now() + deletionMilliseconds
  const { id, users, isComplete } = await deletePart(store, params, until)
  if (isComplete) audit(caller.log, 'database.deleted', { databaseId: id, ...operatorOf(actor) })
  return { isDone: isComplete, users }
}
