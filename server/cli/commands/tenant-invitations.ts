import type { Command } from '@commander-js/extra-typings'
import { runChange } from '../../domain/change.js'
import { invite } from '../../domain/invitations/invite.js'
import { listTenantInvitations, revoke } from '../../domain/invitations/pending.js'
import { email, role, uuid } from '../io/arguments.js'
import type { Host } from '../io/host.js'
import { addPageOptions, printPage } from '../io/listing.js'
import { withDatabase } from '../io/with-store.js'
import { tenantCommand } from './tenant-command.js'

/** Adds the commands that list, send and revoke the invitations of a tenant. */
export function addInvitationCommands(tenant: Command, host: Host) {
  addListCommand(tenant, host)
  addInviteCommand(tenant, host)
  addRevokeCommand(tenant, host)
}

function addListCommand(tenant: Command, host: Host) {
  addPageOptions(tenantCommand(tenant, 'list-invitations'), 'id', uuid)
    .description('list the invitations of a tenant that are not accepted yet')
    .action((path, tenantId, options) =>
      withDatabase(host, path, async ({ context, database }) => {
        const invitations = await listTenantInvitations(context, database, { ...options, tenantId })
        printPage(host, options, {
          rows: invitations,
          columns: {
            ID: ({ id }) => id,
            EXPIRES: ({ expiresAt }) => expiresAt.toISOString(),
            ROLE: (invitation) => invitation.role,
            EMAIL: (invitation) => invitation.email,
          },
          key: ({ id }) => id,
          empty: 'No invitations.',
        })
      }),
    )
}

function addInviteCommand(tenant: Command, host: Host) {
  tenantCommand(tenant, 'invite')
    .argument('<email>', 'email address to invite', email)
    .description('invite an email address to a tenant, by mail')
    .option('--role <role>', 'owner, admin, member or a role of the database', role, 'member')
    .option('--json', 'print the result as JSON')
    .action((...[path, tenantId, email, options]) =>
      withDatabase(host, path, async ({ context, request, database }) => {
        const invitation = { tenantId, email, role: options.role }
        const created = await runChange(context, request, (change) => invite(change, invitation))
        const invited = { databaseId: database.id, tenantId, ...created }
        const text = `Stored invitation ${invited.id}, which a server will send. It is valid until ${invited.expiresAt.toISOString()}.`
        host.print(options, invited, text)
      }),
    )
}

function addRevokeCommand(tenant: Command, host: Host) {
  tenantCommand(tenant, 'revoke-invitation')
    .argument('<invitation>', 'id of the invitation', uuid)
    .description('make the code of an invitation invalid')
    .option('--json', 'print the result as JSON')
    .action((...[path, tenantId, invitationId, options]) =>
      withDatabase(host, path, async ({ context, request, database }) => {
        const ids = { tenantId, invitationId }
        await runChange(context, request, (change) => revoke(change, ids))
        host.print(options, { databaseId: database.id, ...ids }, `Revoked invitation ${invitationId}.`)
      }),
    )
}
