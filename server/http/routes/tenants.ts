import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { runChange } from '../../domain/change.js'
import type { AppContext } from '../../domain/context.js'
import { unless } from '../../domain/problem.js'
import { memberBody, tenantBody } from '../../domain/tenants/bodies.js'
import { listMembers, putMember, removeMember } from '../../domain/tenants/members.js'
import { changeTenant, createTenant, deleteTenant, getTenant } from '../../domain/tenants/tenants.js'
import { serveOperations } from '../serve-operations.js'

export const tenantRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.tenants,
    rules: {
      createTenant: async (_, request) =>
        tenantBody(
          await runChange(context, request, (change) => createTenant(change, request.body)),
          'owner',
        ),
      getTenant,
      async updateTenant(_, request) {
        const wanted = { tenantId: request.params.tenantId, changes: request.body }
        const tenant = await runChange(context, request, (change) => changeTenant(change, wanted))
        return tenantBody(tenant, tenant.role)
      },
      deleteTenant: (_, request) => deleteTenant(context, request, request.params.tenantId),
      listMembers,
      async changeMember(_, request) {
        const { tenantId, userId } = request.params
        const wanted = { tenantId, userId, role: request.body.role }
        return memberBody((await runChange(context, request, (change) => putMember(change, wanted))).member)
      },
      removeMember: (_, request) =>
        runChange(context, request, (change) => removeMember(change, request.params)).catch(
          unless('member_not_found'),
        ),
    },
  })
