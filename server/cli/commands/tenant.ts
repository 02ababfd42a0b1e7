import type { Command } from '@commander-js/extra-typings'
import { runChange } from '../../domain/change.js'
import { listTenants } from '../../domain/management/tenants.js'
import { changeTenant, createTenant, deleteTenant, requireTenant } from '../../domain/tenants/tenants.js'
import type { TenantRow } from '../../store/queries/tenants.js'
import { databasePath, seats, seatsOrNone, tenantName, uuid } from '../io/arguments.js'
import type { Host } from '../io/host.js'
import { addPageOptions, printable, printPage } from '../io/listing.js'
import { confirmDeletion, requireTerminal } from '../io/terminal.js'
import { withDatabase } from '../io/with-store.js'
import { tenantCommand } from './tenant-command.js'
import { addInvitationCommands } from './tenant-invitations.js'
import { addMemberCommands } from './tenant-members.js'

export function configure(tenant: Command, host: Host) {
  addCreateCommand(tenant, host)
  addListCommand(tenant, host)
  addRenameCommand(tenant, host)
  addDeleteCommand(tenant, host)
  addSeatsCommand(tenant, host)
  addMemberCommands(tenant, host)
  addInvitationCommands(tenant, host)
}

function addCreateCommand(tenant: Command, host: Host) {
  tenant
    .command('create')
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<name>', 'name of the tenant, which need not be unique', tenantName)
    .description('create a tenant without users')
    .option('--seats <number>', 'maximum number of members who accept an invitation', seats)
    .option('--json', 'print the result as JSON')
    .action((path, name, options) =>
      withDatabase(host, path, async ({ context, request }) => {
        const fields = { name, seats: options.seats ?? null }
        const created = await runChange(context, request, (change) => createTenant(change, fields))
        host.print(options, shown(created), `Created tenant ${created.id}.`)
      }),
    )
}

function addListCommand(tenant: Command, host: Host) {
  addPageOptions(tenant.command('list'), 'id', uuid)
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the tenants of a database')
    .action((path, options) =>
      withDatabase(host, path, async ({ context, database }) => {
        const tenants = await listTenants(context.store, database, options)
        printPage(host, options, {
          rows: tenants,
          columns: { ID: ({ id }) => id, USERS: ({ users }) => users, NAME: ({ name }) => printable(name) },
          key: ({ id }) => id,
          empty: 'No tenants.',
        })
      }),
    )
}

function addRenameCommand(tenant: Command, host: Host) {
  tenantCommand(tenant, 'rename')
    .argument('<name>', 'new name of the tenant', tenantName)
    .description('change the name of a tenant')
    .option('--json', 'print the result as JSON')
    .action((...[path, id, name, options]) =>
      withDatabase(host, path, async ({ context, request }) => {
        const wanted = { tenantId: id, changes: { name } }
        const tenant = await runChange(context, request, (change) => changeTenant(change, wanted))
        host.print(options, shown(tenant), `Renamed tenant ${id}.`)
      }),
    )
}

function addDeleteCommand(tenant: Command, host: Host) {
  tenantCommand(tenant, 'delete')
    .description('delete a tenant permanently; its users remain')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the result as JSON')
    .action((path, id, options) => {
      if (!options.yes) requireTerminal(host, `deleting tenant ${id}`)
      return withDatabase(host, path, async ({ context, request, database }) => {
        const tenant = await requireTenant(context.store, database, id)
        if (!options.yes) await confirmDeletion(host, printable(tenant.name), 'this tenant permanently')
        const users = await deleteTenant(context, request, id)
        host.print(
          options,
          { ...shown(tenant), users },
          `Deleted tenant ${id}. Users removed from it: ${users}.`,
        )
      })
    })
}

function addSeatsCommand(tenant: Command, host: Host) {
  tenantCommand(tenant, 'set-seats')
    .argument('<seats>', 'maximum number of members who accept an invitation, or "none"', seatsOrNone)
    .description('limit the members of a tenant')
    .option('--json', 'print the result as JSON')
    .action((...[path, id, { seats }, options]) =>
      withDatabase(host, path, async ({ context, request }) => {
        const wanted = { tenantId: id, changes: { seats } }
        const tenant = await runChange(context, request, (change) => changeTenant(change, wanted))
        host.print(options, shown(tenant), `Tenant ${id} has ${seats ?? 'an unlimited number of'} seats.`)
      }),
    )
}

/** Returns the fields of a tenant that commands print. */
const shown = ({ databaseId, id, name, externalId, seats, createdAt }: TenantRow) => ({
  databaseId,
  id,
  name,
  externalId,
  seats,
  createdAt,
})
