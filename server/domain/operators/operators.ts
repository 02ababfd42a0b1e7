import type {
  AddedOperator,
  AddOperatorBody,
  ChangeOperatorBody,
  Operator,
  OperatorList,
} from '@usher/contract/operator'
import { v7 as uuidv7 } from 'uuid'
import { findUserId } from '../../store/queries/codes.js'
import { findWorkspace } from '../../store/queries/management/workspaces.js'
import { insertAccount } from '../../store/queries/new-account.js'
import {
  ensureTenant,
  findSlugsOf,
  listOperatorRows,
  type OperatorRow,
} from '../../store/queries/operators.js'
import { userFieldsOf } from '../../store/queries/user-fields.js'
import type { Store } from '../../store/store.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import { type Change, type ChangeRequest, type Outcome, runChange } from '../change.js'
import { createCode } from '../codes/create-code.js'
import type { AppContext } from '../context.js'
import type { RuleDatabase } from '../databases/find-database.js'
import type { Secrets } from '../keys/database-secrets.js'
import { workspaceNotFound } from '../management/names.js'
import { emailTaken, unless, userNotFound } from '../problem.js'
import { requireOtherOwner } from '../tenants/locked-tenant.js'
import { putMember, removeMember } from '../tenants/members.js'
import { deleteUser } from '../users/user-changes.js'
import { codeLink } from './links.js'
import type { OwnRequest } from './operator-request.js'
import { requireOperators } from './operators-database.js'

type Context = Pick<AppContext, 'store' | 'now' | 'deliver' | 'throttle' | 'findSecrets'> & {
  findOperators: () => Promise<RuleDatabase | undefined>
}
type Request<Body = unknown> = Pick<ChangeRequest, 'caller' | 'actor'> & { body: Body }
type OfOperator<Body = unknown> = Request<Body> & { params: { operatorId: string } }

/** Returns the operator who asks. @throws {Problem} `user_not_found` */
export const getOperator = (context: Context, { operators, user }: OwnRequest) =>
  findOperator(context, operators, user.id)

/** Returns the operators, the oldest first. */
export const listOperators = async (context: Context): Promise<OperatorList> => ({
  operators: await operatorsOf(context.store, await requireOperators(context)),
})

async function operatorsOf(store: Store, { id }: Pick<RuleDatabase, 'id'>): Promise<Operator[]> {
  const rows = await listOperatorRows(store, id)
  const slugs = await findSlugsOf(store, [...new Set(rows.flatMap(placesOf))])
  return rows.map((row) => operatorBody(row, id, slugs))
}

const placesOf = ({ memberships }: OperatorRow) => memberships.map(({ id }) => id)

/** Returns an operator. @throws {Problem} `user_not_found` */
export async function findOperator(
  { store }: Pick<Context, 'store'>,
  database: RuleDatabase,
  id: string,
): Promise<Operator> {
  const operator = (await operatorsOf(store, database)).find((each) => each.id === id)
  if (!operator) throw userNotFound(database, id)
  return operator
}

/** Returns an operator with the rights in workspaces that still exist. */
const operatorBody = (
  row: OperatorRow,
  installation: string,
  slugs: ReadonlyMap<string, string>,
): Operator => ({
  id: row.id,
  email: row.email,
  preferredName: row.preferredName,
  rights: row.memberships.flatMap(({ id, role }) => {
    const workspace = id === installation ? null : slugs.get(id)
    return workspace === undefined ? [] : [{ workspace, role: role as Operator['rights'][number]['role'] }]
  }),
  joinedAt: row.createdAt.toISOString(),
})

/** Where a right counts: in a workspace, or in the installation. */
interface Place {
  id: string
  name: string
}

/** Returns the place of a right. @throws {Problem} `workspace_not_found` */
async function placeOf(
  { store }: Pick<Context, 'store'>,
  { id }: RuleDatabase,
  slug: string | null,
): Promise<Place> {
  if (slug === null) return { id, name: 'Installation' }
  const workspace = await findWorkspace(store, slug)
  if (!workspace) throw await workspaceNotFound(store, slug, slug)
  return { id: workspace.id, name: slug }
}

/** Creates the tenant of a right when it is first needed. */
export const ensurePlace = (change: Pick<Change, 'query' | 'database' | 'now'>, place: Place) =>
  ensureTenant(change, { databaseId: change.database.id, ...place, createdAt: change.now })

/**
 * Adds an operator, or gives an existing one another right.
 *
 * @returns the operator, and where a new one chooses a password
 */
export async function addOperator(
  context: Context,
  { body: { email, workspace, role }, ...request }: Request<AddOperatorBody>,
): Promise<AddedOperator> {
  const database = await requireOperators(context)
  const place = await placeOf(context, database, workspace)
  const secrets = await context.findSecrets(database.id)
  const { userId, code } = await runChange(context, { ...request, database }, async (change) => {
    await ensurePlace(change, place)
    const existing = await findUserId(change, database.id, requireCanonicalEmail(email))
    const userId = existing ?? (await insert(change, email))
    const joined = await putRight(change, { userId, place, role })
    const created = existing ? undefined : await createResetCode(change, userId, secrets)
    return {
      result: { userId, code: created?.result.code ?? null },
      facts: [
        ...(existing ? [] : [{ type: 'user.created', userId } as const]),
        ...joined.facts,
        ...(created?.facts ?? []),
      ],
    }
  })
  const operator = await findOperator(context, database, userId)
  return { operator, link: code && codeLink(database, 'reset-password', code) }
}

const createResetCode = (change: Change, userId: string, secrets: Secrets) =>
  createCode(change, { userId, purpose: 'password_reset', secrets })

async function insert(change: Change, email: string) {
  const { database, now } = change
  const id = uuidv7()
  const user = {
    databaseId: database.id,
    id,
    email,
    canonicalEmail: requireCanonicalEmail(email),
    passwordHash: null,
    // So the link sets a password although the operator has no second factor yet. The login after it demands one.
    emailVerifiedAt: null,
    ...userFieldsOf({}),
    createdAt: now,
  }
  if (await insertAccount(change, user)) return id
  throw emailTaken(email, database)
}

/** Gives an operator a role in a place, or removes it. @throws {Problem} `owner_needed` */
async function putRight(
  change: Change,
  { userId, place, role }: { userId: string; place: Place; role: Operator['rights'][number]['role'] | null },
): Promise<Outcome<unknown>> {
  const path = { tenantId: place.id, userId }
  if (role !== 'owner' && place.id === change.database.id) await requireOtherOwner(change, userId)
  return role === null ? removeMember(change, path) : putMember(change, { ...path, role })
}

/** Changes a right of an operator. @throws {Problem} `user_not_found`; `owner_needed` */
export async function changeOperator(
  context: Context,
  { params: { operatorId: userId }, body: { workspace, role }, ...request }: OfOperator<ChangeOperatorBody>,
): Promise<Operator> {
  const database = await requireOperators(context)
  const place = await placeOf(context, database, workspace)
  await runChange(context, { ...request, database }, async (change) => {
    await ensurePlace(change, place)
    const { facts } = await putRight(change, { userId, place, role })
    return { result: undefined, facts }
  }).catch(unless('member_not_found'))
  return findOperator(context, database, userId)
}

/** Deletes an operator. Does nothing if there is none. @throws {Problem} `owner_needed` */
export async function removeOperator(context: Context, { params, ...request }: OfOperator) {
  const deletion = { userId: params.operatorId, throttle: context.throttle }
  const database = await requireOperators(context)
  await runChange(context, { ...request, database }, (change) => deleteUser(change, deletion)).catch(
    unless('user_not_found'),
  )
}
