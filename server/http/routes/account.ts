import { initServer } from '@ts-rest/fastify'
import { contract, type DatabasePath } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { requestEmailVerification } from '../../domain/codes/request-email-verification.js'
import { requestPasswordReset } from '../../domain/codes/request-password-reset.js'
import { resetPassword } from '../../domain/codes/reset-password.js'
import { verifyEmail } from '../../domain/codes/verify-email.js'
import type { AppContext } from '../../domain/context.js'
import { Problem, validationFailed } from '../../domain/problem.js'
import { endAllSessions, endSession, endSessionById } from '../../domain/sessions/end-sessions.js'
import { listSessions } from '../../domain/sessions/list-sessions.js'
import { openSession } from '../../domain/sessions/open-session.js'
import { refreshSession } from '../../domain/sessions/refresh-session.js'
import { changePassword } from '../../domain/users/change-password.js'
import { deleteMe } from '../../domain/users/delete-me.js'
import { newPasswordErrors } from '../../domain/users/new-password-errors.js'
import { updateMe } from '../../domain/users/update-me.js'
import { bearerToken, optionalBearerToken } from '../bearer-token.js'
import { callerOf, shedLoad } from '../caller-of.js'
import { fieldErrors } from '../validation-errors.js'
import { rejectInvalidPath } from './invalid-path.js'

const server = initServer()

export function accountRoutes(app: FastifyInstance, context: AppContext) {
  const findDatabase = async (path: DatabasePath) => {
    const database = await context.findDatabase(path)
    if (!database.accountOperations) throw new Problem('route_not_found')
    return database
  }
  const hooks = shedLoad(context)
  const router = server.router(contract.account, {
    openSession: async ({ params, body, request: { headers, log } }) => {
      const database = await findDatabase(params)
      const jwt = bearerToken(headers.authorization)
      return { status: 201, body: await openSession(context, database, jwt, body, log) }
    },
    refreshSession: async ({ params, body: { refreshToken }, request: { log } }) => {
      const database = await findDatabase(params)
      return { status: 200, body: await refreshSession(context, database, refreshToken, log) }
    },
    endSession: async ({ params, body: { refreshToken }, request: { log } }) => {
      await endSession(context, await findDatabase(params), refreshToken, log)
      return { status: 204, body: undefined }
    },
    listSessions: async ({ params, request: { headers, log } }) => {
      const database = await findDatabase(params)
      return {
        status: 200,
        body: await listSessions(context, database, bearerToken(headers.authorization), log),
      }
    },
    endAllSessions: async ({ params, request: { headers, log } }) => {
      const database = await findDatabase(params)
      await endAllSessions(context, database, bearerToken(headers.authorization), log)
      return { status: 204, body: undefined }
    },
    endSessionById: async ({ params, request: { headers, log } }) => {
      const database = await findDatabase(params)
      const jwt = bearerToken(headers.authorization)
      await endSessionById(context, database, jwt, params.sessionId, log)
      return { status: 204, body: undefined }
    },
    requestPasswordReset: async ({ params, body, request: { clientAddress: address, log } }) => {
      await requestPasswordReset(context, await findDatabase(params), body, { address, log })
      return { status: 202, body: {} }
    },
    resetPassword: {
      hooks,
      handler: async ({ params, body, request, reply }) => {
        const database = await findDatabase(params)
        const caller = callerOf(request, reply, context)
        return { status: 200, body: await resetPassword(context, database, body, caller) }
      },
    },
    requestEmailVerification: async ({ params, request: { headers, clientAddress: address, log } }) => {
      const database = await findDatabase(params)
      const jwt = bearerToken(headers.authorization)
      await requestEmailVerification(context, database, jwt, { address, log })
      return { status: 202, body: {} }
    },
    verifyEmail: async ({ params, body, request: { headers, log } }) => {
      const database = await findDatabase(params)
      const jwt = optionalBearerToken(headers.authorization)
      return { status: 200, body: await verifyEmail(context, database, body, jwt, log) }
    },
    updateMe: async ({ params, body, request: { headers, log } }) => {
      const database = await findDatabase(params)
      const jwt = bearerToken(headers.authorization)
      return { status: 200, body: await updateMe(context, database, jwt, body, log) }
    },
    changePassword: {
      hooks,
      handler: async ({ params, body, request, reply }) => {
        const database = await findDatabase(params)
        const jwt = bearerToken(request.headers.authorization)
        const caller = callerOf(request, reply, context)
        return { status: 200, body: await changePassword(context, database, jwt, body, caller) }
      },
    },
    deleteMe: {
      hooks,
      handler: async ({ params, body, request, reply }) => {
        const database = await findDatabase(params)
        const jwt = bearerToken(request.headers.authorization)
        await deleteMe(context, database, jwt, body, callerOf(request, reply, context))
        return { status: 204, body: undefined }
      },
    },
  })
  app.register(server.plugin(router), {
    requestValidationErrorHandler: async (error, { params, body, routeOptions }) => {
      rejectInvalidPath(error)
      const path = params as DatabasePath
      await findDatabase(path)
      const errors = [...fieldErrors(error.pathParams), ...fieldErrors(error.body)]
      const { changePassword, resetPassword } = contract.account
      const hasNewPassword = [changePassword, resetPassword].some(({ path }) => path === routeOptions.url)
      throw validationFailed(
        hasNewPassword ? await newPasswordErrors(context, path, body, errors, 'newPassword') : errors,
      )
    },
  })
}
