import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { requestEmailVerification, requestPasswordReset } from '../../domain/codes/request-code.js'
import { resetPassword } from '../../domain/codes/reset-password.js'
import { verifyEmail } from '../../domain/codes/verify-email.js'
import type { AppContext } from '../../domain/context.js'
import { serveOperations } from '../serve-operations.js'

export const codeRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.codes,
    rules: { requestPasswordReset, resetPassword, requestEmailVerification, verifyEmail },
  })
