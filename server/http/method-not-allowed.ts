import type { FastifyInstance, HTTPMethods } from 'fastify'
import { Problem } from '../domain/problem.js'

const methodsOfRoutes: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Responds 405 with `Allow` to methods that a path does not support, except OPTIONS, which CORS handles. Call it
 * before the routes are registered, and what it returns after them.
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
      const others = methodsOfRoutes.filter((method) => !methods.has(method))
      const allow = methodsOfRoutes.filter((method) => methods.has(method)).join(', ')
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
