import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { finishLogin } from '../../domain/logins/finish-login.js'
import { requestLoginCode } from '../../domain/logins/request-login-code.js'
import { hasLoginMail, serveOperations } from '../serve-operations.js'

const { requestLoginCode: mailRoute, finishLogin: finishRoute } = contract.logins

/** A login at a provider is finished as one by mail, so only the request for a mail can be turned off. */
export function loginRoutes(app: FastifyInstance, context: AppContext) {
  serveOperations(app, context, {
    routes: { requestLoginCode: mailRoute },
    rules: { requestLoginCode },
    isOn: hasLoginMail,
  })
  serveOperations(app, context, { routes: { finishLogin: finishRoute }, rules: { finishLogin } })
}
