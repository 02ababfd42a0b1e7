import { type ProblemBody, problems } from '@usher/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../domain/problem.js'
import { isStoreUnavailable } from '../store/errors.js'

/**
 * The only place that turns an error into an answer: RFC 9457 problem details by the contract's catalogue.
 *
 * @param count is told of each
 */
export function createErrorHandler(baseUrl: string, count?: (problem: Problem) => void) {
  return (error: FastifyError | Problem, request: FastifyRequest, reply: FastifyReply) => {
    const problem = isCutShort(request) ? new Problem('malformed_request') : problemOf(error)
    count?.(problem)
    if (problem.code === 'internal_error') request.log.error({ err: error }, 'internal error')
    else if (problem !== error && problem.code === 'unavailable')
      request.log.warn({ err: error }, 'unavailable')
    return sendProblem(problem, baseUrl, request, reply)
  }
}

/** Whether the client hung up in the middle of its body, which is no fault of ours; nobody reads the answer. */
const isCutShort = ({ raw }: FastifyRequest) => raw.readableAborted

/** What Fastify itself refuses, by its codes; `FST_ERR_BAD_URL` is a path that cannot be decoded. */
const fastifyProblems: Record<string, Problem['code']> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_BAD_URL: 'route_not_found',
}

function problemOf(error: FastifyError | Problem): Problem {
  if (error instanceof Problem) return error
  const code = fastifyProblems[error.code]
  if (code) return new Problem(code, { cause: error })
  if (isStoreUnavailable(error)) return new Problem('unavailable', { cause: error })
  return new Problem('internal_error', { cause: error })
}

function sendProblem(problem: Problem, baseUrl: string, request: FastifyRequest, reply: FastifyReply) {
  const { code } = problem
  const body = problemBody(problem, baseUrl, request.id, request.url.split('?', 1)[0] ?? '')
  if (code.startsWith('token_')) reply.header('WWW-Authenticate', challenge(problem, request))
  if (code === 'unavailable' || code === 'too_many_attempts')
    reply.header('Retry-After', problem.retryAfterSeconds ?? 1)
  return reply.status(body.status).type('application/problem+json').send(body)
}

/** @param instance path of the request; empty where none could be read */
export function problemBody(
  { code, message, errors }: Problem,
  baseUrl: string,
  requestId: string,
  instance: string,
): ProblemBody {
  const { status, title } = problems[code]
  return {
    type: `${baseUrl}/problems/${code}`,
    title,
    status,
    detail: message,
    instance,
    code,
    requestId,
    ...(errors && { errors: [...errors] }),
  }
}

/** RFC 6750 §3: an error is named only where a token was sent. */
function challenge({ code, message }: Problem, request: FastifyRequest) {
  const { workspaceSlug, databaseName } = request.params as Record<string, string>
  const realm = `Bearer realm="${workspaceSlug}/${databaseName}"`
  return code === 'token_missing' ? realm : `${realm}, error="invalid_token", error_description="${message}"`
}
