import type { onResponseHookHandler } from 'fastify'

/** Matches a path segment with an @, even if the @ is percent-encoded several times. */
const addressLike = /[^/]*(?:@|%(?:25)*40)[^/]*/gi

/**
 * Logs one line per response. It names the route, and contains no header, body or query, because these may contain
 * secrets. The path itself is logged only if no route matches, without anything that looks like an email address.
 */
export const logResponse: onResponseHookHandler = (request, reply, done) => {
  const { method, route, clientAddress: ip } = request
  const path =
    route === undefined ? request.url.split('?', 1)[0]?.replace(addressLike, '[redacted]') : undefined
  const milliseconds = Math.round(reply.elapsedTime * 10) / 10
  request.log.info({ method, route, path, status: reply.statusCode, milliseconds, ip }, 'answered')
  done()
}
