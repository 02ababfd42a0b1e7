import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ProblemCode } from '@usher/contract'
import type { FastifyBaseLogger } from 'fastify'
import { Problem } from '../domain/problem.js'
import { problemBody } from './problem-details.js'

/** What Node refuses before there is a request, by its codes; all else is not HTTP. */
const codes: Record<string, ProblemCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}

/** How long a client that was refused may go on sending, so that it reads the answer before the connection ends. */
const lingerMilliseconds = 2_000

/** The problem that a connection is closed with; none where the client itself has closed it. */
export const problemOfClientError = ({ code }: { code: string }) =>
  code === 'ECONNRESET' ? undefined : new Problem(codes[code] ?? 'malformed_request')

/** Answers what cannot be read as a request with a problem too, and closes the connection. */
export const clientErrorHandler =
  (baseUrl: string, log: FastifyBaseLogger) => (error: { code: string }, socket: Socket) => {
    const problem = problemOfClientError(error)
    if (!problem || socket.destroyed) socket.destroy()
    else if (socket.writable) refuse(problem, error.code, baseUrl, log, socket)
  }

/** Answers CONNECT, which asks for a tunnel and names no path; Node would cut the connection. */
export const connectHandler =
  (baseUrl: string, log: FastifyBaseLogger) => (_request: unknown, socket: Duplex) => {
    socket.on('error', () => socket.destroy()).resume()
    refuse(new Problem('method_not_allowed'), 'CONNECT', baseUrl, log, socket)
  }

function refuse(problem: Problem, code: string, baseUrl: string, log: FastifyBaseLogger, socket: Duplex) {
  const requestId = randomUUID()
  const body = problemBody(problem, baseUrl, requestId, '')
  const { status, title } = body
  const text = JSON.stringify(body)
  log.info({ reqId: requestId, status, code }, 'refused')
  socket.end(
    [
      `HTTP/1.1 ${status} ${title}`,
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Cache-Control: no-store',
      `X-Request-Id: ${requestId}`,
      ...(status === 405 ? ['Allow: GET, HEAD, POST'] : []),
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  )
  setTimeout(() => socket.destroy(), lingerMilliseconds).unref()
}
