import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { runChange } from '../../domain/change.js'
import type { AppContext } from '../../domain/context.js'
import { inviteMember } from '../../domain/invitations/invite.js'
import { listInvitations, revokeInvitation } from '../../domain/invitations/pending.js'
import { unless } from '../../domain/problem.js'
import { acceptInvitation } from '../../domain/users/accept-invitation.js'
import { serveOperations } from '../serve-operations.js'

export const invitationRoutes = (app: FastifyInstance, context: AppContext) =>
  serveOperations(app, context, {
    routes: contract.invitations,
    rules: {
      inviteMember,
      listInvitations,
      revokeInvitation: (_, request) =>
        runChange(context, request, (change) => revokeInvitation(change, request.params)).catch(
          unless('invitation_not_found'),
        ),
      acceptInvitation,
    },
  })
