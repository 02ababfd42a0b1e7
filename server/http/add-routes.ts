import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../domain/context.js'
import type { HttpSettings } from './app.js'
import { redirectToReference, referenceRoutes } from './reference/routes.js'
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
import { everyPart } from './routes/part.js'
import { problemTypeRoute } from './routes/problem-page.js'
import { providerCallback } from './routes/provider-callback.js'
import { documentRoutes, healthRoutes } from './routes/service.js'
import { sessionRoutes } from './routes/sessions.js'
import { tenantRoutes } from './routes/tenants.js'
import { userRoutes } from './routes/users.js'

/** Adds the routes of the parts of the API that a port serves. Each port has the health checks and the revocations. */
export function addRoutes(
  app: FastifyInstance,
  { baseUrl, docs, parts = everyPart }: HttpSettings,
  context: AppContext,
) {
  healthRoutes(app, context)
  const { hasUsers, isOn: hasConsole } = app.consoleAccess
  // On a port of the management API they are for the operators only.
  if (hasUsers || hasConsole) publicRoutes(app, context)
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
