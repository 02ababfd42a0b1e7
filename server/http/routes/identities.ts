import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { linkIdentity, listIdentities, unlinkIdentity } from '../../domain/identities/identities.js'
import { serveOperations } from '../serve-operations.js'

export const identityRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.identities,
    rules: { listIdentities, linkIdentity, unlinkIdentity },
  })
