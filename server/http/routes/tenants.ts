import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { changeMember, listMembers, removeMember } from '../../domain/tenants/members.js'
import { createTenant, deleteTenant, getTenant, updateTenant } from '../../domain/tenants/tenants.js'
import { hasTenantOperations, serveOperations } from '../serve-operations.js'

export const tenantRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.tenants,
    rules: {
      createTenant,
      getTenant,
      updateTenant,
      deleteTenant,
      listMembers,
      changeMember,
      removeMember,
    },
    isOn: hasTenantOperations,
  })
