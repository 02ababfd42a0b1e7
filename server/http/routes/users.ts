import type { ServerResponse } from 'node:http'
import { initServer, type RequestValidationError } from '@ts-rest/fastify'
import { contract, type DatabasePath } from '@usher/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bearerToken } from '../bearer-token.js'
import { bodyFaults, headerFaults } from '../validation-errors.js'
import type { Caller } from '../../domain/caller.js'
import { passwordFaults } from '../../domain/passwords/policy.js'
import { Problem } from '../../domain/problem.js'
import type { Service } from '../../domain/context.js'
import { verifyToken } from '../../domain/tokens/access-token.js'
import { createUser, findTokenUser, login } from '../../domain/users/create-user.js'
import { refusePath } from './invalid-path.js'

const server = initServer()

export function userRoutes(app: FastifyInstance, service: Service) {
  // Before the body is read: what is shed should cost next to nothing.
  const beforeHashing = {
    onRequest: (_request: unknown, _reply: unknown, done: () => void) => {
      service.hashing.requireRoom()
      done()
    },
  }
  const router = server.router(contract.users, {
    createUser: {
      hooks: beforeHashing,
      handler: async ({ params, body, headers, request, reply }) => {
        const database = await service.findDatabase(params)
        const key = headers['idempotency-key']
        return { status: 201, body: await createUser(service, database, body, callerOf(request, reply), key) }
      },
    },
    login: {
      hooks: beforeHashing,
      handler: async ({ params, body, request, reply }) => {
        const database = await service.findDatabase(params)
        return { status: 200, body: await login(service, database, body, callerOf(request, reply)) }
      },
    },
    me: async ({ params, request }) => {
      const database = await service.findDatabase(params)
      const claims = verifyToken(database, bearerToken(request.headers.authorization), service.now())
      return { status: 200, body: await findTokenUser(service, database, claims) }
    },
  })
  app.register(server.plugin(router), {
    requestValidationErrorHandler: (error, request) => refuse(error, request, service),
  })
}

/** What the contract refuses: a path that can be no database's, or a body, with all its faults at once. */
async function refuse(error: RequestValidationError, request: FastifyRequest, service: Service) {
  refusePath(error)
  const errors = [...headerFaults(error.headers), ...bodyFaults(error.body, request.body)]
  if (isSignUp(request) && !errors.some(({ path }) => path === '' || path === 'password')) {
    const { password, email } = request.body as { password: string; email: unknown }
    const { passwordPolicy } = await service.findDatabase(request.params as DatabasePath)
    errors.push(...passwordFaults(passwordPolicy, password, email))
  }
  const detail = errors.map((fault) => `${fault.path || 'the body'} ${fault.detail}`).join('; ')
  throw new Problem('validation_failed', { errors, detail })
}

/** ts-rest types the reply by Fastify 4, where `raw` was another parameter. */
function callerOf({ ip, log }: Pick<FastifyRequest, 'ip' | 'log'>, reply: { raw: unknown }): Caller {
  const response = reply.raw as ServerResponse
  return {
    address: ip,
    isGone: () => response.destroyed,
    // As often as the login has hashes to try.
    onceGone: (listener) => response.setMaxListeners(0).once('close', listener),
    log,
  }
}

const isSignUp = (request: FastifyRequest) => request.routeOptions.url === contract.users.createUser.path
