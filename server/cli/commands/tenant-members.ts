import type { Command } from '@commander-js/extra-typings'
import { nameOfDatabase } from '../../domain/databases/find-database.js'
import {
  listTenantMembers,
  type MemberEvent,
  putMember,
  removeFromTenant,
} from '../../domain/management/members.js'
import { audit } from '../../telemetry/audit.js'
import { role, uuid } from '../io/arguments.js'
import { addPageOptions, printPage } from '../io/listing.js'
import { print, withStore } from '../io/with-store.js'
import { tenantCommand } from './tenant-command.js'

/** Adds the commands that list and change the users of a tenant. */
export function addMemberCommands(tenant: Command) {
  addListCommand(tenant)
  addAddCommand(tenant)
  addRemoveCommand(tenant)
}

function addListCommand(tenant: Command) {
  addPageOptions(tenantCommand(tenant, 'list-users'), 'id', uuid)
    .description('list the users of a tenant with their roles')
    .action((path, tenantId, options) =>
      withStore(async (store) => {
        printPage(options, await listTenantMembers(store, path, { ...options, tenantId }), {
          columns: { ID: (user) => user.id, ROLE: (user) => user.role, EMAIL: (user) => user.email },
          key: (user) => user.id,
          empty: 'No users.',
        })
      }),
    )
}

const memberCommand = (tenant: Command, name: string, description: string) =>
  tenantCommand(tenant, name)
    .argument('<user>', 'id or email address of the user')
    .description(description)
    .option('--json', 'print the result as JSON')

function addAddCommand(tenant: Command) {
  memberCommand(tenant, 'add-user', 'add a user to a tenant, or change the role of a member')
    .option('--role <role>', 'owner, admin, member or a role of the database', role)
    .action((...[path, tenantId, userRef, options]) =>
      withStore(async (store, _config, log) => {
        const member = { tenantId, userRef, role: options.role }
        const { membership, change } = await putMember({ store, now: new Date() }, path, member)
        if (change) audit(log, change, membership)
        print(options, membership, describe(membership, change))
      }),
    )
}

function describe(
  { userId, tenantId, role }: { userId: string; tenantId: string; role: string },
  change: MemberEvent,
) {
  if (!change) return `User ${userId} is already in tenant ${tenantId} with the role ${role}.`
  const done =
    change === 'tenant.user_added'
      ? `Added user ${userId} to tenant ${tenantId} with the role ${role}.`
      : `Changed the role of user ${userId} in tenant ${tenantId} to ${role}.`
  return `${done} Tokens include it from the next login or refresh on.`
}

function addRemoveCommand(tenant: Command) {
  memberCommand(tenant, 'remove-user', 'remove a user from a tenant').action(
    (...[path, tenantId, userRef, options]) =>
      withStore(async (store, _config, log) => {
        const membership = await removeFromTenant({ store, now: new Date() }, path, { tenantId, userRef })
        audit(log, 'tenant.user_removed', membership)
        const text = `Removed user ${membership.userId} from tenant ${tenantId}. Existing tokens include it until they expire. To revoke them, run: npx @usher/server user revoke-tokens ${nameOfDatabase(path)} ${membership.userId}`
        print(options, membership, text)
      }),
  )
}
