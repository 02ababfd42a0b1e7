import type { Command } from '@commander-js/extra-typings'
import { Problem } from '../../domain/problem.js'
import { email, role, uuid } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'
import { addPageOptions, pageOf, printPage } from '../io/listing.js'
import { tenantCommand } from './tenant-command.js'

/** Adds the commands that list, send and revoke the invitations of a tenant. */
export function addInvitationCommands(tenant: Command, { host, call }: Cli) {
  addPageOptions(tenantCommand(tenant, 'list-invitations'), 'id', uuid)
    .description('list the invitations of a tenant that are not accepted yet')
    .action(async (path, tenantId, options) => {
      const body = await call('listInvitations', { params: { ...path, tenantId }, query: pageOf(options) })
      printPage(host, options, {
        body,
        rows: body.invitations,
        columns: {
          ID: ({ id }) => id,
          EXPIRES: ({ expiresAt }) => expiresAt,
          ROLE: (invitation) => invitation.role,
          EMAIL: (invitation) => invitation.email,
        },
        empty: 'No invitations.',
      })
    })
  tenantCommand(tenant, 'invite')
    .argument('<email>', 'email address to invite', email)
    .description('invite an email address to a tenant, by mail')
    .option('--role <role>', 'owner, admin, member or a role of the database', role, 'member')
    .option('--json', 'print the result as JSON')
    .action(async (...[path, tenantId, email, { role, ...options }]) => {
      const invited = await call('inviteMember', { params: { ...path, tenantId }, body: { email, role } })
      const text = `Stored invitation ${invited.id}, which a server will send. It is valid until ${invited.expiresAt}.`
      host.print(options, invited, text)
    })
  tenantCommand(tenant, 'revoke-invitation')
    .argument('<invitation>', 'id of the invitation', uuid)
    .description('make the code of an invitation invalid')
    .option('--json', 'print the result as JSON')
    .action(async (...[path, tenantId, invitationId, options]) => {
      const params = { ...path, tenantId }
      // The operation also succeeds if there is no such invitation, but who types an id may have mistyped it.
      const { invitations } = await call('listInvitations', { params, query: { limit: '1000' } })
      if (!invitations.some(({ id }) => id === invitationId.toLowerCase()))
        throw new Problem('invitation_not_found', {
          detail: `Invitation ${invitationId} does not exist in tenant ${tenantId}.`,
        })
      await call('revokeInvitation', { params: { ...params, invitationId } })
      host.print(options, {}, `Revoked invitation ${invitationId}.`)
    })
}
