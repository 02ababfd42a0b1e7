import { contract, type RouteMetadata, scopeOf } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../domain/context.js'
import type { Routes, RulesOf } from '../run/operation.js'
import { managementRules, publicRules } from '../run/rules.js'
import type { HttpSettings } from './app.js'
import { redirectToReference, referenceRoutes } from './reference/routes.js'
import { discoveryRoutes } from './routes/discovery.js'
import { everyPart } from './routes/part.js'
import { problemTypeRoute } from './routes/problem-page.js'
import { providerCallback } from './routes/provider-callback.js'
import { documentRoutes, healthRoutes } from './routes/service.js'
import { serveOperations } from './serve-operations.js'

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
    await serveNouns(app, context, { contract, loaders: publicRules })
    providerCallback(app, context)
    discoveryRoutes(app, context)
  }
  if (hasUsers) {
    problemTypeRoute(app, docs)
    if (docs) redirectToReference(app)
  }
  app.decorateRequest('admitted', undefined)
  endWaitsBeforeClose(app, context)
  const { revocations, ...others } = managementRules
  await serveNouns(app, context, { contract: managementContract, loaders: { revocations } })
  if (parts.includes('management')) {
    limitBodies(app)
    await serveNouns(app, context, { contract: managementContract, loaders: others })
  }
  for (const part of parts) documentRoutes(app, part, baseUrl)
  if (docs) referenceRoutes(app, { baseUrl, parts })
}

/** Serves the operations of nouns of a contract. */
async function serveNouns<Contract extends object>(
  app: FastifyInstance,
  context: AppContext,
  {
    contract,
    loaders,
  }: { contract: Contract; loaders: { [Noun in keyof Contract]?: () => Promise<RulesOf<Contract[Noun]>> } },
) {
  for (const [noun, load] of Object.entries<(() => Promise<object>) | undefined>(loaders)) {
    const routes = (contract as Record<string, Routes>)[noun] as Routes
    if (load) serveOperations(app, context, { routes, rules: (await load()) as RulesOf<Routes> })
  }
}

/** Two objects of 8 KiB, which may be written with escapes, and other fields. */
export const bodyLimitBytes = 64 * 1024

/** Limits the bodies of backends. */
function limitBodies(app: FastifyInstance) {
  app.addHook('onRoute', (route) => {
    const { tsRestRoute } = (route.config ?? {}) as { tsRestRoute?: { metadata?: RouteMetadata } }
    const metadata = tsRestRoute?.metadata
    if (metadata && scopeOf(metadata)) route.bodyLimit = metadata.lines?.maxBytes ?? bodyLimitBytes
  })
}

const endWaitsBeforeClose = (app: FastifyInstance, context: AppContext) =>
  app.addHook('preClose', (done) => {
    for (const { waits } of [context.keptEvents, context.revocations]) waits.end()
    done()
  })
