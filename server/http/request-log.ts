import type { onResponseHookHandler } from 'fastify'

/** Logs one line per response. It contains no header, body or query, which may hold secrets. */
export const logResponse: onResponseHookHandler = (request, reply, done) => {
  const path = request.url.split('?', 1)[0]
  const milliseconds = Math.round(reply.elapsedTime * 10) / 10
  const { method, clientAddress: ip } = request
  request.log.info({ method, path, status: reply.statusCode, milliseconds, ip }, 'answered')
  done()
}
