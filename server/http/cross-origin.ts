import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../domain/problem.js'
import type { HttpSettings } from './app.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False: without CORS headers. */
    cors?: false
  }
}

/** Routes of the management API, of the operator API and of the console. */
const ofBackends = /\/management\/|^\/(?:operator|console)(?:\/|$)/

/**
 * Lets browser apps of the configured origins send requests to the public API. Responses of the management API have no
 * CORS headers, even to a preflight request, because a page that uses an API key would reveal it to its users. Those of the operator
 * API have none, because only the console uses it.
 */
export async function allowOrigins(
  app: FastifyInstance,
  { corsOrigins, parts }: Pick<HttpSettings, 'corsOrigins' | 'parts'>,
) {
  const isPublicPort = parts?.includes('public') ?? true
  const isPublic = (route = '') => isPublicPort && !ofBackends.test(route)
  app.addHook('onRequest', ({ method, route }, reply, done) => {
    if (isPublic(route)) done()
    else if (method === 'OPTIONS') reply.code(204).header('content-length', '0').send()
    // Runs before the CORS hook, which cannot be switched off for a method that the path does not support.
    else done(reply.hasHeader('Allow') ? new Problem('method_not_allowed') : undefined)
  })
  if (!isPublicPort) return
  app.addHook('onRoute', (route) => {
    if (!isPublic(route.url)) route.config = { ...route.config, cors: false }
  })
  await app.register(cors, {
    origin: corsOrigins.includes('*') ? '*' : [...corsOrigins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'X-Request-Id',
      'Usher-Confirmation',
      'Usher-Proof',
      'traceparent',
      'tracestate',
    ],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'WWW-Authenticate'],
    strictPreflight: false,
    maxAge: 600,
  })
}
