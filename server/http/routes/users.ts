import type { ServerResponse } from 'node:http'
import { initServer, type RequestValidationError } from '@ts-rest/fastify'
import { contract, type DatabasePath } from '@usher/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/caller.js'
import type { AppContext } from '../../domain/context.js'
import { validationFailed } from '../../domain/problem.js'
import { networkOf } from '../../domain/throttle/client-network.js'
import { createUser, signUpErrors } from '../../domain/users/create-user.js'
import { login } from '../../domain/users/login.js'
import { me } from '../../domain/users/me.js'
import { bearerToken } from '../bearer-token.js'
import { fieldErrors } from '../validation-errors.js'
import { rejectInvalidPath } from './invalid-path.js'

const server = initServer()

export function userRoutes(app: FastifyInstance, context: AppContext) {
  // Before the body is read, so that a shed request costs little.
  const shedLoad = {
    onRequest: (
      { clientAddress }: Pick<FastifyRequest, 'clientAddress'>,
      _reply: unknown,
      done: () => void,
    ) => {
      context.hashing.assertCapacity(networkOf(clientAddress))
      done()
    },
  }
  const router = server.router(contract.users, {
    createUser: {
      hooks: shedLoad,
      handler: async ({ params, body, headers, request, reply }) => {
        const database = await context.findDatabase(params)
        const caller = callerOf(request, reply, context)
        return {
          status: 201,
          body: await createUser(context, database, body, caller, headers['idempotency-key']),
        }
      },
    },
    login: {
      hooks: shedLoad,
      handler: async ({ params, body, request, reply }) => {
        const database = await context.findDatabase(params)
        return { status: 200, body: await login(context, database, body, callerOf(request, reply, context)) }
      },
    },
    getMe: async ({ params, request }) => {
      const database = await context.findDatabase(params)
      return {
        status: 200,
        body: await me(context, database, bearerToken(request.headers.authorization), request.log),
      }
    },
  })
  app.register(server.plugin(router), {
    requestValidationErrorHandler: (error, request) => reject(error, request, context),
  })
}

async function reject(error: RequestValidationError, request: FastifyRequest, context: AppContext) {
  rejectInvalidPath(error)
  const errors = [...fieldErrors(error.headers), ...fieldErrors(error.body)]
  const isSignUp = request.routeOptions.url === contract.users.createUser.path
  throw validationFailed(
    isSignUp ? await signUpErrors(context, request.params as DatabasePath, request.body, errors) : errors,
  )
}

/** ts-rest uses the reply type of Fastify 4, whose `raw` has another type parameter. */
function callerOf(
  { clientAddress, log }: Pick<FastifyRequest, 'clientAddress' | 'log'>,
  reply: { raw: unknown; elapsedTime: number },
  { hashing }: AppContext,
): Caller {
  const response = reply.raw as ServerResponse
  return {
    address: clientAddress,
    network: networkOf(clientAddress),
    deadline: performance.now() - reply.elapsedTime + hashing.queueSeconds * 1000,
    isDisconnected: () => response.destroyed,
    onceDisconnected: (listener) => {
      response.once('close', listener)
      return () => response.off('close', listener)
    },
    log,
  }
}
