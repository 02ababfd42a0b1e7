import { operatorContract } from '@usher/contract/operator'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { operatorRules } from '../../run/rules.js'
import { consoleFiles } from '../console/files.js'
import { sessionRoute } from '../console/session.js'
import { serve } from '../serve.js'

/** Serves the console, and the operator API, which it uses. */
export async function operatorRoutes(app: FastifyInstance, context: AppContext) {
  sessionRoute(app, context)
  consoleFiles(app)
  await serve(app, { contract: operatorContract, rules: operatorRules }, { context })
}
