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
import { matchPaths, rejectUnknownOptions } from './allowed-methods.js'
import { endWhenDisconnected } from './client-disconnect.js'
import { consoleFiles } from './console/files.js'
import { sessionRoute } from './console/session.js'
import { type ConsoleAccess, setConsoleAccess } from './console-access.js'
import { allowOrigins } from './cross-origin.js'
import { closeConnectionsWhenDraining } from './drain-connections.js'
import { parseJsonBodies } from './json-body.js'
import { createErrorHandler } from './problem-details.js'
import { redirectToReference, referenceRoutes } from './reference/routes.js'
import { readClientAddress } from './request-caller.js'
import { logResponse } from './request-log.js'
import { traceRequests } from './request-tracing.js'
import { codeRoutes } from './routes/codes.js'
import { connectionRoutes } from './routes/connections.js'
import { discoveryRoutes } from './routes/discovery.js'
import { emailChangeRoutes } from './routes/email-change.js'
import { factorRoutes, passkeyRoutes } from './routes/factors.js'
import { identityRoutes } from './routes/identities.js'
import { invitationRoutes } from './routes/invitations.js'
import { loginRoutes } from './routes/logins.js'
import { managementRoutes, revocationRoutes } from './routes/management.js'
import { meRoutes } from './routes/me.js'
import { operatorRoutes } from './routes/operator.js'
import type { Part } from './routes/part.js'
import { problemTypeRoute } from './routes/problem-page.js'
import { providerCallback } from './routes/provider-callback.js'
import { documentRoutes, healthRoutes } from './routes/service.js'
import { sessionRoutes } from './routes/sessions.js'
import { tenantRoutes } from './routes/tenants.js'
import { userRoutes } from './routes/users.js'
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

const bothParts: readonly Part[] = ['public', 'management']

const bodyLimitBytes = 16 * 1024

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
  const { baseUrl } = settings
  const { log, metrics } = outputs
  const handleError = createErrorHandler(baseUrl, metrics?.countProblem)
  const app = createFastify(settings, outputs, handleError)
  app.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(request, reply)
    done()
  })
  matchPaths(app, maxParamLength)
  readClientAddress(app)
  endWhenDisconnected(app)
  traceRequests(app)
  app.addHook('onResponse', logResponse)
  if (metrics) countResponses(app, metrics)
  closeConnectionsWhenDraining(app, context)
  app.setErrorHandler(handleError)
  rejectUnknownOptions(app)
  setConsoleAccess(app, accessOf(settings))
  await allowOrigins(app, settings)
  parseJsonBodies(app)
  app.setNotFoundHandler(() => {
    throw new Problem('route_not_found')
  })
  rejectBeforeBody(app)
  // Expectations other than 100-continue may be ignored (RFC 9110 §10.1.1). Node would send a 417 without a problem
  // body.
  app.server.on('checkExpectation', (...exchange) => app.server.emit('request', ...exchange))
  app.server.on('connect', connectHandler(baseUrl, log))
  addRoutes(app, settings, context)
  return app
}

/** Returns what a port serves of the console: only the port of the management API, if that has one of its own. */
const accessOf = ({ parts = bothParts, console }: HttpSettings): ConsoleAccess => ({
  isOn: console !== undefined && parts.includes('management'),
  onlyLoopback: console?.onlyLoopback ?? false,
  hasUsers: parts.includes('public'),
})

/** Adds the routes of the parts of the API that a port serves. Each port has the health checks and the revocations. */
function addRoutes(
  app: FastifyInstance,
  { baseUrl, docs, parts = bothParts }: HttpSettings,
  context: AppContext,
) {
  healthRoutes(app, context)
  const { hasUsers, isOn: hasConsole } = app.consoleAccess
  // On a port of the management API they are for the operators only.
  if (hasUsers || hasConsole) publicRoutes(app, context)
  if (hasConsole) {
    operatorRoutes(app, context)
    sessionRoute(app, context)
    consoleFiles(app)
  }
  if (hasUsers) {
    problemTypeRoute(app, docs)
    if (docs) redirectToReference(app)
  }
  revocationRoutes(app, context)
  if (parts.includes('management')) managementRoutes(app, context)
  for (const part of parts) documentRoutes(app, part, baseUrl)
  if (docs) referenceRoutes(app, { baseUrl, parts })
}

/** Adds the routes that users of a database use. */
function publicRoutes(app: FastifyInstance, context: AppContext) {
  userRoutes(app, context)
  loginRoutes(app, context)
  connectionRoutes(app, context)
  providerCallback(app, context)
  sessionRoutes(app, context)
  meRoutes(app, context)
  identityRoutes(app, context)
  factorRoutes(app, context)
  passkeyRoutes(app, context)
  codeRoutes(app, context)
  emailChangeRoutes(app, context)
  tenantRoutes(app, context)
  invitationRoutes(app, context)
  discoveryRoutes(app, context)
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
  app.addHook('onResponse', ({ method, route }, { statusCode, elapsedTime }, done) => {
    metrics.countResponse(method, route, statusCode, elapsedTime / 1000)
    done()
  })

/** Rejects a missing Host header, an unknown path and an unsupported method before the body is read. */
const rejectBeforeBody = (app: FastifyInstance) =>
  app.addHook('onRequest', ({ is404, route, raw }, reply, done) => {
    if (raw.httpVersion === '1.1' && raw.headers.host === undefined) done(new Problem('malformed_request'))
    else if (is404 && reply.hasHeader('Allow')) done(new Problem('method_not_allowed'))
    else if (route === undefined) done(new Problem('route_not_found'))
    else done()
  })
