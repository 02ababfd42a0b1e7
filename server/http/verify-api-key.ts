import { DatabasePath } from '@usher/contract'
import type { Scope } from '@usher/contract/management'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { validate as isUuid } from 'uuid'
import { admitApiKey } from '../domain/api-keys/admit-api-key.js'
import type { AppContext } from '../domain/context.js'
import { Problem } from '../domain/problem.js'
import type { KeyRequest } from '../domain/request.js'
import { readBearerToken } from './bearer-token.js'
import { RequestCaller } from './request-caller.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The result of `verifyApiKey`. Undefined for requests of the public API. */
    admitted?: Pick<KeyRequest, 'database' | 'caller' | 'apiKey' | 'read'>
  }
}

/**
 * Returns a hook that verifies the API key of a request before its body is read. So a client without a key cannot make the
 * server read a body, and gets no errors of its fields.
 *
 * @param needs.readsUser whether the operation only reads the user of its path
 */
export const verifyApiKey =
  (context: AppContext, { scope, readsUser }: { scope: Scope; readsUser: boolean }) =>
  async (
    request: Pick<FastifyRequest, 'params' | 'headers' | 'clientAddress' | 'log' | 'admitted'>,
    reply: Pick<FastifyReply, 'elapsedTime' | 'header'> & { raw: unknown },
  ) => {
    const { data: path } = DatabasePath.safeParse(request.params)
    if (!path) throw new Problem('database_not_found')
    const database = await context.findDatabase(path)
    const caller = new RequestCaller(request, reply, context.hashing)
    const bearer = readBearerToken(request.headers.authorization)
    const { userId } = request.params as { userId?: string }
    const credential = { bearer, scope, userId: readsUser && isUuid(userId) ? userId : undefined }
    const admitted = await admitApiKey(context, { database, caller }, credential)
    request.admitted = { database, caller, ...admitted }
  }
