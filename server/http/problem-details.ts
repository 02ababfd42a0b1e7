import { isProblemCode, type ProblemBody, type ProblemCode, problemHeaders, problems } from '@usher/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ClientDisconnected, Problem, problemOf } from '../domain/problem.js'
import { clientClosedRequest } from './client-disconnect.js'
import { isEncoded } from './json-body.js'

/**
 * Creates the error handler, the only place that turns an error into a response. The body is a problem document
 * (RFC 9457) by the contract's catalogue.
 *
 * @param count called for each problem
 */
export function createErrorHandler(baseUrl: string, count?: (problem: PublicProblem) => void) {
  return (
    error: FastifyError | Problem | ClientDisconnected,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    if (error instanceof ClientDisconnected || isCutShort(request)) {
      return reply.status(clientClosedRequest).send()
    }
    const problem = fastifyProblem(error) ?? publicProblem(problemOf(error))
    count?.(problem)
    if (problem.code === 'internal_error') request.log.error({ err: error }, 'internal error')
    else if (problem !== error && problem.code === 'unavailable')
      request.log.warn({ err: error }, 'unavailable')
    return sendProblem({ problem, baseUrl }, request, reply)
  }
}

/** Returns whether the client has disconnected while it was sending the body. */
const isCutShort = ({ raw }: FastifyRequest) => raw.readableAborted

/** Fastify's own errors by code. `FST_ERR_BAD_URL`: a path that cannot be decoded. */
const fastifyProblems: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_BAD_URL: 'route_not_found',
}

function fastifyProblem(error: FastifyError | Problem) {
  const code = fastifyProblems[error.code]
  return code && new Problem(code, { cause: error })
}

/** A problem of the contract. */
export type PublicProblem = Problem<ProblemCode>

/** Returns a problem of a rule as the contract's operations report it. */
function publicProblem(problem: Problem): PublicProblem {
  if (isProblemCode(problem.code)) return problem as PublicProblem
  // `database_being_deleted`: this process had the database cached. Rules throw no other error of commands.
  const isDeleted = problem.code === 'database_being_deleted'
  return new Problem(isDeleted ? 'database_not_found' : 'internal_error', { cause: problem })
}

function sendProblem(
  { problem, baseUrl }: { problem: PublicProblem; baseUrl: string },
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const headers = problemHeaders(problem.code)
  const body = problemBody(problem, baseUrl, { id: request.id, path: request.url.split('?', 1)[0] ?? '' })
  if (headers.includes('WWW-Authenticate')) reply.header('WWW-Authenticate', challenge(problem, request))
  if (headers.includes('Accept-Encoding') && isEncoded(request)) reply.header('Accept-Encoding', 'identity')
  if (headers.includes('Retry-After')) reply.header('Retry-After', problem.retryAfterSeconds ?? 1)
  return reply.status(body.status).type('application/problem+json').send(body)
}

/** Returns the problem document of an error. @param request.path empty if it could not be parsed */
export function problemBody(
  { code, message, errors, tenants, profile, reason, secondFactor }: PublicProblem,
  baseUrl: string,
  request: { id: string; path: string },
): Omit<ProblemBody, 'code'> & Pick<PublicProblem, 'code'> {
  const { status, title } = problems[code]
  return {
    type: `${baseUrl}/problems/${code}`,
    title,
    status,
    detail: message,
    instance: request.path,
    code,
    requestId: request.id,
    ...(errors && { errors: [...errors] }),
    ...(tenants && { tenants: [...tenants] }),
    ...(profile && { profile }),
    ...(reason && { reason }),
    ...(secondFactor && { secondFactor }),
  }
}

/** Problems of credentials that are no token. */
const passwordProblems: string[] = [
  'invalid_credentials',
  'session_ended',
  'second_factor_required',
  'enrolment_required',
  'second_factor_invalid',
  'passkey_invalid',
  'passkey_unknown',
]

/**
 * Returns the challenge that every 401 must have (RFC 9110 §15.5.2). For tokens it is that of RFC 6750 §3, with an
 * error only if a token was sent. For a failed login or refresh it has the scheme `Password`, for which browsers show no
 * dialog.
 */
function challenge({ code, message, scope }: Problem, request: FastifyRequest) {
  const { workspaceSlug, databaseName } = request.params as Record<string, string>
  // Operations of the operator API are of no database.
  const realm = databaseName ? `realm="${workspaceSlug}/${databaseName}"` : 'realm="operators"'
  if (code === 'step_up_required') return `Bearer ${realm}, error="insufficient_user_authentication"`
  if (passwordProblems.includes(code)) return `Password ${realm}`
  if (code === 'token_missing') return `Bearer ${realm}`
  if (code === 'insufficient_scope') return `Bearer ${realm}, error="insufficient_scope", scope="${scope}"`
  return `Bearer ${realm}, error="invalid_token", error_description="${message}"`
}
