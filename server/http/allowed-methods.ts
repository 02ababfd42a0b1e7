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
  const allowed = new Map<string, Set<string>>()
  const patternOf = patternFinder(allowed, maxParamLength)
  app.decorateRequest('route', undefined)
  app.addHook('onRoute', ({ method, url }) => {
    if (url === '*') return
    const methods = allowed.get(url) ?? new Set(['OPTIONS'])
    for (const each of [method].flat()) methods.add(each)
    allowed.set(url, methods)
  })
  app.addHook('onRequest', (request, reply, done) => {
    const { is404, method, url, routeOptions } = request
    const own = is404 ? undefined : ownPattern(routeOptions.url, url)
    const isRouted = !is404 && method !== 'OPTIONS' && !allowed.has(own ?? '')
    const path = isRouted ? routeOptions.url : patternOf(url)
    request.route = isEncoded(url) ? undefined : path
    if (isRouted) return done()
    const methods = request.route && allowed.get(request.route)
    const allow = url === '*' ? methodsOfServer : methods && [...methods].sort().join(', ')
    if (allow) reply.header('Allow', allow)
    done()
  })
}

/**
 * Returns the pattern that a path would have of its own, although a pattern with a parameter at its end has the method:
 * `users/import` has no PATCH, but `users/:userId` has.
 */
function ownPattern(pattern: string | undefined, url: string) {
  const parent = pattern && /^(.*)\/:\w+$/.exec(pattern)?.[1]
  const [path = ''] = url.split(/[?#]/, 1)
  return parent && parent + path.slice(path.lastIndexOf('/'))
}

/** Returns a function that finds the pattern of a path. Its router is created at the first call, because few starts need it. */
function patternFinder(patterns: ReadonlyMap<string, unknown>, maxParamLength: number) {
  let router: ReturnType<typeof findMyWay> | undefined
  return (url: string): string | undefined => {
    if (!router) {
      router = findMyWay({ maxParamLength })
      for (const pattern of patterns.keys()) router.on('GET', pattern, () => undefined, pattern)
    }
    return router.find('GET', url)?.store
  }
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
