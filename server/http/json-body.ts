import { type AppRoute, ContractNoBody } from '@ts-rest/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Problem } from '../domain/problem.js'

/** JSON media types, the default of `curl -d`, and no media type. */
const jsonTypes =
  /^(application\/(json|[^;/ ]+\+json|x-www-form-urlencoded)|[^;/ ]+\/[^;/ ]+\+json)?\s*(;|$)/i

/** Returns whether a request has a body in a content coding (RFC 9110 §8.4), such as gzip. */
export const isEncoded = ({ headers }: FastifyRequest) =>
  !/^[\s,]*(identity[\s,]*)*$/i.test(headers['content-encoding'] ?? '')

/** Returns whether the operation of a request needs no body. */
const needsNoBody = ({ routeOptions: { config } }: FastifyRequest) => {
  const { tsRestRoute: route } = config as { tsRestRoute?: AppRoute }
  if (route === undefined || !('body' in route)) return false
  return route.body === ContractNoBody || route.body instanceof z.ZodOptional
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses every request body as JSON in UTF-8 (RFC 8259), and rejects other media types and content codings. */
export function parseJsonBodies(app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('remove', 'ignore')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    // Some clients send a Content-Type with every request.
    if (body.length === 0 && needsNoBody(request)) {
      done(null, undefined)
      return
    }
    if (isEncoded(request)) {
      done(new Problem('unsupported_media_type', { detail: 'Send the body without Content-Encoding.' }))
      return
    }
    if (!jsonTypes.test(request.headers['content-type'] ?? '')) {
      done(new Problem('unsupported_media_type', { detail: 'Send application/json.' }))
      return
    }
    try {
      parse(request, utf8.decode(body as Buffer), (error, value) =>
        error ? done(new Problem('malformed_json', { cause: error })) : done(null, value),
      )
    } catch (cause) {
      done(new Problem('malformed_json', { detail: 'The request body is not UTF-8.', cause }))
    }
  })
}
