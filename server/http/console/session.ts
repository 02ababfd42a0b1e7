import { OpenSessionBody, type Session, toFieldError } from '@usher/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { requireOperators } from '../../domain/operators/operators-database.js'
import { Problem, validationFailed } from '../../domain/problem.js'
import { endSession } from '../../domain/sessions/end-sessions.js'
import { openSession } from '../../domain/sessions/open-session.js'
import { refreshSession } from '../../domain/sessions/refresh-session.js'
import { admitToken } from '../../domain/tokens/admit-token.js'
import { readBearerToken } from '../bearer-token.js'
import { requireConsole } from '../console-access.js'
import { RequestCaller } from '../request-caller.js'

const name = '__Host-usher-console'
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'
const path = '/console/session'

/**
 * Serves the session of an operator in a browser. The refresh token is in a cookie that no script reads, and that no other route
 * reads. Everything else takes the access token, which the page has in memory, so that another site can change nothing.
 */
export function sessionRoute(app: FastifyInstance, context: AppContext) {
  const onRequest = async (request: FastifyRequest) => {
    requireConsole(request)
    requireSameOrigin(request)
  }
  app.post(path, { onRequest }, async (request, reply) => {
    const { database, caller } = await findOperators(context, request, reply)
    const jwt = readBearerToken(request.headers.authorization)
    if (!jwt) throw new Problem('token_missing')
    const { data: body, error } = OpenSessionBody.optional().safeParse(request.body ?? undefined)
    if (error) throw validationFailed(error.issues.map(toFieldError))
    const { user, claims } = await admitToken(context, { database, caller }, jwt)
    const actor = { kind: 'user', user } as const
    const session = await openSession(context, { database, caller, actor, body, user, claims })
    return send(reply.status(201), session)
  })
  app.put(path, { onRequest }, async (request, reply) => {
    const at = await findOperators(context, request, reply)
    const body = { refreshToken: requireCookie(request) }
    return send(reply, await refreshSession(context, { ...at, actor: { kind: 'visitor' }, body }))
  })
  app.delete(path, { onRequest }, async (request, reply) => {
    const at = await findOperators(context, request, reply)
    const refreshToken = readCookie(request)
    if (refreshToken) await endSession(context, { ...at, actor: { kind: 'visitor' }, body: { refreshToken } })
    return reply.status(204).header('set-cookie', `${name}=; ${attributes}; Max-Age=0`).send()
  })
}

async function findOperators(context: AppContext, request: FastifyRequest, reply: FastifyReply) {
  const database = await requireOperators(context)
  return { database, caller: new RequestCaller(request, reply, context.hashing) }
}

/** Sends a session without its refresh token, which is in the cookie. */
function send(reply: FastifyReply, session: Session) {
  const { value, maxAge } = session.refreshToken
  return reply
    .header('set-cookie', `${name}=${value}; ${attributes}; Max-Age=${maxAge}`)
    .send({ ...session, refreshToken: { ...session.refreshToken, value: 'cookie' } })
}

/** Returns the refresh token of the cookie, or undefined. */
function readCookie({ headers }: FastifyRequest) {
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim()) ?? []
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined
}

/** @throws {Problem} `session_ended` */
function requireCookie(request: FastifyRequest) {
  const value = readCookie(request)
  if (!value) throw new Problem('session_ended')
  return value
}

/** Rejects a request that a page of another site has caused. Browsers without the header do not send the cookie to it. */
function requireSameOrigin({ headers }: FastifyRequest) {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new Problem('route_not_found')
}
