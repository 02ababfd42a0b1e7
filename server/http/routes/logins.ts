import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { finishLogin } from '../../domain/login/finish.js'
import { requestLoginCode } from '../../domain/login/mail.js'
import { serveOperations } from '../serve-operations.js'

export const loginRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, { routes: contract.logins, rules: { requestLoginCode, finishLogin } })
