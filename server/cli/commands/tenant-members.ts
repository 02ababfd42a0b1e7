import type { Command } from '@commander-js/extra-typings'
import { runChange } from '../../domain/change.js'
import { nameOfDatabase } from '../../domain/database-name.js'
import { listTenantMembers } from '../../domain/management/tenants.js'
import { findAccount } from '../../domain/management/users/find-account.js'
import { putMember, removeMember } from '../../domain/tenants/members.js'
import { role, uuid } from '../io/arguments.js'
import type { Host } from '../io/host.js'
import { addPageOptions, printPage } from '../io/listing.js'
import { withDatabase } from '../io/with-store.js'
import { tenantCommand } from './tenant-command.js'

/** Adds the commands that list and change the users of a tenant. */
export function addMemberCommands(tenant: Command, host: Host) {
  addListCommand(tenant, host)
  addAddCommand(tenant, host)
  addRemoveCommand(tenant, host)
}

function addListCommand(tenant: Command, host: Host) {
  addPageOptions(tenantCommand(tenant, 'list-users'), 'id', uuid)
    .description('list the users of a tenant with their roles')
    .action((path, tenantId, options) =>
      withDatabase(host, path, async ({ context, database }) => {
        printPage(host, options, {
          rows: await listTenantMembers(context.store, database, { ...options, tenantId }),
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

function addAddCommand(tenant: Command, host: Host) {
  memberCommand(tenant, 'add-user', 'add a user to a tenant, or change the role of a member')
    .option('--role <role>', 'owner, admin, member or a role of the database', role)
    .action((...[path, tenantId, userRef, options]) =>
      withDatabase(host, path, async ({ context, request, database }) => {
        const account = await findAccount(context.store, database, userRef)
        const wanted = { tenantId, userId: account.id, role: options.role }
        const put = await runChange(context, request, (change) => putMember(change, wanted))
        const membership = { tenantId, databaseId: database.id, userId: account.id, role: put.member.role }
        host.print(options, membership, describe(membership, put))
      }),
    )
}

function describe(
  { userId, tenantId, role }: { userId: string; tenantId: string; role: string },
  { isAdded, isChanged }: { isAdded: boolean; isChanged: boolean },
) {
  if (!isAdded && !isChanged) return `User ${userId} is already in tenant ${tenantId} with the role ${role}.`
  const done = isAdded
    ? `Added user ${userId} to tenant ${tenantId} with the role ${role}.`
    : `Changed the role of user ${userId} in tenant ${tenantId} to ${role}.`
  return `${done} Tokens include it from the next login or refresh on.`
}

function addRemoveCommand(tenant: Command, host: Host) {
  memberCommand(tenant, 'remove-user', 'remove a user from a tenant').action(
    (...[path, tenantId, userRef, options]) =>
      withDatabase(host, path, async ({ context, request, database }) => {
        const account = await findAccount(context.store, database, userRef)
        const member = { tenantId, userId: account.id }
        await runChange(context, request, (change) => removeMember(change, member))
        const text = `Removed user ${account.id} from tenant ${tenantId}. Existing tokens include it until they expire. To revoke them, run: npx @usher/server user revoke-tokens ${nameOfDatabase(path)} ${account.id}`
        host.print(options, { databaseId: database.id, ...member }, text)
      }),
  )
}
