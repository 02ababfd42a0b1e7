import type { Command } from '@commander-js/extra-typings'
import { addToTenant, listTenants, removeFromTenant } from '../../domain/admin/tenants.js'
import { audit } from '../../telemetry/audit.js'
import { databasePath, uuid } from '../io/arguments.js'
import { addPageOptions, printable, printPage } from '../io/listing.js'
import { print, withStore } from '../io/with-store.js'

export function configure(tenant: Command) {
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
  const membershipCommand = (name: string, description: string) =>
    tenant
      .command(name)
      .argument('<workspace/name>', 'database', databasePath)
      .argument('<tenant>', 'id of the tenant', uuid)
      .argument('<user>', 'id or email address of the user')
      .description(description)
      .option('--json', 'print the result as JSON')
  membershipCommand('add-user', 'add a user to a tenant').action((path, tenantId, userRef, options) =>
    withStore(async (store, _config, log) => {
      const membership = await addToTenant(store, path, tenantId, userRef, new Date())
      audit(log, 'tenant.user_added', membership)
      const text = `Added user ${membership.userId} to tenant ${tenantId}. Tokens include it from the next login on.`
      print(options, membership, text)
    }),
  )
  membershipCommand('remove-user', 'remove a user from a tenant').action((path, tenantId, userRef, options) =>
    withStore(async (store, _config, log) => {
      const membership = await removeFromTenant(store, path, tenantId, userRef, new Date())
      audit(log, 'tenant.user_removed', membership)
      const text = `Removed user ${membership.userId} from tenant ${tenantId}. Existing tokens include it until they expire. To revoke them, run: usher user revoke-tokens`
      print(options, membership, text)
    }),
  )
}
