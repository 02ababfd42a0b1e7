import type { DatabasePath } from '@usher/contract'
import type { Command } from 'commander'
import { addToTenant, listTenants, removeFromTenant } from '../../domain/admin/tenants.js'
import { audit } from '../../telemetry/audit.js'
import { databasePath, uuid } from '../io/arguments.js'
import { addPageOptions, printable, printPage } from '../io/listing.js'
import { print, withStore } from '../io/with-store.js'

export function addTenantCommands(program: Command) {
  const tenant = program.command('tenant').description('tenants, to which users belong')
  addPageOptions(tenant.command('list'), 'id', uuid)
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the tenants of a database')
    .action((path: DatabasePath, options) =>
      withStore(async (store) => {
        const tenants = await listTenants(store, path, options)
        printPage(options, tenants, {
          line: ({ id, users, name }) => `${id}  users: ${users}  ${printable(name)}`,
          key: ({ id }) => id,
          none: 'There is no tenant.',
        })
      }),
    )
  const memberCommand = (name: string, description: string) =>
    tenant
      .command(name)
      .argument('<workspace/name>', 'database', databasePath)
      .argument('<tenant>', 'id of the tenant', uuid)
      .argument('<user>', 'id or email address')
      .description(description)
      .option('--json', 'print JSON')
  memberCommand('add-user', 'make a user one of a tenant’s').action(
    (path: DatabasePath, tenantId: string, who: string, options) =>
      withStore(async (store, _config, log) => {
        const membership = await addToTenant(store, path, tenantId, who, new Date())
        audit(log, 'tenant.user_added', membership)
        const line = `Added user ${membership.userId} to tenant ${tenantId}. A token names it from the next login on.`
        print(options, membership, line)
      }),
  )
  memberCommand('remove-user', 'end a user’s membership of a tenant').action(
    (path: DatabasePath, tenantId: string, who: string, options) =>
      withStore(async (store, _config, log) => {
        const membership = await removeFromTenant(store, path, tenantId, who)
        audit(log, 'tenant.user_removed', membership)
        const line = `Removed user ${membership.userId} from tenant ${tenantId}. Tokens from before name it until they expire; usher user revoke-tokens ends them.`
        print(options, membership, line)
      }),
  )
}
