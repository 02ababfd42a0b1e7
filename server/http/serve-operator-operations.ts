import type { AppRoute, ServerInferRequest, ServerInferResponseBody } from '@ts-rest/core'
import type { OperatorRight, RouteMetadata } from '@usher/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { initServer } from '#ts-rest/fastify'
import type { AppContext } from '../domain/context.js'
import { etagOf } from '../domain/management/etag.js'
import { runRecorded } from '../domain/operators/actions.js'
import { admitOperator } from '../domain/operators/admit-operator.js'
import { requireFieldRights } from '../domain/operators/manage.js'
import type { AdmittedOperator, OperatorRequest } from '../domain/operators/operator-request.js'
import { validationFailed } from '../domain/problem.js'
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

type OperatorRoute = AppRoute & { metadata: RouteMetadata & { who: OperatorRight } }
type Routes = Record<string, OperatorRoute>

type RequestOf<R extends OperatorRoute> = Omit<ServerInferRequest<R>, 'body'> &
  OperatorRequest<ServerInferRequest<R> extends { body: infer Body } ? Body : unknown>

type ResultOf<R extends OperatorRoute> = 200 extends keyof R['responses']
  ? ServerInferResponseBody<R, 200>
  : 201 extends keyof R['responses']
    ? ServerInferResponseBody<R, 201>
    : unknown

/** The rule of each operation. */
export type OperatorRules<R extends Routes> = {
  [Name in keyof R]: (context: AppContext, request: RequestOf<R[Name]>) => Promise<ResultOf<R[Name]>>
}

type Rule = (context: AppContext, request: object) => Promise<unknown>
type Path = Readonly<Record<string, string | undefined>>

/** What ts-rest passes to a handler. */
interface Exchange {
  params?: Path
  body?: unknown
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
export function serveOperatorOperations<R extends Routes>(
  app: FastifyInstance,
  context: AppContext,
  { routes, rules }: { routes: R; rules: OperatorRules<R> },
) {
  const server = initServer()
  const handlers = Object.entries(routes).map(([name, route]) => [
    name,
    {
      hooks: { onRequest: [admit(context, route)] },
      handler: handlerOf(context, { name, route, rule: rules[name] as Rule }),
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
function handlerOf(
  context: AppContext,
  { name, route, rule }: { name: string; route: OperatorRoute; rule: Rule },
) {
  const { responses, metadata } = route
  const status = Object.keys(responses)
    .map(Number)
    .find((each) => each < 300)
  return async ({ request, reply, params = {}, ...input }: Exchange) => {
    const admitted = request.operator as AdmittedOperator
    const { user: operator, operators } = admitted
    const caller = new RequestCaller(request, reply, context.hashing)
    const confirmation = request.headers['usher-confirmation']
    await requireFieldRights(context, admitted, { metadata, body: input.body, confirmation })
    const run = () =>
      rule(context, { ...input, ...admitted, params, caller, actor: { kind: 'operator', operator } })
    const recorded = {
      action: name,
      operator,
      databaseId: operators.id,
      requestId: request.id,
      params,
      body: input.body,
      run,
    }
    const result = await (metadata.records ? runRecorded(context, request.log, recorded) : run())
    if (metadata.changeable) reply.header('etag', etagOf(result as object, metadata.changeable))
    return { status, body: status === 204 ? undefined : result }
  }
}
