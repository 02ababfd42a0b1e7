import type { FastifyInstance, HTTPMethods } from 'fastify'
import { Problem } from '../domain/problem.js'

const answered: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Answers 405 with `Allow` on every path for the methods that it lacks. Call before the routes are registered;
 * OPTIONS is left to CORS.
 */
export function rejectOtherMethods(app: FastifyInstance) {
  const methodsByUrl = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set()
    for (const each of [method].flat()) methods.add(each)
    methodsByUrl.set(url, methods)
  })
  return () => {
    for (const [url, methods] of [...methodsByUrl]) {
      const others = answered.filter((method) => !methods.has(method))
      const allow = answered.filter((method) => methods.has(method)).join(', ')
      if (url === '*' || others.length === 0) continue
      app.route({
        method: others,
        url,
        onRequest: (_request, reply) => {
          reply.header('Allow', allow)
          throw new Problem('method_not_allowed')
        },
        handler: () => undefined,
      })
    }
  }
}
