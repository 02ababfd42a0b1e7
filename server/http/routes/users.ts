import { initServer, type RequestValidationError } from '@ts-rest/fastify'
import { contract, type DatabasePath } from '@usher/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { validationFailed } from '../../domain/problem.js'
import { createUser } from '../../domain/users/create-user.js'
import { login } from '../../domain/users/login.js'
import { me } from '../../domain/users/me.js'
import { newPasswordErrors } from '../../domain/users/new-password-errors.js'
import { bearerToken } from '../bearer-token.js'
import { callerOf, shedLoad } from '../caller-of.js'
import { fieldErrors } from '../validation-errors.js'
import { rejectInvalidPath } from './invalid-path.js'

const server = initServer()

export function userRoutes(app: FastifyInstance, context: AppContext) {
  const hooks = shedLoad(context)
  const router = server.router(contract.users, {
    createUser: {
      hooks,
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
      hooks,
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
    isSignUp
      ? await newPasswordErrors(context, request.params as DatabasePath, request.body, errors, 'password')
      : errors,
  )
}
