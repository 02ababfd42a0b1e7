import type { ServerResponse } from 'node:http'
import { initServer, type RequestValidationError } from '@ts-rest/fastify'
import { contract, type DatabasePath } from '@usher/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/caller.js'
import type { AppContext } from '../../domain/context.js'
import { passwordErrors } from '../../domain/passwords/policy.js'
import { Problem } from '../../domain/problem.js'
import { verifyToken } from '../../domain/tokens/access-token.js'
import { createUser, login, me } from '../../domain/users/create-user.js'
import { bearerToken } from '../bearer-token.js'
import { bodyErrors, headerErrors } from '../validation-errors.js'
import { rejectInvalidPath } from './invalid-path.js'

const server = initServer()

export function userRoutes(app: FastifyInstance, context: AppContext) {
  // Before the body is read: what is shed should cost next to nothing.
  const beforeHashing = {
    onRequest: (_request: unknown, _reply: unknown, done: () => void) => {
      context.hashing.assertCapacity()
      done()
    },
  }
  const router = server.router(contract.users, {
    createUser: {
      hooks: beforeHashing,
      handler: async ({ params, body, headers, request, reply }) => {
        const database = await context.findDatabase(params)
        const key = headers['idempotency-key']
        return { status: 201, body: await createUser(context, database, body, callerOf(request, reply), key) }
      },
    },
    login: {
      hooks: beforeHashing,
      handler: async ({ params, body, request, reply }) => {
        const database = await context.findDatabase(params)
        return { status: 200, body: await login(context, database, body, callerOf(request, reply)) }
      },
    },
    me: async ({ params, request }) => {
      const database = await context.findDatabase(params)
      const claims = verifyToken(database, bearerToken(request.headers.authorization), context.now())
      return { status: 200, body: await me(context, database, claims) }
    },
  })
  app.register(server.plugin(router), {
    requestValidationErrorHandler: (error, request) => refuse(error, request, context),
  })
}

/** What the contract refuses: a path that can be no database's, or a body, with all its faults at once. */
async function refuse(error: RequestValidationError, request: FastifyRequest, context: AppContext) {
  rejectInvalidPath(error)
  const errors = [...headerErrors(error.headers), ...bodyErrors(error.body, request.body)]
  if (isSignUp(request) && !errors.some(({ path }) => path === '' || path === 'password')) {
    const { password, email } = request.body as { password: string; email: unknown }
    const { passwordPolicy } = await context.findDatabase(request.params as DatabasePath)
    errors.push(...passwordErrors(passwordPolicy, password, email))
  }
  const detail = errors.map((fault) => `${fault.path || 'the body'} ${fault.detail}`).join('; ')
  throw new Problem('validation_failed', { errors, detail })
}

/** ts-rest types the reply by Fastify 4, where `raw` was another parameter. */
function callerOf({ ip, log }: Pick<FastifyRequest, 'ip' | 'log'>, reply: { raw: unknown }): Caller {
  const response = reply.raw as ServerResponse
  return {
    address: ip,
    isDisconnected: () => response.destroyed,
    // As often as the login has hashes to try.
    onceDisconnected: (listener) => response.setMaxListeners(0).once('close', listener),
    log,
  }
}

const isSignUp = (request: FastifyRequest) => request.routeOptions.url === contract.users.createUser.path
