import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { runChange } from '../../domain/change.js'
import type { AppContext } from '../../domain/context.js'
import { endOtherSessions, endSession, endSessionById } from '../../domain/sessions/end-sessions.js'
import { listSessions } from '../../domain/sessions/list-sessions.js'
import { openSession } from '../../domain/sessions/open-session.js'
import { refreshSession } from '../../domain/sessions/refresh-session.js'
import { revokeTokens } from '../../domain/users/user-changes.js'
import { serveOperations } from '../serve-operations.js'

export const sessionRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.sessions,
    rules: {
      openSession,
      refreshSession,
      endSession,
      listSessions,
      endAllSessions: (_, request) =>
        runChange(context, request, (change) => revokeTokens(change, { userId: request.user.id })),
      endOtherSessions,
      endSessionById,
    },
  })
