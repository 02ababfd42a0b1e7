import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { login } from '../../domain/login/password.js'
import { createUser } from '../../domain/users/create-user.js'
import { getMe } from '../../domain/users/me.js'
import { serveOperations } from '../serve-operations.js'

export const userRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, { routes: contract.users, rules: { createUser, login, getMe } })
