import type { onResponseHookHandler } from 'fastify'

/** A path segment with an @, however often it is percent-encoded. */
const addressLike = /[^/]*(?:@|%(?:25)*40)[^/]*/gi

/**
 * Logs one line per response. It contains no header, body or query, which may hold secrets, and names the route. The
 * path itself is logged only if no route matches, without anything that looks like an email address.
 */
export const logResponse: onResponseHookHandler = (request, reply, done) => {
  const { method, route, clientAddress: ip } = request
  const path =
    route === undefined ? request.url.split('?', 1)[0]?.replace(addressLike, '[redacted]') : undefined
  const milliseconds = Math.round(reply.elapsedTime * 10) / 10
  request.log.info({ method, route, path, status: reply.statusCode, milliseconds, ip }, 'answered')
  done()
}
