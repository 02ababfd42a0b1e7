import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { initServer } from '#ts-rest/fastify'
import type { AppContext } from '../domain/context.js'
import { networkOf } from '../domain/throttle/client-network.js'
import { type Admitted, admissionOf, admitUser, findOfUser } from '../run/admit.js'
import { type Input, type Operation, operationOf, type Route, type Routes } from '../run/operation.js'
import { run } from '../run/run.js'
import { type Issues, rejectInvalid } from '../run/validate.js'
import { RequestCaller } from './request-caller.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** What admission before the body has found. Undefined for requests of users. */
    admitted: Admitted | undefined
  }
  interface FastifyContextConfig {
    /** The operation of a contract, as ts-rest registers it. Other routes have none. */
    tsRestRoute?: Route
  }
}

/** A contract, and what loads the rules of its nouns. */
export interface Api {
  contract: object
  rules: Readonly<Record<string, () => Promise<object>>>
  /** Bytes of the longest body. By default those of the app. */
  maxBytes?: number
}

/** What ts-rest passes to a handler: the parts of a request as the contract reads them. */
type Exchange = Input & { request: FastifyRequest; reply: FastifyReply }

const server = initServer()

/**
 * Serves the operations of a contract by their metadata.
 *
 * @param door.includes whether the port serves an operation
 */
export async function serve(
  app: FastifyInstance,
  { contract, rules, maxBytes }: Api,
  { context, includes = () => true }: { context: AppContext; includes?: (route: Route) => boolean },
) {
  const operations = new Map<Route, Operation>()
  // In parallel, because a process starts sooner.
  await Promise.all(
    Object.entries(rules).map(async ([noun, load]) => {
      const routes = Object.entries((contract as Record<string, Routes>)[noun] ?? {})
      const served = routes.filter(([, route]) => includes(route))
      const loaded = served.length > 0 ? await load() : {}
      for (const [name, route] of served) operations.set(route, operationOf(name, route, loaded))
    }),
  )
  const byName = <Value>(describe: (operation: Operation) => Value) =>
    Object.fromEntries([...operations.values()].map((operation) => [operation.name, describe(operation)]))
  const router = server.router(
    byName(({ route }) => route),
    byName((operation) => servedBy(app, context, { operation, maxBytes })),
  )
  app.register(named('operations', server.plugin(router)), {
    async requestValidationErrorHandler(error, request, reply) {
      const operation = operations.get(request.routeOptions.config.tsRestRoute as Route) as Operation
      const { admitted, params, body } = request
      const caller = admitted?.caller ?? new RequestCaller(request, reply, context.hashing)
      const find = async () => admitted?.database ?? findOfUser(context, operation, { caller, params })
      const issues = {
        params: error.pathParams?.issues,
        headers: error.headers?.issues,
        query: error.query?.issues,
        body: error.body?.issues,
      } as Issues
      await rejectInvalid(context, operation, { issues, body, find })
    },
  })
}

/** Names a plugin. Fastify would look for its name in all loaded modules. */
const named = <Plugin extends object>(name: string, plugin: Plugin): Plugin =>
  Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name })

/** Returns how a port serves an operation. ts-rest passes the limit of the body on with the hooks. */
function servedBy(
  app: FastifyInstance,
  context: AppContext,
  { operation, maxBytes }: { operation: Operation } & Pick<Api, 'maxBytes'>,
) {
  const { metadata } = operation.route
  const bodyLimit = metadata.maxBytes ?? maxBytes
  const admit = admissionOf(context, operation, app.consoleAccess)
  const onRequest = [
    ...(admit ? [admitBeforeBody(context, admit)] : []),
    ...(metadata.hashesPassword ? [shedLoad(context)] : []),
  ]
  const hooks = { onRequest, ...(bodyLimit && { bodyLimit }) }
  return { hooks, handler: handlerOf(context, operation) as never }
}

const admitBeforeBody =
  ({ hashing }: AppContext, admit: NonNullable<ReturnType<typeof admissionOf>>) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const caller = new RequestCaller(request, reply, hashing)
    request.admitted = await admit(caller, request.params as Readonly<Record<string, string>>)
  }

/** Returns a hook that rejects a request while too many wait for hashes. */
const shedLoad =
  ({ hashing }: AppContext) =>
  ({ clientAddress }: FastifyRequest, _reply: FastifyReply, done: () => void) => {
    hashing.assertCapacity(networkOf(clientAddress))
    done()
  }

const handlerOf =
  (context: AppContext, operation: Operation) =>
  async ({ params, query, headers, body, request, reply }: Exchange) => {
    const caller = request.admitted?.caller ?? new RequestCaller(request, reply, context.hashing)
    const found = request.admitted ?? (await admitUser(context, operation, { caller, params }))
    const done = await run(context, operation, { params, query, headers, body, ...found })
    if (done.etag) reply.header('etag', done.etag)
    return { status: done.status, body: done.body }
  }
