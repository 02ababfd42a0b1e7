import type { Command } from '@commander-js/extra-typings'
import { nameOfDatabase } from '../../domain/databases/find-database.js'
import {
  addToTenant,
  changeTenant,
  createTenant,
  deleteTenant,
  findTenant,
  listTenants,
  removeFromTenant,
} from '../../domain/management/tenants.js'
import type { ListedTenantRow } from '../../store/queries/management/tenants.js'
import { audit } from '../../telemetry/audit.js'
import { databasePath, tenantName, uuid } from '../io/arguments.js'
import { addPageOptions, printable, printPage } from '../io/listing.js'
import { confirmDeletion, requireTerminal } from '../io/terminal.js'
import { print, withStore } from '../io/with-store.js'

export function configure(tenant: Command) {
  addCreateCommand(tenant)
  addListCommand(tenant)
  addRenameCommand(tenant)
  addDeleteCommand(tenant)
  addMembershipCommands(tenant)
}

function addCreateCommand(tenant: Command) {
  tenant
    .command('create')
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<name>', 'name of the tenant, which need not be unique', tenantName)
    .description('create a tenant without users')
    .option('--json', 'print the result as JSON')
    .action((path, name, options) =>
      withStore(async (store, _config, log) => {
        const created = await createTenant({ store, now: new Date() }, path, { name })
        audit(log, 'tenant.created', { databaseId: created.databaseId, tenantId: created.id })
        print(options, shown(created), `Created tenant ${created.id}.`)
      }),
    )
}

function addListCommand(tenant: Command) {
  addPageOptions(tenant.command('list'), 'id', uuid)
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the tenants of a database')
    .action((path, options) =>
      withStore(async (store) => {
        const tenants = await listTenants(store, path, options)
        printPage(options, tenants, {
          columns: { ID: ({ id }) => id, USERS: ({ users }) => users, NAME: ({ name }) => printable(name) },
          key: ({ id }) => id,
          empty: 'No tenants.',
        })
      }),
    )
}

function addRenameCommand(tenant: Command) {
  tenant
    .command('rename')
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<tenant>', 'id of the tenant', uuid)
    .argument('<name>', 'new name of the tenant', tenantName)
    .description('change the name of a tenant')
    .option('--json', 'print the result as JSON')
    // biome-ignore lint/complexity/useMaxParams: commander passes each argument of a command
    .action((path, id, name, options) =>
      withStore(async (store, _config, log) => {
        const change = { id, changes: { name } }
        const { tenant } = await changeTenant({ store, now: new Date() }, path, change)
        audit(log, 'tenant.updated', { databaseId: tenant.databaseId, tenantId: id })
        print(options, shown(tenant), `Renamed tenant ${id}.`)
      }),
    )
}

function addDeleteCommand(tenant: Command) {
  tenant
    .command('delete')
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<tenant>', 'id of the tenant', uuid)
    .description('delete a tenant permanently; its users remain')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the result as JSON')
    .action((path, id, options) => {
      if (!options.yes) requireTerminal(`deleting tenant ${id}`)
      return withStore(async (store, _config, log) => {
        const { tenant } = await findTenant(store, path, id)
        if (!options.yes) await confirmDeletion(printable(tenant.name), 'this tenant permanently')
        const deleted = await deleteTenant({ store, now: new Date() }, path, id)
        audit(log, 'tenant.deleted', { databaseId: deleted.databaseId, tenantId: id })
        print(
          options,
          { ...shown(deleted), users: deleted.users },
          `Deleted tenant ${id}. Users removed from it: ${deleted.users}.`,
        )
      })
    })
}

function addMembershipCommands(tenant: Command) {
  const membershipCommand = (name: string, description: string) =>
    tenant
      .command(name)
      .argument('<workspace/name>', 'database', databasePath)
      .argument('<tenant>', 'id of the tenant', uuid)
      .argument('<user>', 'id or email address of the user')
      .description(description)
      .option('--json', 'print the result as JSON')
  membershipCommand('add-user', 'add a user to a tenant')
    // biome-ignore lint/complexity/useMaxParams: commander passes each argument of a command
    .action((path, tenantId, userRef, options) =>
      withStore(async (store, _config, log) => {
        const { membership } = await addToTenant({ store, now: new Date() }, path, { tenantId, userRef })
        audit(log, 'tenant.user_added', membership)
        const text = `Added user ${membership.userId} to tenant ${tenantId}. Tokens include it from the next login on.`
        print(options, membership, text)
      }),
    )
  membershipCommand('remove-user', 'remove a user from a tenant')
    // biome-ignore lint/complexity/useMaxParams: commander passes each argument of a command
    .action((path, tenantId, userRef, options) =>
      withStore(async (store, _config, log) => {
        const membership = await removeFromTenant({ store, now: new Date() }, path, { tenantId, userRef })
        audit(log, 'tenant.user_removed', membership)
        const text = `Removed user ${membership.userId} from tenant ${tenantId}. Existing tokens include it until they expire. To revoke them, run: npx @usher/server user revoke-tokens ${nameOfDatabase(path)} ${membership.userId}`
        print(options, membership, text)
      }),
    )
}

/** Returns the fields of a tenant that commands print. */
const shown = ({ databaseId, id, name, externalId, createdAt }: ListedTenantRow) => ({
  databaseId,
  id,
  name,
  externalId,
  createdAt,
})
