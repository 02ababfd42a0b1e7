import type { Socket } from 'node:net'
import { type ProblemBody, type ProblemCode, problems } from '@usher/contract'
import type { FastifyBaseLogger } from 'fastify'
import { v7 as uuidv7 } from 'uuid'

/** What Node refuses before there is a request, by its codes; all else is not HTTP. */
const codes: Record<string, ProblemCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}

/** Answers what cannot be read as a request with a problem too, and closes the connection. */
export const clientErrorHandler =
  (baseUrl: string, log: FastifyBaseLogger) => (error: { code: string }, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const code = codes[error.code] ?? 'malformed_request'
    const { status, title } = problems[code]
    const requestId = uuidv7()
    const type = `${baseUrl}/problems/${code}`
    const body: ProblemBody = { type, title, status, detail: `${title}.`, instance: '', code, requestId }
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
