import { ContractNoBody } from '@ts-rest/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Problem } from '../domain/problem.js'

/** JSON media types, the default of `curl -d`, and no media type. */
const jsonTypes =
  /^(application\/(json|[^;/ ]+\+json|x-www-form-urlencoded)|[^;/ ]+\/[^;/ ]+\+json)?\s*(;|$)/i

/** Returns whether a request has a body in a content coding (RFC 9110 §8.4), such as gzip. */
export const isEncoded = ({ headers }: FastifyRequest) =>
  !/^[\s,]*(identity[\s,]*)*$/i.test(headers['content-encoding'] ?? '')

const linesType = /^application\/x-ndjson\s*(;|$)/i

const routeOf = ({ routeOptions: { config } }: FastifyRequest) => config.operation?.route

/** Returns whether the operation of a request needs no body. */
const needsNoBody = (request: FastifyRequest) => {
  const route = routeOf(request)
  if (route === undefined || !('body' in route)) return false
  return route.body === ContractNoBody || route.body instanceof z.ZodOptional
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses every request body as JSON in UTF-8 (RFC 8259), and rejects other media types and content codings. The body of an
 * operation that takes lines stays a text.
 */
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
    const hasLines = routeOf(request)?.metadata.lines !== undefined
    const [types, name] = hasLines ? [linesType, 'application/x-ndjson'] : [jsonTypes, 'application/json']
    if (!types.test(request.headers['content-type'] ?? '')) {
      done(new Problem('unsupported_media_type', { detail: `Send ${name}.` }))
      return
    }
    try {
      if (hasLines) done(null, utf8.decode(body as Buffer))
      else
        parse(request, utf8.decode(body as Buffer), (error, value) =>
          error ? done(new Problem('malformed_json', { cause: error })) : done(null, value),
        )
    } catch (cause) {
      done(new Problem('malformed_json', { detail: 'The request body is not UTF-8.', cause }))
    }
  })
}
