import type { onResponseHookHandler } from 'fastify'
import type { Logger } from 'pino'

/** Matches an @, even if it is percent-encoded several times. */
const encodedAt = /@|%(?:25)*40/

/**
 * Logs one line per response. It names the route, and contains no header, body or query, because these may contain
 * secrets. The path itself is logged only if no route matches, without anything that looks like an email address.
 */
export const logResponse: onResponseHookHandler = (request, reply, done) => {
  const { method, route, clientAddress: ip } = request
  const log = request.log as Logger
  if (log.isLevelEnabled('info') && !request.isOfOperators) {
    const path = route === undefined ? pathWithoutAddresses(request.url) : undefined
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10
    log.info({ method, route, path, status: reply.statusCode, milliseconds, ip }, 'answered')
  }
  done()
}

function pathWithoutAddresses(url: string) {
  const [path = ''] = url.split('?', 1)
  return path
    .split('/')
    .map((segment) => (encodedAt.test(segment) ? '[redacted]' : segment))
    .join('/')
}
