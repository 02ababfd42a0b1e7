import { randomUUID } from 'node:crypto'
import cors from '@fastify/cors'
import { openApiDocument } from '@usher/contract/openapi'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
  type onResponseHookHandler,
} from 'fastify'
import type { Config } from '../config.js'
import type { AppContext } from '../domain/context.js'
import { Problem } from '../domain/problem.js'
import type { Metrics } from '../metrics/metrics.js'
import { version } from '../version.js'
import { closeConnectionsWhenDraining } from './drain-connections.js'
import { parseJsonBodies } from './json-body.js'
import { rejectOtherMethods } from './method-not-allowed.js'
import { createErrorHandler } from './problem-details.js'
import { traceRequests } from './request-tracing.js'
import { referenceRoutes } from './routes/api-reference.js'
import { discoveryRoutes } from './routes/discovery.js'
import { operationRoutes } from './routes/operations.js'
import { userRoutes } from './routes/users.js'
import { securityHeaders } from './security-headers.js'
import { clientErrorHandler, connectHandler } from './socket-errors.js'

const bodyLimitBytes = 16 * 1024

/** How long a whole request may take to arrive; Fastify’s default is for ever. */
const requestMilliseconds = 15_000

/** A caller's own id is kept if it is fit for a log; else the request gets one. */
const requestId = /^[\w.-]{1,128}$/

/**
 * The HTTP application over the service; it does not listen.
 *
 * @param metrics where its answers are counted, if they are
 */
export async function buildApp(
  config: Config,
  context: AppContext,
  log: FastifyBaseLogger,
  metrics?: Metrics,
) {
  const handleError = createErrorHandler(config.baseUrl, metrics?.countProblem)
  const app: FastifyInstance = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestMilliseconds,
    http: { requireHostHeader: false, connectionsCheckingInterval: 1000 },
    clientErrorHandler: clientErrorHandler(config.baseUrl, log),
    trustProxy: config.trustedProxies > 0 && ((_address, hop) => hop < config.trustedProxies),
    return503OnClosing: false,
    // More than Node takes of a request's head: a longer part of a path would be an error of Fastify's.
    routerOptions: { maxParamLength: 16 * 1024 },
    frameworkErrors: (error, request, reply) => {
      addCommonHeaders(request, reply)
      handleError(error, request, reply)
      metrics?.countResponse(request, reply)
    },
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && requestId.test(given) ? given : randomUUID()
    },
  })
  app.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(request, reply)
    done()
  })
  traceRequests(app)
  app.addHook('onResponse', logResponse)
  metrics?.observe(app)
  closeConnectionsWhenDraining(app, context)
  await app.register(cors, {
    origin: config.corsOrigins.includes('*') ? '*' : [...config.corsOrigins],
    methods: ['GET', 'POST'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'X-Request-Id',
      'traceparent',
      'tracestate',
    ],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'WWW-Authenticate'],
    strictPreflight: false,
    maxAge: 600,
  })
  parseJsonBodies(app)
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(() => {
    throw new Problem('route_not_found')
  })
  // Before a body is read, whose faults are no matter here. Node's own answer to a lack of Host is no problem.
  app.addHook('onRequest', ({ is404, raw }, _reply, done) => {
    if (raw.httpVersion === '1.1' && raw.headers.host === undefined) done(new Problem('malformed_request'))
    else if (is404) done(new Problem('route_not_found'))
    else done()
  })
  // What is expected beyond 100-continue may be ignored (RFC 9110 §10.1.1); Node would answer without a problem.
  app.server.on('checkExpectation', (...exchange) => app.server.emit('request', ...exchange))
  app.server.on('connect', connectHandler(config.baseUrl, log))
  const registerMethodGuards = rejectOtherMethods(app)
  userRoutes(app, context)
  discoveryRoutes(app, context)
  const document = openApiDocument(config.baseUrl, version)
  operationRoutes(app, context, document)
  app.after(registerMethodGuards)
  referenceRoutes(app, document)
  return app
}

/** In lower case, as Fastify would have to make them at each answer. */
const commonHeaders = { ...securityHeaders(), 'cache-control': 'no-store' }

const addCommonHeaders = (request: FastifyRequest, reply: FastifyReply) =>
  reply.headers(commonHeaders).header('x-request-id', request.id)

/** One line for each answer: never a header, a body or a query, where secrets may be. */
const logResponse: onResponseHookHandler = (request, reply, done) => {
  const path = request.url.split('?', 1)[0]
  const milliseconds = Math.round(reply.elapsedTime * 10) / 10
  const { method, ip } = request
  request.log.info({ method, path, status: reply.statusCode, milliseconds, ip }, 'answered')
  done()
}
