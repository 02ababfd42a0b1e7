import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { changeEmail } from '../../domain/email-change/change-email.js'
import { requestEmailChange } from '../../domain/email-change/request-change.js'
import { undoEmailChange } from '../../domain/email-change/undo-change.js'
import { serveOperations } from '../serve-operations.js'

export const emailChangeRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.emailChange,
    rules: { requestEmailChange, changeEmail, undoEmailChange },
  })
