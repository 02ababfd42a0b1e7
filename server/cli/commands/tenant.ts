import type { Command } from '@commander-js/extra-typings'
import { cursor, databasePath, seats, seatsOrNone, tenantName } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'
import { addPageOptions, pageOf, printable, printPage } from '../io/listing.js'
import { confirmDeletion, requireTerminal } from '../io/terminal.js'
import { tenantCommand } from './tenant-command.js'
import { addInvitationCommands } from './tenant-invitations.js'
import { addMemberCommands } from './tenant-members.js'
import { addSsoCommands } from './tenant-sso.js'

export function configure(tenant: Command, cli: Cli) {
  addCreateCommand(tenant, cli)
  addListCommand(tenant, cli)
  addRenameCommand(tenant, cli)
  addDeleteCommand(tenant, cli)
  addSeatsCommand(tenant, cli)
  addMemberCommands(tenant, cli)
  addInvitationCommands(tenant, cli)
  addSsoCommands(tenant, cli)
}

function addCreateCommand(tenant: Command, { host, call }: Cli) {
  tenant
    .command('create')
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<name>', 'name of the tenant, which need not be unique', tenantName)
    .description('create a tenant without users')
    .option('--seats <number>', 'maximum number of members who accept an invitation', seats)
    .option('--json', 'print the result as JSON')
    .action(async (params, name, { seats = null, ...options }) => {
      const created = await call('addTenant', { params, body: { name, seats } })
      host.print(options, created, `Created tenant ${created.id}.`)
    })
}

function addListCommand(tenant: Command, { host, call }: Cli) {
  addPageOptions(tenant.command('list'), 'id or cursor', cursor)
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the tenants of a database')
    .option('--name-prefix <text>', 'only the tenants whose name begins with this text; ordered by name')
    .action(async (params, { namePrefix, ...options }) => {
      const filter = namePrefix !== undefined && { namePrefix }
      const query = { ...pageOf(options), ...filter, users: 'true' as const }
      const body = await call('listTenants', { params, query })
      printPage(host, options, {
        body,
        rows: body.tenants,
        columns: { ID: ({ id }) => id, USERS: ({ users = 0 }) => users, NAME: ({ name }) => printable(name) },
        empty: 'No tenants.',
      })
    })
}

function addRenameCommand(tenant: Command, { host, call }: Cli) {
  tenantCommand(tenant, 'rename')
    .argument('<name>', 'new name of the tenant', tenantName)
    .description('change the name of a tenant')
    .option('--json', 'print the result as JSON')
    .action(async (...[path, tenantId, name, options]) => {
      const changed = await call('changeTenant', { params: { ...path, tenantId }, body: { name } })
      host.print(options, changed, `Renamed tenant ${tenantId}.`)
    })
}

function addDeleteCommand(tenant: Command, { host, call }: Cli) {
  tenantCommand(tenant, 'delete')
    .description('delete a tenant permanently; its users remain')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the result as JSON')
    .action(async (path, tenantId, options) => {
      if (!options.yes) requireTerminal(host, `deleting tenant ${tenantId}`)
      const params = { ...path, tenantId }
      // The operation also succeeds if there is no such tenant, but who types an id may have mistyped it.
      const { name, users } = await call('getTenant', { params, query: { users: 'true' } })
      if (!options.yes) await confirmDeletion(host, printable(name), 'this tenant permanently')
      await call('removeTenant', { params })
      host.print(options, {}, `Deleted tenant ${tenantId}. Users removed from it: ${users}.`)
    })
}

function addSeatsCommand(tenant: Command, { host, call }: Cli) {
  tenantCommand(tenant, 'set-seats')
    .argument('<seats>', 'maximum number of members who accept an invitation, or "none"', seatsOrNone)
    .description('limit the members of a tenant')
    .option('--json', 'print the result as JSON')
    .action(async (...[path, tenantId, { seats }, options]) => {
      const changed = await call('changeTenant', { params: { ...path, tenantId }, body: { seats } })
      host.print(options, changed, `Tenant ${tenantId} has ${seats ?? 'an unlimited number of'} seats.`)
    })
}
