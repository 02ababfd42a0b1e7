import { operatorContract } from '@usher/contract/operator'
import type { FastifyInstance } from 'fastify'
import { initServer } from '#ts-rest/fastify'
import type { AppContext } from '../../domain/context.js'
import { validationFailed } from '../../domain/problem.js'
import { networkOf } from '../../domain/throttle/client-network.js'
import type { Routes, RulesOf } from '../../run/operation.js'
import { operatorRules } from '../../run/rules.js'
import { consoleFiles } from '../console/files.js'
import { sessionRoute } from '../console/session.js'
import { requireConsole } from '../console-access.js'
import { RequestCaller } from '../request-caller.js'
import { fieldErrors } from '../serve-operations.js'
import { type OperatorRoute, serveOperatorOperations } from '../serve-operator-operations.js'

/** Serves the console, and the operator API, which it uses. */
export async function operatorRoutes(app: FastifyInstance, context: AppContext) {
  app.decorateRequest('operator', undefined)
  const { console: consoleRules, ...nouns } = operatorRules
  consoleRoutes(app, context, await consoleRules())
  sessionRoute(app, context)
  consoleFiles(app)
  for (const [noun, load] of Object.entries(nouns)) {
    const routes = operatorContract[noun as keyof typeof nouns] as Routes
    serveOperatorOperations(app, context, {
      routes: routes as Record<string, OperatorRoute>,
      rules: (await load()) as RulesOf<Record<string, OperatorRoute>>,
    })
  }
}

type ConsoleRules = RulesOf<typeof operatorContract.console>

/** Serves the operations without a token. */
function consoleRoutes(app: FastifyInstance, context: AppContext, rules: ConsoleRules) {
  const server = initServer()
  const shed = ({ clientAddress }: { clientAddress: string }, _reply: unknown, done: () => void) => {
    context.hashing.assertCapacity(networkOf(clientAddress))
    done()
  }
  const ifOn = (request: Parameters<typeof requireConsole>[0], _reply: unknown, done: () => void) => {
    requireConsole(request)
    done()
  }
  const router = server.router(operatorContract.console, {
    getConsole: {
      hooks: { onRequest: ifOn },
      handler: async () => ({ status: 200, body: await rules.getConsole(context, {} as never) }),
    },
    createFirstOperator: {
      hooks: { onRequest: [ifOn, shed] },
      handler: async ({ body, request, reply }) => {
        const caller = new RequestCaller(request, reply, context.hashing)
        return { status: 201, body: await rules.createFirstOperator(context, { body, caller } as never) }
      },
    },
    openCommandLineSession: {
      hooks: { onRequest: ifOn },
      handler: async ({ body, request, reply }) => {
        const caller = new RequestCaller(request, reply, context.hashing)
        return { status: 201, body: await rules.openCommandLineSession(context, { body, caller } as never) }
      },
    },
  })
  app.register(server.plugin(router), {
    requestValidationErrorHandler: (error) => {
      throw validationFailed(fieldErrors(error.body))
    },
  })
}
