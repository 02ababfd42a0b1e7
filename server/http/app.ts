import { randomUUID } from 'node:crypto'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import type { AppContext } from '../domain/context.js'
import { Problem } from '../domain/problem.js'
import type { Metrics } from '../metrics/metrics.js'
import { addRoutes } from './add-routes.js'
import { matchPaths, rejectUnknownOptions } from './allowed-methods.js'
import { endWhenDisconnected } from './client-disconnect.js'
import { accessOf, setConsoleAccess } from './console-access.js'
import { allowOrigins } from './cross-origin.js'
import { closeConnectionsWhenDraining } from './drain-connections.js'
import { parseJsonBodies } from './json-body.js'
import { passToOperators } from './operator-app.js'
import { createErrorHandler } from './problem-details.js'
import { readClientAddress } from './request-caller.js'
import { logResponse } from './request-log.js'
import { traceRequests } from './request-tracing.js'
import type { Part } from './routes/part.js'
import { securityHeaders } from './security-headers.js'
import { clientErrorHandler, connectHandler } from './socket-errors.js'

export interface HttpSettings {
  /** URL of the service, without a trailing slash. */
  baseUrl: string
  /** Number of reverse proxies whose X-Forwarded-For is trusted, or their addresses and networks. */
  trustedProxies: number | string[]
  /** Origins of browser apps, or `*`. */
  corsOrigins: readonly string[]
  /** Whether to serve the API reference under /docs. */
  docs: boolean
  /** The parts of the API that this port serves. Both by default. */
  parts?: readonly Part[]
  /** Where the console is, and whether only clients on this machine may use it. Undefined: the server has none. */
  console?: { url: string; onlyLoopback: boolean } | undefined
  /** Time limit for receiving headers and body of a request. Shorter in tests. 15 s by default. */
  requestMilliseconds?: number
}

export const bodyLimitBytes = 16 * 1024

/** Node's limit for headers, so that Fastify rejects no path segment that Node accepts. */
const maxParamLength = 16 * 1024

/** The contract validates. Without this, Fastify would load ajv at start. */
function noSchemas(): never {
  throw new Error('routes have no schemas of Fastify')
}

/** Matches request ids of clients that are safe to log. Others are replaced. */
const requestId = /^[\w.-]{1,128}$/

/** The log and the metrics of an HTTP application. */
export interface HttpOutputs {
  log: FastifyBaseLogger
  /** Counts responses and problems, if given. */
  metrics?: Metrics | undefined
}

/** Builds the HTTP application. It does not listen. */
export async function buildApp(settings: HttpSettings, context: AppContext, outputs: HttpOutputs) {
  const app = await createApp(settings, context, {
    ...outputs,
    async buildOperatorApp() {
      const operators = await createApp(settings, context, outputs)
      const { operatorRoutes } = await import('./routes/operator.js')
      await operatorRoutes(operators, context)
      await operators.ready()
      return operators
    },
  })
  await addRoutes(app, settings, context)
  // Expectations other than 100-continue may be ignored (RFC 9110 §10.1.1). Node would send a 417 without a problem
  // body.
  app.server.on('checkExpectation', (...exchange) => app.server.emit('request', ...exchange))
  app.server.on('connect', connectHandler(settings.baseUrl, outputs.log))
  return app
}

/** Creates an application without routes. @param outputs.buildOperatorApp builds the app of the console, if the port serves it */
async function createApp(
  settings: HttpSettings,
  context: AppContext,
  { buildOperatorApp, ...outputs }: HttpOutputs & { buildOperatorApp?: () => Promise<FastifyInstance> },
) {
  const { baseUrl } = settings
  const { metrics } = outputs
  const handleError = createErrorHandler(baseUrl, metrics?.countProblem)
  const app = createFastify(settings, outputs, handleError)
  setConsoleAccess(app, accessOf(settings))
  if (buildOperatorApp && app.consoleAccess.isOn) passToOperators(app, buildOperatorApp)
  app.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(request, reply)
    done()
  })
  matchPaths(app, maxParamLength)
  readClientAddress(app)
  app.decorateRequest('admitted', undefined)
  endWhenDisconnected(app)
  traceRequests(app)
  app.addHook('onResponse', logResponse)
  if (metrics) countResponses(app, metrics)
  closeConnectionsWhenDraining(app, context)
  app.setErrorHandler(handleError)
  rejectUnknownOptions(app)
  await allowOrigins(app, settings)
  parseJsonBodies(app)
  app.setNotFoundHandler(() => {
    throw new Problem('route_not_found')
  })
  rejectBeforeBody(app)
  return app
}

function createFastify(
  { baseUrl, trustedProxies, requestMilliseconds = 15_000 }: HttpSettings,
  { log, metrics }: HttpOutputs,
  handleError: ReturnType<typeof createErrorHandler>,
): FastifyInstance {
  return fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestMilliseconds,
    http: {
      requireHostHeader: false,
      requestTimeout: requestMilliseconds,
      // Node applies the longer of the two limits to the body, which would be the default of 60 s.
      headersTimeout: requestMilliseconds,
      connectionsCheckingInterval: requestMilliseconds / 15,
    },
    clientErrorHandler: clientErrorHandler(baseUrl, log, metrics?.countProblem),
    trustProxy:
      typeof trustedProxies === 'number'
        ? trustedProxies > 0 && ((_address, hop) => hop < trustedProxies)
        : trustedProxies,
    return503OnClosing: false,
    routerOptions: { maxParamLength },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (error, request, reply) => {
      addCommonHeaders(request, reply)
      handleError(error, request, reply)
      metrics?.countResponse(request.method, undefined, reply.statusCode, reply.elapsedTime / 1000)
    },
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && requestId.test(given) ? given : randomUUID()
    },
  })
}

const addCommonHeaders = (request: FastifyRequest, reply: FastifyReply) =>
  reply.headers(securityHeaders).header('x-request-id', request.id)

const countResponses = (app: FastifyInstance, metrics: Metrics) =>
  app.addHook('onResponse', ({ method, route, isOfOperators }, { statusCode, elapsedTime }, done) => {
    if (!isOfOperators) metrics.countResponse(method, route, statusCode, elapsedTime / 1000)
    done()
  })

/** Rejects a missing Host header, an unknown path and an unsupported method before the body is read. */
const rejectBeforeBody = (app: FastifyInstance) =>
  app.addHook('onRequest', ({ route, raw }, reply, done) => {
    if (raw.httpVersion === '1.1' && raw.headers.host === undefined) done(new Problem('malformed_request'))
    else if (reply.hasHeader('Allow')) done(new Problem('method_not_allowed'))
    else if (route === undefined) done(new Problem('route_not_found'))
    else done()
  })
