import type { AppRoute, ClientInferRequest, ServerInferResponseBody } from '@ts-rest/core'
import { type DatabasePath, isHostOnly, operatorRightOf, type RoutesOf, scopeOf } from '@usher/contract'
import type { managementContract } from '@usher/contract/management'
import type { hostContract, operatorContract } from '@usher/contract/operator'
import type { Caller } from '../domain/caller.js'
import type { AppContext } from '../domain/context.js'
import { requireDatabase } from '../domain/management/databases.js'
import { requireWorkspace } from '../domain/management/workspaces.js'
import { ensureOperatorsDatabase } from '../domain/operators/operators-database.js'
import { Problem } from '../domain/problem.js'
import type { Log } from '../telemetry/audit.js'
import { requirePart } from './admit.js'
import { type Operation, operationOf, type Route, type Routes } from './operation.js'
import { hostRules, managementRules, operatorRules } from './rules.js'
import { run } from './run.js'
import { rejectInvalid, validate } from './validate.js'

/** The routes of all nouns, by name. No name is in both contracts twice. */
type EveryRoute = RoutesOf<Omit<typeof managementContract, 'service'>> &
  RoutesOf<Omit<typeof operatorContract, 'console'>> &
  RoutesOf<typeof hostContract>

/** The operations that the machine of the server may use: those of keys and of operators that are not about themselves. */
export type HostOperation = {
  [Name in keyof EveryRoute]: EveryRoute[Name] extends { metadata: { isOwn: true } } ? never : Name
}[keyof EveryRoute]

type RouteOf<Name extends HostOperation> = EveryRoute[Name] extends AppRoute ? EveryRoute[Name] : never

type Sent<Name extends HostOperation> = ClientInferRequest<RouteOf<Name>>
type PartOf<Name extends HostOperation, Parts> = Pick<Sent<Name>, Extract<keyof Sent<Name>, Parts>>

/** The parts of a request to an operation. */
export type RequestTo<Name extends HostOperation> = PartOf<Name, 'params' | 'body'> &
  Partial<PartOf<Name, 'query' | 'headers'>>

/** The body of a success. Undefined if it has none. */
export type ResponseOf<Name extends HostOperation> = RouteOf<Name>['responses'] extends infer Responses
  ? 200 extends keyof Responses
    ? ServerInferResponseBody<RouteOf<Name>, 200>
    : 201 extends keyof Responses
      ? ServerInferResponseBody<RouteOf<Name>, 201>
      : undefined
  : never

/** Sends a request to an operation, and returns the body of its success. @throws {Problem} */
export type Call = <Name extends HostOperation>(
  name: Name,
  request: RequestTo<Name>,
) => Promise<ResponseOf<Name>>

export interface HostDoor {
  context: AppContext
  /** URL of the console, if the operators' database has to be created. */
  consoleUrl: string
  caller: Caller
}

/**
 * Returns a function that runs operations in this process with the right of the machine of the server, which may do what keys and
 * operators may. Databases are read at each call, so that a change of any process counts immediately, and a problem may name similar
 * ones. The operators' database is created when it is first needed.
 */
export function createHostCall({ context, consoleUrl, caller }: HostDoor): Call {
  const { store } = context
  const find = async (path: DatabasePath) => context.openDatabase(await requireDatabase(store, path), path)
  const findOperators = async () => {
    const path = await ensureOperatorsDatabase({ store, now: new Date(context.now()), consoleUrl })
    return path && find(path)
  }
  const fresh = { ...context, findOperators }
  return async (name, request) => {
    const operation = await findOperation(name)
    const { params = {}, query = {}, headers = {}, body } = request as Partial<Record<string, unknown>>
    const { input, issues } = validate(operation, { params, query, headers, body })
    const path = params as DatabasePath
    if (issues) await rejectInvalid(fresh, operation, { issues, body, find: () => find(path) })
    const database = operation.isOfDatabase ? await find(path) : undefined
    if (database) requirePart(operation.route.metadata, database)
    const workspace = isOfWorkspace(operation) ? await requireWorkspace(store, path.workspaceSlug) : undefined
    const holder = { kind: 'host', workspace } as const
    return (await run(fresh, operation, { ...input, holder, caller, database })).body as never
  }
}

const isOfWorkspace = ({ route: { path } }: Operation) => /\/:workspaceSlug(?!.*\/:databaseName)/.test(path)

/** Returns an operation that the machine of the server may use. @throws {Problem} `route_not_found` */
async function findOperation(name: string): Promise<Operation> {
  for (const load of [loadManagement, loadOperators]) {
    const { contract, rules } = await load()
    for (const [noun, routes] of Object.entries(contract as unknown as Record<string, Routes>)) {
      const route = Object.hasOwn(routes, name) ? routes[name] : undefined
      const loadRules = rules[noun]
      if (route && loadRules && isForHost(route)) return operationOf(name, route, await loadRules())
    }
  }
  throw new Problem('route_not_found', { detail: `There is no operation ${name}.` })
}

const isForHost = ({ metadata }: Route) =>
  (isHostOnly(metadata) || (scopeOf(metadata) ?? operatorRightOf(metadata)) !== undefined) && !metadata.isOwn

type Loaded = { contract: object; rules: Readonly<Record<string, () => Promise<object>>> }

const loadManagement = async (): Promise<Loaded> => ({
  contract: (await import('@usher/contract/management')).managementContract,
  rules: managementRules,
})

const loadOperators = async (): Promise<Loaded> => {
  const { hostContract, operatorContract } = await import('@usher/contract/operator')
  return { contract: { ...operatorContract, ...hostContract }, rules: { ...operatorRules, ...hostRules } }
}

/** Returns a caller that waits for as long as its request takes. */
export const hostCaller = (log: Log): Caller => ({
  clientAddress: '',
  network: '',
  languages: [],
  deadline: Number.POSITIVE_INFINITY,
  log,
  askToWait: () => undefined,
  isDisconnected: () => false,
  onceDisconnected: () => () => undefined,
})
