import type { OperatorRight } from '@usher/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { initServer } from '#ts-rest/fastify'
import type { AppContext } from '../domain/context.js'
import { admitOperator } from '../domain/operators/admit-operator.js'
import type { AdmittedOperator } from '../domain/operators/operator-request.js'
import { validationFailed } from '../domain/problem.js'
import { type Operation, operationOf, type Route, type RulesOf } from '../run/operation.js'
import { run } from '../run/run.js'
import type { Input } from '../run/validate.js'
import { readBearerToken } from './bearer-token.js'
import { requireConsole } from './console-access.js'
import { named } from './plugin-name.js'
import { RequestCaller } from './request-caller.js'
import { fieldErrors } from './serve-operations.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The operator of a request, and the rights that count. Undefined for requests without the token of an operator. */
    operator?: AdmittedOperator
  }
}

export type OperatorRoute = Route & { metadata: { who: OperatorRight } }

type Path = Readonly<Record<string, string | undefined>>

/** What ts-rest passes to a handler. */
interface Exchange extends Partial<Input> {
  request: FastifyRequest
  reply: Pick<FastifyReply, 'elapsedTime'> & {
    raw: unknown
    header: (name: string, value: string | number) => unknown
  }
}

/**
 * Serves operations of the operator API by the contract's metadata of each: admits the operator before the body is read, and records
 * each change before it runs.
 */
export function serveOperatorOperations<R extends Record<string, OperatorRoute>>(
  app: FastifyInstance,
  context: AppContext,
  { routes, rules }: { routes: R; rules: RulesOf<R> },
) {
  const server = initServer()
  const handlers = Object.entries(routes).map(([name, route]) => [
    name,
    {
      hooks: { onRequest: [admit(context, route)] },
      handler: handlerOf(context, operationOf(name, route, rules)),
    },
  ])
  const plugin = server.plugin(server.router(routes, Object.fromEntries(handlers)))
  app.register(named('operations of operators', plugin), {
    requestValidationErrorHandler: (error) => {
      const parts = [error.pathParams, error.headers, error.query, error.body]
      throw validationFailed(parts.flatMap((part) => fieldErrors(part)))
    },
  })
}

/** Returns a hook that admits the operator of a request to an operation. */
const admit =
  (context: AppContext, { metadata: { who, confirms } }: OperatorRoute) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    requireConsole(request)
    const { authorization, 'usher-confirmation': confirmation } = request.headers
    request.operator = await admitOperator(
      context,
      {
        caller: new RequestCaller(request, reply, context.hashing),
        jwt: readBearerToken(authorization),
        confirmation: typeof confirmation === 'string' ? confirmation : undefined,
      },
      { right: who, confirms, workspaceSlug: (request.params as Path).workspaceSlug },
    )
  }

/** Returns the handler of an operation. */
const handlerOf =
  (context: AppContext, operation: Operation) =>
  async ({ request, reply, params, query, headers, body }: Exchange) => {
    const operator = request.operator as AdmittedOperator
    const caller = new RequestCaller(request, reply, context.hashing)
    const confirmation = request.headers['usher-confirmation']?.toString()
    const holder = { kind: 'operator', operator, requestId: request.id, confirmation } as const
    const input = { params, query, headers, body }
    const done = await run(context, operation, { holder, caller, database: undefined, ...input })
    if (done.etag) reply.header('etag', done.etag)
    return { status: done.status, body: done.body }
  }
