import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { runChange } from '../../domain/change.js'
import type { AppContext } from '../../domain/context.js'
import { changeUser } from '../../domain/email-change/change-user.js'
import { changePassword } from '../../domain/users/change-password.js'
import { deleteMe, userBody } from '../../domain/users/me.js'
import { serveOperations } from '../serve-operations.js'

export const meRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.me,
    rules: {
      async updateMe(_, request) {
        const { user, body } = request
        const wanted = { userId: user.id, changes: body }
        const changed = await runChange(context, request, (change) => changeUser(change, wanted))
        return userBody({ ...user, ...changed })
      },
      changePassword,
      deleteMe,
    },
  })
