import type { AppRoute, ServerInferRequest, ServerInferResponseBody } from '@ts-rest/core'
import {
  Accepted,
  DatabasePath,
  type FieldError,
  type RouteMetadata,
  type StartedLogin,
  toFieldError,
  userTokenOf,
} from '@usher/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { initServer, type RequestValidationError } from '#ts-rest/fastify'
import { requireScopes } from '../domain/api-keys/admit-api-key.js'
import type { Actor } from '../domain/change.js'
import type { AppContext } from '../domain/context.js'
import { type Database, loginMailOf } from '../domain/databases/find-database.js'
import { hasPasskeys } from '../domain/databases/relying-party.js'
import { ifStepMissing } from '../domain/factors/step.js'
import { rightsNeededBy } from '../domain/field-rights.js'
import { etagOf } from '../domain/management/etag.js'
import type { Managed } from '../domain/operators/manage.js'
import { newPasswordErrors } from '../domain/passwords/policy.js'
import { Problem, validationFailed } from '../domain/problem.js'
import type { DatabaseRequest, KeyRequest, UserRequest } from '../domain/request.js'
import { admitToken } from '../domain/tokens/admit-token.js'
import { readBearerToken } from './bearer-token.js'
import { requireServed } from './console-access.js'
import { hooksBeforeBody } from './hooks-before-body.js'
import { named } from './plugin-name.js'
import { RequestCaller } from './request-caller.js'

type Route = AppRoute & { metadata: RouteMetadata }
type Routes = Record<string, Route>

/** The request that a rule gets. It has the user of the token if the operation needs one. */
type RequestOf<R extends Route> = Omit<ServerInferRequest<R>, 'headers'> & {
  body: unknown
  headers: ServerInferRequest<R>['headers']
} & (R['metadata'] extends { who: { user: 'needed' } }
    ? UserRequest<BodyOf<R>>
    : R['metadata'] extends { who: { key: string } }
      ? KeyRequest<BodyOf<R>>
      : R['metadata'] extends { who: { user: 'optional' } }
        ? DatabaseRequest<BodyOf<R>> & Partial<UserRequest>
        : DatabaseRequest<BodyOf<R>>)

type BodyOf<R extends Route> = ServerInferRequest<R> extends { body: infer Body } ? Body : unknown

/** The body of a successful response. For 204, and where the contract has `Accepted`, the result of the rule is not sent. */
type ResultOf<R extends Route> = 200 extends keyof R['responses']
  ? ServerInferResponseBody<R, 200>
  : 201 extends keyof R['responses']
    ? ServerInferResponseBody<R, 201>
    : R['responses'] extends { 202: typeof StartedLogin }
      ? StartedLogin
      : unknown

export interface ServedOperations<R extends Routes> {
  /** Operations of the contract, under the path of a database. */
  routes: R
  /** The rule of each operation. */
  rules: {
    [Name in keyof R]: (context: AppContext, request: RequestOf<R[Name]>) => Promise<ResultOf<R[Name]>>
  }
}

/** Whether a database has a part. */
const isOn: Record<NonNullable<RouteMetadata['on']>, (database: Database) => boolean> = {
  account: ({ accountOperations }) => accountOperations,
  tenants: ({ tenantOperations }) => tenantOperations,
  loginMail: (database) => loginMailOf(database) !== 'off',
  factors: ({ secondFactor }) => secondFactor !== 'off',
  passkeys: hasPasskeys,
}

/** What ts-rest passes to a handler. */
interface Exchange {
  params: DatabasePath & Managed['params']
  query: unknown
  body: unknown
  headers: unknown
  request: FastifyRequest
  reply: Pick<FastifyReply, 'elapsedTime'> & {
    raw: unknown
    header: (name: string, value: string | number) => unknown
  }
}

type Rule = (context: AppContext, request: object) => Promise<unknown>

/**
 * Serves operations by the contract's metadata of each: finds the database, verifies the API key, sheds load, verifies
 * the token and reads its user, and passes the request to the rule.
 */
export function serveOperations<R extends Routes>(
  app: FastifyInstance,
  context: AppContext,
  { routes, rules }: ServedOperations<R>,
) {
  const server = initServer()
  const handlers = Object.entries(routes).map(([name, route]) => {
    const { metadata } = route
    const find = finderOf(context, metadata)
    const hooks = { onRequest: hooksBeforeBody(app, context, { metadata, find }) }
    return [
      name,
      { hooks, handler: handlerOf({ context, find }, { name, route, rule: rules[name] as Rule }) },
    ]
  })
  const plugin = server.plugin(server.router(routes, Object.fromEntries(handlers)))
  app.register(named('operations', plugin), {
    requestValidationErrorHandler: async (error, request) => {
      rejectInvalidPath(error)
      const ofQuery = fieldErrors(error.query).map((each) => ({ ...each, path: each.path || 'query' }))
      const errors = [
        ...[error.pathParams, error.headers].flatMap(fieldErrors),
        ...ofQuery,
        ...fieldErrors(error.body),
      ]
      const metadata = metadataOf(request)
      const { newPassword: field, on } = metadata
      const database =
        on || field ? await finderOf(context, metadata)(request.params as DatabasePath) : undefined
      if (database && !request.admitted) requireServed(request, database)
      if (!database || !field) throw validationFailed(errors)
      throw validationFailed(
        await newPasswordErrors(context, { database, body: request.body, field }, errors),
      )
    },
  })
}

/** Returns a function that finds a database in which an operation exists. */
function finderOf(context: AppContext, { on }: RouteMetadata) {
  if (!on) return (path: DatabasePath) => context.findDatabase(path)
  return async (path: DatabasePath) => {
    const database = await context.findDatabase(path)
    if (!isOn[on](database)) throw new Problem('route_not_found')
    return database
  }
}

/** Runs an operation for an operator. Loaded at the first request of an operator, because most servers have none. */
async function runManaged(
  ...parameters: Parameters<typeof import('../domain/operators/manage.js').runManaged>
) {
  const manage = await import('../domain/operators/manage.js')
  return manage.runManaged(...parameters)
}

/** Returns the handler of an operation. */
function handlerOf(
  { context, find }: { context: AppContext; find: (path: DatabasePath) => Promise<Database> },
  { name, route: { responses, metadata }, rule }: { name: string; route: Route; rule: Rule },
) {
  const status = Object.keys(responses)
    .map(Number)
    .find((each) => each < 300)
  const token = userTokenOf(metadata)
  return async ({ params, query, body, headers, request, reply }: Exchange) => {
    const { admitted: keyed } = request
    const database = keyed?.database ?? (await find(params))
    if (!keyed) requireServed(request, database)
    const caller = keyed?.caller ?? new RequestCaller(request, reply, context.hashing)
    const jwt = token && readBearerToken(request.headers.authorization)
    if (token === 'needed' && !jwt) throw new Problem('token_missing')
    const admitted = jwt ? await admitToken(context, { database, caller }, jwt) : undefined
    const { user, claims } = admitted ?? {}
    const { apiKey, read, operator } = keyed ?? {}
    if (apiKey && metadata.fields) requireScopes(apiKey, rightsNeededBy(body, metadata.fields))
    const actor: Actor = operator ? { kind: 'operator', operator: operator.user } : actorOf(user, apiKey)
    const input = { database, caller, params, query, body, headers, user, claims, apiKey, actor, read }
    const run = () => rule(context, input).catch(ifStepMissing(context, database))
    const managed = { operation: name, metadata, operator, request, params, body }
    const result = await (operator ? runManaged(context, { ...managed, operator }, run) : run())
    if (metadata.changeable) reply.header('etag', etagOf(result as object, metadata.changeable))
    return { status, body: status === 204 ? undefined : responses[202] === Accepted ? {} : result }
  }
}

const actorOf = (user: UserRequest['user'] | undefined, apiKey: KeyRequest['apiKey'] | undefined): Actor => {
  if (user) return { kind: 'user', user }
  return apiKey ? { kind: 'backend', apiKey } : { kind: 'visitor' }
}

/** Treats an invalid database path as the path of an unknown database. */
function rejectInvalidPath({ pathParams }: Pick<RequestValidationError, 'pathParams'>) {
  if (fieldErrors(pathParams).some(({ path }) => path in DatabasePath.shape))
    throw new Problem('database_not_found')
}

const metadataOf = ({ routeOptions: { config } }: FastifyRequest) =>
  (config as unknown as { tsRestRoute: Route }).tsRestRoute.metadata

/** Returns the field errors that the contract found in a part of a request. */
export const fieldErrors = (
  part: RequestValidationError['body'] | RequestValidationError['headers'],
): FieldError[] => part?.issues.map(toFieldError) ?? []
