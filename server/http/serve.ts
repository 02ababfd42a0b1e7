import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../domain/context.js'
import { networkOf } from '../domain/throttle/client-network.js'
import { type Admitted, admissionOf, admitUser, findOfUser } from '../run/admit.js'
import { type Operation, operationOf, type Route, type Routes } from '../run/operation.js'
import { run } from '../run/run.js'
import { rejectInvalid, validate } from '../run/validate.js'
import { RequestCaller } from './request-caller.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** What admission before the body has found. Undefined for requests of users. */
    admitted: Admitted | undefined
  }
  interface FastifyContextConfig {
    /** The operation of a contract. Other routes have none. */
    operation?: Operation
  }
}

/** A contract, and what loads the rules of its nouns. */
export interface Api {
  contract: object
  rules: Readonly<Record<string, () => Promise<object>>>
  /** Bytes of the longest body. By default those of the app. */
  maxBytes?: number
}

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
  for (const [noun, load] of Object.entries(rules)) {
    const routes = Object.entries((contract as Record<string, Routes>)[noun] ?? {})
    const served = routes.filter(([, route]) => includes(route))
    const loaded = served.length > 0 ? await load() : {}
    for (const [name, route] of served)
      serveOperation(app, context, { operation: operationOf(name, route, loaded), maxBytes })
  }
}

function serveOperation(
  app: FastifyInstance,
  context: AppContext,
  { operation, maxBytes }: { operation: Operation; maxBytes: number | undefined },
) {
  const { method, path, metadata } = operation.route
  const bodyLimit = metadata.maxBytes ?? maxBytes
  const admit = admissionOf(context, operation, app.consoleAccess)
  const onRequest = [
    ...(admit ? [admitBeforeBody(context, admit)] : []),
    ...(metadata.hashesPassword ? [shedLoad(context)] : []),
  ]
  app.route({
    method,
    url: path,
    config: { operation },
    onRequest,
    handler: handlerOf(context, operation),
    ...(bodyLimit && { bodyLimit }),
  })
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
  (context: AppContext, operation: Operation) => async (request: FastifyRequest, reply: FastifyReply) => {
    const { admitted, params, query, headers, body } = request
    const caller = admitted?.caller ?? new RequestCaller(request, reply, context.hashing)
    const { input, errors } = validate(operation, { params, query, headers, body })
    if (errors.length > 0) {
      const find = async () => admitted?.database ?? findOfUser(context, operation, { caller, params })
      await rejectInvalid(context, operation, { errors, body, find })
    }
    const found = admitted ?? (await admitUser(context, operation, { caller, params: input.params }))
    const done = await run(context, operation, { ...input, ...found })
    if (done.etag) reply.header('etag', done.etag)
    return reply.status(done.status).send(done.body)
  }
