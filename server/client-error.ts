import type { Socket } from 'node:net'
import type { ProblemCode } from '@usher/contract'
import type { FastifyBaseLogger } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import { Problem } from './domain/problem.js'
import { problemBody } from './problem-handler.js'

/** What Node refuses before there is a request, by its codes; all else is not HTTP. */
const codes: Record<string, ProblemCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}

/** The problem that a connection is closed with; none where the client itself has closed it. */
export const problemOfClientError = ({ code }: { code: string }) =>
  code === 'ECONNRESET' ? undefined : new Problem(codes[code] ?? 'malformed_request')

/** Answers what cannot be read as a request with a problem too, and closes the connection. */
export const clientErrorHandler =
  (baseUrl: string, log: FastifyBaseLogger) => (error: { code: string }, socket: Socket) => {
    const problem = problemOfClientError(error)
    if (!problem || !socket.writable) {
      socket.destroy()
      return
    }
    const requestId = uuidv7()
    const body = problemBody(problem, baseUrl, requestId, '')
    const { status, title } = body
    const text = JSON.stringify(body)
    log.info({ reqId: requestId, status, code: error.code }, 'refused')
    socket.end(
      [
        `HTTP/1.1 ${status} ${title}`,
        'Content-Type: application/problem+json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(text)}`,
        'Cache-Control: no-store',
        `X-Request-Id: ${requestId}`,
        'Connection: close',
        '',
        text,
      ].join('\r\n'),
    )
  }
