import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { requestEmailVerification } from '../../domain/codes/request-email-verification.js'
import { requestPasswordReset } from '../../domain/codes/request-password-reset.js'
import { resetPassword } from '../../domain/codes/reset-password.js'
import { verifyEmail } from '../../domain/codes/verify-email.js'
import type { AppContext } from '../../domain/context.js'
import { endAllSessions, endSession, endSessionById } from '../../domain/sessions/end-sessions.js'
import { listSessions } from '../../domain/sessions/list-sessions.js'
import { openSession } from '../../domain/sessions/open-session.js'
import { refreshSession } from '../../domain/sessions/refresh-session.js'
import { changePassword } from '../../domain/users/change-password.js'
import { deleteMe } from '../../domain/users/delete-me.js'
import { updateMe } from '../../domain/users/update-me.js'
import { serveOperations } from '../serve-operations.js'

export const accountRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.account,
    rules: {
      openSession,
      refreshSession,
      endSession,
      listSessions,
      endAllSessions,
      endSessionById,
      updateMe,
      changePassword,
      deleteMe,
      requestPasswordReset,
      resetPassword,
      requestEmailVerification,
      verifyEmail,
    },
    isOn: ({ accountOperations }) => accountOperations,
  })
