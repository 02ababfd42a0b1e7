import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ProblemCode } from '@usher/contract'
import type { FastifyBaseLogger } from 'fastify'
import { Problem } from '../domain/problem.js'
import { methodsOfServer } from './allowed-methods.js'
import { type PublicProblem, problemBody } from './problem-details.js'

/** Problems by error code of Node's HTTP parser. Any other code means that the bytes are not HTTP. */
const codes: Record<string, ProblemCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}

/** How long a rejected client may continue to send. After an immediate close, it could not read the response. */
const lingerMilliseconds = 2_000

/** Closes the connection of a rejected client, also if the client does not. */
export function closeSoon(socket: Duplex) {
  socket.resume()
  setTimeout(() => socket.destroy(), lingerMilliseconds).unref()
}

/** Returns the problem to respond with, or undefined if the client has closed the connection. */
const problemOfClientError = ({ code }: { code: string }) =>
  code === 'ECONNRESET' ? undefined : new Problem(codes[code] ?? 'malformed_request')

/** Responds with a problem to bytes that are not a request, and closes the connection. */
export const clientErrorHandler =
  (baseUrl: string, log: FastifyBaseLogger, countProblem?: (problem: PublicProblem) => void) =>
  (error: { code: string }, socket: Socket) => {
    const problem = problemOfClientError(error)
    if (problem) countProblem?.(problem)
    if (!problem || socket.destroyed) socket.destroy()
    else if (socket.writable) reject(socket, problem, { code: error.code, baseUrl, log })
  }

/** Responds to CONNECT. Node would close the connection without a response. */
export const connectHandler =
  (baseUrl: string, log: FastifyBaseLogger) => (_request: unknown, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    reject(socket, new Problem('method_not_allowed'), { code: 'CONNECT', baseUrl, log })
  }

function reject(
  socket: Duplex,
  problem: PublicProblem,
  { code, baseUrl, log }: { code: string; baseUrl: string; log: FastifyBaseLogger },
) {
  const requestId = randomUUID()
  const body = problemBody(problem, baseUrl, { id: requestId, path: '' })
  const { status, title } = body
  const text = JSON.stringify(body)
  log.info({ reqId: requestId, status, code }, 'rejected')
  socket.end(
    [
      `HTTP/1.1 ${status} ${title}`,
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Cache-Control: no-store',
      `X-Request-Id: ${requestId}`,
      ...(status === 405 ? [`Allow: ${methodsOfServer}`] : []),
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  )
  closeSoon(socket)
}
