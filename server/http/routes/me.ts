import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { changePassword } from '../../domain/users/change-password.js'
import { deleteMe, updateMe } from '../../domain/users/me.js'
import { hasAccountOperations, serveOperations } from '../serve-operations.js'

export const meRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.me,
    rules: { updateMe, changePassword, deleteMe },
    isOn: hasAccountOperations,
  })
