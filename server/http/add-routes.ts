import { contract } from '@usher/contract'
import { managementBytes, managementContract } from '@usher/contract/management'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../domain/context.js'
import type { Route } from '../run/operation.js'
import { managementRules, publicRules } from '../run/rules.js'
import type { HttpSettings } from './app.js'
import { redirectToReference, referenceRoutes } from './reference/routes.js'
import { discoveryRoutes } from './routes/discovery.js'
import { everyPart } from './routes/part.js'
import { problemTypeRoute } from './routes/problem-page.js'
import { providerCallback } from './routes/provider-callback.js'
import { documentRoutes, healthRoutes } from './routes/service.js'
import { serve } from './serve.js'

/** Adds the routes of the parts of the API that a port serves. Each port has the health checks and the revocations. */
export async function addRoutes(
  app: FastifyInstance,
  { baseUrl, docs, parts = everyPart }: HttpSettings,
  context: AppContext,
) {
  healthRoutes(app, context)
  const { hasUsers, isOn: hasConsole } = app.consoleAccess
  // On a port of the management API they are for the operators only.
  if (hasUsers || hasConsole) {
    await serve(app, { contract, rules: publicRules }, { context })
    providerCallback(app, context)
    discoveryRoutes(app, context)
  }
  if (hasUsers) {
    problemTypeRoute(app, docs)
    if (docs) redirectToReference(app)
  }
  endWaitsBeforeClose(app, context)
  const isManagement = parts.includes('management')
  const includes = ({ metadata }: Route) => isManagement || metadata.everyPort === true
  const management = { contract: managementContract, rules: managementRules, maxBytes: managementBytes }
  await serve(app, management, { context, includes })
  for (const part of parts) documentRoutes(app, part, baseUrl)
  if (docs) referenceRoutes(app, { baseUrl, parts })
}

/** Ends the requests that wait for events or revocations, before the server waits for all requests. */
const endWaitsBeforeClose = (app: FastifyInstance, context: AppContext) =>
  app.addHook('preClose', (done) => {
    for (const { waits } of [context.keptEvents, context.revocations]) waits.end()
    done()
  })
