import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import {
  endAllSessions,
  endOtherSessions,
  endSession,
  endSessionById,
} from '../../domain/sessions/end-sessions.js'
import { listSessions } from '../../domain/sessions/list-sessions.js'
import { openSession } from '../../domain/sessions/open-session.js'
import { refreshSession } from '../../domain/sessions/refresh-session.js'
import { hasAccountOperations, serveOperations } from '../serve-operations.js'

export const sessionRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.sessions,
    rules: {
      openSession,
      refreshSession,
      endSession,
      listSessions,
      endAllSessions,
      endOtherSessions,
      endSessionById,
    },
    isOn: hasAccountOperations,
  })
