import { operatorContract } from '@usher/contract/operator'
import type { FastifyInstance } from 'fastify'
import { initServer } from '#ts-rest/fastify'
import type { AppContext } from '../../domain/context.js'
import { listActions, listDatabaseActions } from '../../domain/operators/actions.js'
import {
  createCommandLineCode,
  createCommandLineConfirmation,
  openCommandLineSession,
} from '../../domain/operators/command-line.js'
import {
  addDatabaseConnection,
  changeDatabaseConnection,
  checkDatabaseConnection,
  getConnection,
  listConnectionDetails,
  removeDatabaseConnection,
} from '../../domain/operators/connections.js'
import {
  createOperatorDatabase,
  createOperatorWorkspace,
  deleteOperatorDatabase,
  listDatabases,
  listWorkspaces,
} from '../../domain/operators/databases.js'
import { changeDeliveries, listDeliveries } from '../../domain/operators/deliveries.js'
import { createFirstOperator, getConsole } from '../../domain/operators/first-operator.js'
import { beginImport } from '../../domain/operators/import.js'
import {
  createDatabaseApiKey,
  listDatabaseApiKeys,
  listSigningKeys,
  retireSigningKey,
  revokeDatabaseApiKey,
  rotateDatabaseApiKey,
  rotateSigningKeys,
} from '../../domain/operators/keys.js'
import type { OperatorRequest } from '../../domain/operators/operator-request.js'
import {
  addOperator,
  changeOperator,
  findOperator,
  listOperators,
  removeOperator,
} from '../../domain/operators/operators.js'
import { listServers } from '../../domain/operators/servers/list-servers.js'
import { changeSettings, getSettings } from '../../domain/operators/settings.js'
import { getStatistics } from '../../domain/operators/statistics.js'
import { validationFailed } from '../../domain/problem.js'
import { networkOf } from '../../domain/throttle/client-network.js'
import { consoleFiles } from '../console/files.js'
import { sessionRoute } from '../console/session.js'
import { requireConsole } from '../console-access.js'
import { RequestCaller } from '../request-caller.js'
import { fieldErrors } from '../serve-operations.js'
import { serveOperatorOperations } from '../serve-operator-operations.js'

/** Serves the console, and the operator API, which it uses. */
export function operatorRoutes(app: FastifyInstance, context: AppContext) {
  app.decorateRequest('operator', undefined)
  consoleRoutes(app, context)
  sessionRoute(app, context)
  consoleFiles(app)
  serveOperatorOperations(app, context, {
    routes: operatorContract.operators,
    rules: {
      getOperator: (_, { operators, user }) => findOperator(context, operators, user.id),
      listOperators: (_, { operators }) => listOperators(context, operators),
      addOperator: (_, request) => addOperator(context, asChange(request), request.body),
      changeOperator: (_, request) =>
        changeOperator(context, asChange(request), { ...request.body, userId: request.params.operatorId }),
      removeOperator: (_, request) => removeOperator(context, asChange(request), request.params.operatorId),
    },
  })
  serveOperatorOperations(app, context, {
    routes: operatorContract.commandLine,
    rules: { createCommandLineCode, createCommandLineConfirmation },
  })
  databaseRoutes(app, context)
  serveOperatorOperations(app, context, {
    routes: operatorContract.operations,
    rules: {
      beginImport,
      listDeliveries,
      retryDeliveries: changeDeliveries('outbox.retried'),
      dropDeliveries: changeDeliveries('outbox.dropped'),
    },
  })
  const { actions, servers } = operatorContract
  serveOperatorOperations(app, context, { routes: actions, rules: { listActions, listDatabaseActions } })
  serveOperatorOperations(app, context, { routes: servers, rules: { listServers } })
}

/** Serves what operators do with databases, their connections and their keys. */
function databaseRoutes(app: FastifyInstance, context: AppContext) {
  serveOperatorOperations(app, context, {
    routes: operatorContract.databases,
    rules: {
      listWorkspaces,
      createWorkspace: createOperatorWorkspace,
      listDatabases,
      createDatabase: createOperatorDatabase,
      deleteDatabase: deleteOperatorDatabase,
      getStatistics,
      getSettings,
      changeSettings,
    },
  })
  serveOperatorOperations(app, context, {
    routes: operatorContract.connections,
    rules: {
      listConnectionDetails,
      getConnection,
      addConnection: addDatabaseConnection,
      changeConnection: changeDatabaseConnection,
      removeConnection: removeDatabaseConnection,
      checkConnection: checkDatabaseConnection,
    },
  })
  serveOperatorOperations(app, context, {
    routes: operatorContract.keys,
    rules: {
      listKeys: listSigningKeys,
      rotateKeys: rotateSigningKeys,
      retireKey: retireSigningKey,
      listApiKeys: listDatabaseApiKeys,
      createApiKey: createDatabaseApiKey,
      rotateApiKey: rotateDatabaseApiKey,
      revokeApiKey: revokeDatabaseApiKey,
    },
  })
}

/** Returns a request to change the operators' database. */
const asChange = ({ operators, caller, actor }: OperatorRequest) => ({ database: operators, caller, actor })

/** Serves the operations without a token. */
function consoleRoutes(app: FastifyInstance, context: AppContext) {
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
      handler: async () => ({ status: 200, body: await getConsole(context) }),
    },
    createFirstOperator: {
      hooks: { onRequest: [ifOn, shed] },
      handler: async ({ body, request, reply }) => {
        const caller = new RequestCaller(request, reply, context.hashing)
        return { status: 201, body: await createFirstOperator(context, { body, caller }) }
      },
    },
    openCommandLineSession: {
      hooks: { onRequest: ifOn },
      handler: async ({ body, request, reply }) => {
        const caller = new RequestCaller(request, reply, context.hashing)
        return { status: 201, body: await openCommandLineSession(context, { body, caller }) }
      },
    },
  })
  app.register(server.plugin(router), {
    requestValidationErrorHandler: (error) => {
      throw validationFailed(fieldErrors(error.body))
    },
  })
}
