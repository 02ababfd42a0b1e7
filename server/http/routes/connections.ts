import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { listConnections } from '../../domain/connections/find-connections.js'
import type { AppContext } from '../../domain/context.js'
import { loginWithIdToken } from '../../domain/login/id-token.js'
import { startLogin } from '../../domain/login/provider.js'
import { serveOperations } from '../serve-operations.js'

export const connectionRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.connections,
    rules: { listConnections, startLogin, loginWithIdToken },
  })
