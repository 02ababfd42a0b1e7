import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../domain/problem.js'

/** The value of `Allow` for no path: `OPTIONS *` and CONNECT. */
export const methodsOfServer = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Methods of the path. Only on routes of other methods. */
    allow?: string
  }
}

/**
 * Responds with `Allow` to methods that a path does not support: 204 to OPTIONS, 405 to others. An OPTIONS request of
 * an unknown path returns 404. Call it before CORS is registered, which responds to OPTIONS, and before the routes,
 * and call what it returns after them.
 */
export function rejectOtherMethods(app: FastifyInstance) {
  // CONNECT asks for a tunnel and never gets to a route.
  const methods = METHODS.filter((method) => method !== 'CONNECT')
  for (const method of methods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)

  const supported = new Map<string, string[]>()
  app.addHook('onRoute', ({ method, url }) => {
    if (url !== '*') supported.set(url, [...(supported.get(url) ?? ['OPTIONS']), ...[method].flat()])
  })
  app.addHook('onRequest', ({ method, url, routeOptions }, reply, done) => {
    const allow = url === '*' ? methodsOfServer : routeOptions.config?.allow
    if (allow) reply.header('Allow', allow)
    done(method === 'OPTIONS' && !allow ? new Problem('route_not_found') : undefined)
  })
  return () => {
    for (const [url, allowed] of [...supported]) {
      app.route({
        method: methods.filter((method) => method === 'OPTIONS' || !allowed.includes(method)),
        url,
        config: { allow: methods.filter((method) => allowed.includes(method)).join(', ') },
        onRequest: () => {
          throw new Problem('method_not_allowed')
        },
        handler: () => undefined,
      })
    }
  }
}
