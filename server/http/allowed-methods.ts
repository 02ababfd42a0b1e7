import type { FastifyInstance } from 'fastify'
import findMyWay from 'find-my-way'
import { Problem } from '../domain/problem.js'

/** The value of `Allow` for no path: `OPTIONS *` and CONNECT. */
export const methodsOfServer = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'

/**
 * Sends the methods of a path in `Allow` to OPTIONS, and to a method that the path does not have. An OPTIONS request of
 * an unknown path returns 404. Call it before CORS is registered, which responds to OPTIONS, and before the routes.
 */
export function sendAllowedMethods(app: FastifyInstance, maxParamLength: number) {
  // One entry per path: a route for each method that a path does not have would take a tenth of the time of a start.
  const paths = findMyWay({ maxParamLength })
  const allowed = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ method, url }) => {
    if (url === '*') return
    const methods = allowed.get(url) ?? new Set(['OPTIONS'])
    for (const each of [method].flat()) methods.add(each)
    if (!allowed.has(url)) paths.on('GET', url, () => undefined, methods)
    allowed.set(url, methods)
  })
  app.addHook('onRequest', ({ is404, method, url }, reply, done) => {
    if (!is404 && method !== 'OPTIONS') return done()
    const methods: Set<string> | undefined = paths.find('GET', url)?.store
    const allow = url === '*' ? methodsOfServer : methods && [...methods].sort().join(', ')
    if (allow) reply.header('Allow', allow)
    done(method === 'OPTIONS' && !allow ? new Problem('route_not_found') : undefined)
  })
}
