import { DatabasePath, type FieldError, type RouteMetadata, toFieldError, userTokenOf } from '@usher/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { initServer, type RequestValidationError } from '#ts-rest/fastify'
import type { AppContext } from '../domain/context.js'
import { type Database, loginMailOf } from '../domain/databases/find-database.js'
import { hasPasskeys } from '../domain/databases/relying-party.js'
import { newPasswordErrors } from '../domain/passwords/policy.js'
import { Problem, validationFailed } from '../domain/problem.js'
import { admitToken } from '../domain/tokens/admit-token.js'
import { type Operation, operationOf, type Route, type Routes, type RulesOf } from '../run/operation.js'
import { type Holder, run } from '../run/run.js'
import type { Input } from '../run/validate.js'
import { readBearerToken } from './bearer-token.js'
import { requireServed } from './console-access.js'
import { hooksBeforeBody } from './hooks-before-body.js'
import { named } from './plugin-name.js'
import { RequestCaller } from './request-caller.js'

/** Whether a database has a part. */
const isOn: Record<NonNullable<RouteMetadata['on']>, (database: Database) => boolean> = {
  account: ({ accountOperations }) => accountOperations,
  tenants: ({ tenantOperations }) => tenantOperations,
  loginMail: (database) => loginMailOf(database) !== 'off',
  factors: ({ secondFactor }) => secondFactor !== 'off',
  passkeys: hasPasskeys,
}

/** What ts-rest passes to a handler. */
interface Exchange extends Input {
  params: DatabasePath
  request: FastifyRequest
  reply: Pick<FastifyReply, 'elapsedTime'> & {
    raw: unknown
    header: (name: string, value: string | number) => unknown
  }
}

/**
 * Serves operations by the contract's metadata of each: finds the database, verifies the API key, sheds load, verifies
 * the token and reads its user, and passes the request to the rule.
 */
export function serveOperations<R extends Routes>(
  app: FastifyInstance,
  context: AppContext,
  { routes, rules }: { routes: R; rules: RulesOf<R> },
) {
  const server = initServer()
  const handlers = Object.entries(routes).map(([name, route]) => {
    const { metadata } = route
    const find = finderOf(context, metadata)
    const hooks = { onRequest: hooksBeforeBody(app, context, { metadata, find }) }
    return [name, { hooks, handler: handlerOf({ context, find }, operationOf(name, route, rules)) }]
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

/** Returns the handler of an operation. */
function handlerOf(
  { context, find }: { context: AppContext; find: (path: DatabasePath) => Promise<Database> },
  operation: Operation,
) {
  const token = userTokenOf(operation.route.metadata)
  return async ({ params, query, body, headers, request, reply }: Exchange) => {
    const { admitted: keyed } = request
    const database = keyed?.database ?? (await find(params))
    if (!keyed) requireServed(request, database)
    const caller = keyed?.caller ?? new RequestCaller(request, reply, context.hashing)
    const jwt = token && readBearerToken(request.headers.authorization)
    if (token === 'needed' && !jwt) throw new Problem('token_missing')
    const user = jwt ? await admitToken(context, { database, caller }, jwt) : undefined
    const holder: Holder = keyed?.holder ?? (user ? { kind: 'user', ...user } : { kind: 'visitor' })
    const done = await run(context, operation, { holder, database, caller, params, query, body, headers })
    if (done.etag) reply.header('etag', done.etag)
    return { status: done.status, body: done.body }
  }
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
