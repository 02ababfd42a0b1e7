import {
  DatabasePath,
  operatorRightOf,
  type RouteMetadata,
  scopeOf,
  takesPortal,
  takesTenantToken,
  userTokenOf,
} from '@usher/contract'
import type { Scope } from '@usher/contract/management'
import { validate as isUuid } from 'uuid'
import { admitApiKey } from '../domain/api-keys/admit-api-key.js'
import type { Caller } from '../domain/caller.js'
import type { AppContext } from '../domain/context.js'
import { type Database, loginMailOf } from '../domain/databases/find-database.js'
import { hasPasskeys } from '../domain/databases/relying-party.js'
import { isIssuedBy } from '../domain/operators/operator-token.js'
import { Problem } from '../domain/problem.js'
import { isPortalToken } from '../domain/sso/portal-token.js'
import { admitToken } from '../domain/tokens/admit-token.js'
import type { Operation } from './operation.js'
import type { Holder, RunRequest } from './run.js'

/** A caller, what it sends to prove who it is, and what its port serves. */
export interface Arrival extends Caller {
  requestId: string
  bearer: string | undefined
  confirmation: string | undefined
  /** Whether the port serves the console and the operator API, at least to some clients. */
  hasConsole: boolean
  /** @throws {Problem} `route_not_found` unless the port serves them to this client */
  requireConsole(): void
  /** @throws {Problem} `database_not_found` unless the port serves the users of a database to this client */
  requireServed(database: Pick<Database, 'isOperators'>): void
}

/** What admission has found. */
export type Admitted = Pick<RunRequest, 'holder' | 'database'> & { caller: Arrival }

type Params = Readonly<Record<string, string | undefined>>
type Admit = (caller: Arrival, params: Params) => Promise<Admitted | undefined>

/**
 * Returns how a request to an operation is admitted before its body is read, so that a client without rights cannot make the server
 * read a body, and gets no errors of its fields. Undefined: with the body, by {@link admitUser}.
 *
 * @param port.hasUsers whether it serves the users of all databases
 */
export function admissionOf(
  context: AppContext,
  operation: Operation,
  { hasUsers }: { hasUsers: boolean },
): Admit | undefined {
  const { metadata } = operation.route
  const scope = scopeOf(metadata)
  if (takesPortal(metadata)) return (caller, params) => admitSetup(context, operation, { caller, params })
  if (scope) return (caller, params) => admitManaging(context, { metadata, scope }, { caller, params })
  if (operatorRightOf(metadata))
    return (caller, params) => admitOperator(context, metadata, { caller, params })
  if (!operation.isOfDatabase) return async (caller) => admitToConsole(caller)
  return hasUsers ? undefined : async (caller, params) => requireFound(context, operation, { caller, params })
}

/** Whether a database has a part. */
const isOn: Record<NonNullable<RouteMetadata['on']>, (database: Database) => boolean> = {
  account: ({ accountOperations }) => accountOperations,
  tenants: ({ tenantOperations }) => tenantOperations,
  sso: ({ singleSignOn, isOperators }) => singleSignOn && !isOperators,
  loginMail: (database) => loginMailOf(database) !== 'off',
  factors: ({ secondFactor }) => secondFactor !== 'off',
  passkeys: hasPasskeys,
  botCheck: ({ botCheck }) => botCheck !== 'off',
}

/** @throws {Problem} `route_not_found` if the database does not have the part of an operation */
export function requirePart({ on }: Pick<RouteMetadata, 'on'>, database: Database) {
  if (on && !isOn[on](database)) throw new Problem('route_not_found')
}

/**
 * Returns the database of a request of a user.
 *
 * @throws {Problem} `database_not_found`, also if the port does not serve it; `route_not_found` if it does not have the operation
 */
export async function findOfUser(
  { findDatabase }: AppContext,
  { route: { metadata } }: Operation,
  { caller, params }: { caller: Arrival; params: unknown },
): Promise<Database> {
  const database = await findDatabase(params as DatabasePath)
  requirePart(metadata, database)
  caller.requireServed(database)
  return database
}

async function requireFound(
  context: AppContext,
  operation: Operation,
  { caller, params }: { caller: Arrival; params: Params },
) {
  await findOfUser(context, operation, { caller, params: requirePath(params) })
  return undefined
}

/** @throws {Problem} `database_not_found` */
function requirePath(params: unknown): DatabasePath {
  const { data } = DatabasePath.safeParse(params)
  if (!data) throw new Problem('database_not_found')
  return data
}

/** Admits a user, or a visitor, whose request is valid. @throws {Problem} as {@link findOfUser}; `token_missing`; `own_login_required`; those of `admitToken` */
export async function admitUser(
  context: AppContext,
  operation: Operation,
  { caller, params }: { caller: Arrival; params: unknown },
): Promise<Admitted> {
  const token = userTokenOf(operation.route.metadata)
  const database = await findOfUser(context, operation, { caller, params })
  const jwt = token && caller.bearer
  if (token === 'needed' && !jwt) throw new Problem('token_missing')
  if (!jwt) return { holder: { kind: 'visitor' }, database, caller }
  const admitted = await admitToken(context, { database, caller }, jwt)
  if (admitted.claims.isTenantOnly && !takesTenantToken(operation.route.metadata))
    throw new Problem('own_login_required')
  return { holder: { kind: 'user', ...admitted }, database, caller }
}

/** Admits a user, or a browser that has opened the portal of the tenant, before the body is read. @throws {Problem} as {@link admitUser} */
async function admitSetup(
  context: AppContext,
  operation: Operation,
  { caller, params }: { caller: Arrival; params: Params },
): Promise<Admitted> {
  const path = requirePath(params)
  const { bearer } = caller
  if (!isPortalToken(bearer)) return admitUser(context, operation, { caller, params: path })
  const database = await findOfUser(context, operation, { caller, params: path })
  const { admitPortal } = await import('../domain/sso/portal.js')
  return {
    holder: { kind: 'portal', portal: await admitPortal(context, { database, caller }, bearer) },
    database,
    caller,
  }
}

/** Admits anyone to an operation without a token. */
function admitToConsole(caller: Arrival): Admitted {
  caller.requireConsole()
  return { holder: { kind: 'visitor' }, database: undefined, caller }
}

// Loaded at the first request of an operator, because most servers have none.
const loadOperators = () => import('../domain/operators/admit-operator.js')

async function admitOperator(
  context: AppContext,
  { who, confirms }: RouteMetadata,
  { caller, params }: { caller: Arrival; params: Params },
): Promise<Admitted> {
  caller.requireConsole()
  const right = operatorRightOf({ who }) as NonNullable<ReturnType<typeof operatorRightOf>>
  const { admitOperator } = await loadOperators()
  const { workspaceSlug } = params
  const operator = await admitOperator(context, credentialsOf(caller), { right, confirms, workspaceSlug })
  return { holder: operatorHolder(caller, operator), database: undefined, caller }
}

const credentialsOf = (caller: Arrival) => ({ caller, jwt: caller.bearer, confirmation: caller.confirmation })

const operatorHolder = (
  { requestId, confirmation }: Arrival,
  operator: Extract<Holder, { kind: 'operator' }>['operator'],
): Holder => ({ kind: 'operator', operator, requestId, confirmation })

/** Admits an API key, or an operator, to an operation of the management API. */
async function admitManaging(
  context: AppContext,
  { metadata, scope }: { metadata: RouteMetadata; scope: Scope },
  { caller, params }: { caller: Arrival; params: Params },
): Promise<Admitted> {
  const database = await context.findDatabase(requirePath(params))
  // Operators change operators in the operator API only.
  if (database.isOperators) throw new Problem('database_not_found')
  const { bearer } = caller
  if (await isOfOperator(context, caller)) {
    const { admitManagingOperator } = await loadOperators()
    const operator = await admitManagingOperator(context, credentialsOf(caller), { metadata, database })
    requirePart(metadata, database)
    return { holder: operatorHolder(caller, operator), database, caller }
  }
  const { userId } = params
  const credential = { bearer, scope, userId: metadata.readsUser && isUuid(userId) ? userId : undefined }
  const admitted = await admitApiKey(context, { database, caller }, credential)
  requirePart(metadata, database)
  return { holder: { kind: 'key', ...admitted }, database, caller }
}

/** Returns whether a bearer token is that of an operator. An API key has no dots, so it costs nothing here. */
async function isOfOperator(context: AppContext, caller: Arrival) {
  const { bearer, hasConsole } = caller
  if (!bearer?.includes('.') || !hasConsole) return false
  const operators = await context.findOperators()
  if (!operators || !isIssuedBy(operators, bearer)) return false
  caller.requireConsole()
  return true
}
