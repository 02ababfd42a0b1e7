import { ChangeTenantBody, managementContract } from '@usher/contract/management'
import type { FastifyInstance } from 'fastify'
import { runChange } from '../../domain/change.js'
import type { AppContext } from '../../domain/context.js'
import { invitationBody, invite } from '../../domain/invitations/invite.js'
import { listManagedInvitations, revokeInvitation } from '../../domain/invitations/pending.js'
import { etagOf, requireMatch } from '../../domain/management/etag.js'
import { changeOncePerKey } from '../../domain/management/once-per-key.js'
import { getManagedTenant, listManagedMembers, listManagedTenants } from '../../domain/management/tenants.js'
import { unless } from '../../domain/problem.js'
import { managedTenant } from '../../domain/tenants/bodies.js'
import { putMember, removeMember } from '../../domain/tenants/members.js'
import { changeTenant, createTenant, deleteTenant } from '../../domain/tenants/tenants.js'
import { serveOperations } from '../serve-operations.js'

/** Serves the tenants, members and invitations of the management API. */
export function managedTenantRoutes(app: FastifyInstance, context: AppContext) {
  serveOperations(app, context, {
    routes: managementContract.tenants,
    rules: {
      listTenants: listManagedTenants,
      getTenant: getManagedTenant,
      addTenant: (_, request) =>
        changeOncePerKey(context, request, {
          operation: 'addTenant',
          prepare: async () => (change) => createTenant(change, request.body),
          responseOf: managedTenant,
        }),
      async changeTenant(_, request) {
        const { params, body, headers } = request
        const wanted = {
          tenantId: params.tenantId,
          changes: body,
          require: (tenant: object) =>
            requireMatch(headers['if-match'], etagOf(tenant, Object.keys(ChangeTenantBody.shape))),
        }
        return managedTenant(await runChange(context, request, (change) => changeTenant(change, wanted)))
      },
      removeTenant: (_, request) =>
        deleteTenant(context, request, request.params.tenantId).catch(unless('tenant_not_found')),
      listMembers: listManagedMembers,
      async putMember(_, request) {
        const member = { ...request.params, role: request.body?.role }
        await runChange(context, request, (change) => putMember(change, member))
      },
      removeMember: (_, request) =>
        runChange(context, request, (change) => removeMember(change, request.params)).catch(
          unless('tenant_not_found', 'user_not_found', 'member_not_found'),
        ),
    },
  })
  serveOperations(app, context, {
    routes: managementContract.invitations,
    rules: {
      listInvitations: listManagedInvitations,
      inviteMember: (_, request) =>
        changeOncePerKey(context, request, {
          operation: 'inviteMember',
          prepare: async () => (change) =>
            invite(change, { ...request.body, tenantId: request.params.tenantId }),
          responseOf: invitationBody,
        }),
      revokeInvitation: (_, request) =>
        runChange(context, request, (change) => revokeInvitation(change, request.params)).catch(
          unless('tenant_not_found', 'invitation_not_found'),
        ),
    },
  })
}
