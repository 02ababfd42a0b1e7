import type { Command } from '@commander-js/extra-typings'
import { nameOfDatabase } from '../../domain/database-name.js'
import { Problem } from '../../domain/problem.js'
import { role, uuid } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'
import { findUser } from '../io/find-user.js'
import { addPageOptions, pageOf, printPage } from '../io/listing.js'
import { tenantCommand } from './tenant-command.js'

/** Adds the commands that list and change the users of a tenant. */
export function addMemberCommands(tenant: Command, cli: Cli) {
  addListCommand(tenant, cli)
  addAddCommand(tenant, cli)
  addRemoveCommand(tenant, cli)
}

function addListCommand(tenant: Command, { host, call }: Cli) {
  addPageOptions(tenantCommand(tenant, 'list-users'), 'id', uuid)
    .description('list the users of a tenant with their roles')
    .action(async (path, tenantId, options) => {
      const body = await call('listMembers', { params: { ...path, tenantId }, query: pageOf(options) })
      printPage(host, options, {
        body,
        rows: body.members,
        columns: { ID: (user) => user.id, ROLE: (user) => user.role, EMAIL: (user) => user.email },
        empty: 'No users.',
      })
    })
}

const memberCommand = (tenant: Command, name: string, description: string) =>
  tenantCommand(tenant, name)
    .argument('<user>', 'id or email address of the user')
    .description(description)
    .option('--json', 'print the result as JSON')

function addAddCommand(tenant: Command, { host, call }: Cli) {
  memberCommand(tenant, 'add-user', 'add a user to a tenant, or change the role of a member')
    .option('--role <role>', 'owner, admin, member or a role of the database', role)
    .action(async (...[path, tenantId, userRef, { role, ...options }]) => {
      const { id: userId, memberships } = await findUser(call, path, userRef)
      const former = memberships.find(({ id }) => id === tenantId.toLowerCase())?.role
      await call('putMember', { params: { ...path, tenantId, userId }, body: { role } })
      host.print(options, {}, textOf({ userId, tenantId }, former, role ?? former ?? 'member'))
    })
}

function textOf(
  { userId, tenantId }: { userId: string; tenantId: string },
  former: string | undefined,
  role: string,
) {
  if (former === role) return `User ${userId} is already in tenant ${tenantId} with the role ${role}.`
  const done =
    former === undefined
      ? `Added user ${userId} to tenant ${tenantId} with the role ${role}.`
      : `Changed the role of user ${userId} in tenant ${tenantId} to ${role}.`
  return `${done} Tokens include it from the next login or refresh on.`
}

function addRemoveCommand(tenant: Command, { host, call }: Cli) {
  memberCommand(tenant, 'remove-user', 'remove a user from a tenant').action(
    async (...[path, tenantId, userRef, options]) => {
      const { id: userId, memberships } = await findUser(call, path, userRef)
      // The operation also succeeds for others, but who types an id may have mistyped it.
      if (!memberships.some(({ id }) => id === tenantId.toLowerCase()))
        throw new Problem('member_not_found', {
          detail: `User ${userId} is not a member of tenant ${tenantId}.`,
        })
      await call('removeMember', { params: { ...path, tenantId, userId } })
      const text = `Removed user ${userId} from tenant ${tenantId}. Existing tokens include it until they expire. To revoke them, run: npx @usher/server user revoke-tokens ${nameOfDatabase(path)} ${userId}`
      host.print(options, {}, text)
    },
  )
}
