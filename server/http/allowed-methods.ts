import type { FastifyInstance } from 'fastify'
import findMyWay from 'find-my-way'
import { Problem } from '../domain/problem.js'

/** The value of `Allow` for requests without a path: `OPTIONS *` and CONNECT. */
export const methodsOfServer = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Pattern of the path, even if the path does not support the method. Undefined if no pattern matches, or if the path has
     * percent-encoded characters.
     */
    route: string | undefined
  }
}

/**
 * Finds the pattern of each path. Sends `Allow` with the methods of the path to OPTIONS requests and to requests with a
 * method that the path does not support. Call it before the hooks that use the pattern, and before the routes.
 */
export function matchPaths(app: FastifyInstance, maxParamLength: number) {
  // One entry per path: a route for each unsupported method would take a tenth of the time of a start.
  const paths = findMyWay({ maxParamLength })
  const allowed = new Map<string, Set<string>>()
  app.decorateRequest('route', undefined)
  app.addHook('onRoute', ({ method, url }) => {
    if (url === '*') return
    const methods = allowed.get(url) ?? new Set(['OPTIONS'])
    for (const each of [method].flat()) methods.add(each)
    if (!allowed.has(url)) paths.on('GET', url, () => undefined, url)
    allowed.set(url, methods)
  })
  app.addHook('onRequest', (request, reply, done) => {
    const { is404, method, url, routeOptions } = request
    const isRouted = !is404 && method !== 'OPTIONS'
    const path: string | undefined = isRouted ? routeOptions.url : paths.find('GET', url)?.store
    request.route = isEncoded(url) ? undefined : path
    if (isRouted) return done()
    const methods = request.route && allowed.get(request.route)
    const allow = url === '*' ? methodsOfServer : methods && [...methods].sort().join(', ')
    if (allow) reply.header('Allow', allow)
    done()
  })
}

/**
 * Returns whether the path of a URL has percent-encoded characters. No path of the API needs them, and a proxy that blocks a
 * path by its text would let another spelling of it pass.
 */
const isEncoded = (url: string) => url.split(/[?#]/, 1)[0]?.includes('%') === true

/** Rejects OPTIONS requests of unknown paths. Call it before CORS is registered, which responds to OPTIONS. */
export const rejectUnknownOptions = (app: FastifyInstance) =>
  app.addHook('onRequest', ({ method }, reply, done) =>
    done(method === 'OPTIONS' && !reply.hasHeader('Allow') ? new Problem('route_not_found') : undefined),
  )
