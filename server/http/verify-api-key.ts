import { DatabasePath, type RouteMetadata } from '@usher/contract'
import type { Scope } from '@usher/contract/management'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { validate as isUuid } from 'uuid'
import { admitApiKey } from '../domain/api-keys/admit-api-key.js'
import type { AppContext } from '../domain/context.js'
import { isIssuedBy } from '../domain/operators/operator-token.js'
import { Problem } from '../domain/problem.js'
import type { KeyRequest } from '../domain/request.js'
import type { Holder } from '../run/run.js'
import { readBearerToken } from './bearer-token.js'
import { requireConsole } from './console-access.js'
import { RequestCaller } from './request-caller.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The result of `verifyApiKey`. Undefined for requests of the public API. */
    admitted?: Pick<KeyRequest, 'database' | 'caller'> & { holder: Holder }
  }
}

type Request = Pick<
  FastifyRequest,
  'id' | 'params' | 'headers' | 'clientAddress' | 'log' | 'admitted' | 'server' | 'raw'
>

/**
 * Returns a hook that verifies the API key of a request, or the token of an operator, before its body is read. So a client without a key cannot make the
 * server read a body, and gets no errors of its fields.
 */
export const verifyApiKey =
  (context: AppContext, { metadata, scope }: { metadata: RouteMetadata; scope: Scope }) =>
  async (request: Request, reply: Pick<FastifyReply, 'elapsedTime' | 'header'> & { raw: unknown }) => {
    const { data: path } = DatabasePath.safeParse(request.params)
    if (!path) throw new Problem('database_not_found')
    const database = await context.findDatabase(path)
    // Operators change operators in the operator API only.
    if (database.isOperators) throw new Problem('database_not_found')
    const caller = new RequestCaller(request, reply, context.hashing)
    const bearer = readBearerToken(request.headers.authorization)
    const isOperator = bearer && (await isOfOperator(context, request, bearer))
    if (isOperator) {
      const confirmation = request.headers['usher-confirmation']?.toString()
      const credentials = { caller, jwt: bearer, confirmation }
      // Loaded at the first request of an operator, because most servers have none.
      const { admitManagingOperator } = await import('../domain/operators/admit-operator.js')
      const operator = await admitManagingOperator(context, credentials, { metadata, database })
      const holder = { kind: 'operator', operator, requestId: request.id, confirmation } as const
      request.admitted = { database, caller, holder }
      return
    }
    const { userId } = request.params as { userId?: string }
    const credential = { bearer, scope, userId: metadata.readsUser && isUuid(userId) ? userId : undefined }
    const admitted = await admitApiKey(context, { database, caller }, credential)
    request.admitted = { database, caller, holder: { kind: 'key', ...admitted } }
  }

/** Returns whether a bearer token is that of an operator. An API key has no dots, so it costs nothing here. */
async function isOfOperator(context: AppContext, request: Request, bearer: string) {
  if (!bearer.includes('.') || !request.server.consoleAccess.isOn) return false
  const operators = await context.findOperators()
  if (!operators || !isIssuedBy(operators, bearer)) return false
  requireConsole(request)
  return true
}
