import type { DatabasePath } from '@usher/contract'
import type { Command } from 'commander'
import {
  deleteUser,
  disableUser,
  enableUser,
  revokeTokens,
  setPassword,
  unlockUser,
} from '../../domain/admin/change-user.js'
import type { Account } from '../../domain/admin/find-account.js'
import { listUsers, showUser } from '../../domain/admin/list-users.js'
import { createHasher } from '../../domain/passwords/hasher.js'
import { createThrottle } from '../../domain/throttle/login-throttle.js'
import type { Store } from '../../store/store.js'
import { type AuditEvent, audit } from '../../telemetry/audit.js'
import { databasePath, uuid } from '../io/arguments.js'
import { addPageOptions, printable, printPage } from '../io/listing.js'
import { readNewPassword } from '../io/terminal.js'
import { print, withStore } from '../io/with-store.js'
import { addUserExportCommand } from './user-export.js'
import { addUserImportCommand } from './user-import.js'

export function addUserCommands(program: Command) {
  const user = program.command('user').description('users of a database, by id or email address')
  addUserImportCommand(user)
  addUserExportCommand(user)
  addPageOptions(user.command('list'), 'id', uuid)
    .argument('<workspace/name>', 'database', databasePath)
    .description('list users in the order of signing up')
    .option('--tenant <id>', 'only the users of this tenant', uuid)
    .action((path: DatabasePath, options) =>
      withStore(async (store) => {
        const users = await listUsers(store, path, options, options.tenant)
        printPage(options, users, {
          line: ({ id, disabledAt, email }) => `${id}  ${disabledAt ? 'disabled' : 'active'}  ${email}`,
          key: ({ id }) => id,
          none: 'There is no user.',
        })
      }),
    )
  commandOnUser(user, 'show', 'show a user, with tenants and failed logins').action(
    (path: DatabasePath, who: string, options) =>
      withStore(async (store) => {
        const found = await showUser(store, throttleOf(store), path, who)
        print(options, found, describe(found))
      }),
  )
  for (const [name, { description, event, change, line }] of Object.entries(changes)) {
    commandOnUser(user, name, description).action((path: DatabasePath, who: string, options) =>
      withStore(async (store, _config, log) => {
        const changed = await change(store, path, who, new Date())
        audit(log, event, { databaseId: changed.databaseId, userId: changed.id })
        print(options, changed, line(changed.id))
      }),
    )
  }
  commandOnUser(user, 'set-password', 'give a user the password that is typed, or comes on stdin').action(
    async (path: DatabasePath, who: string, options) => {
      const password = await readNewPassword()
      await withStore(async (store, config, log) => {
        const hashing = createHasher(config.hashing)
        const changed = await setPassword({ store, hashing }, path, who, password, new Date())
        audit(log, 'user.password_set', { databaseId: changed.databaseId, userId: changed.id })
        print(options, changed, `Set the password of user ${changed.id}, and revoked the tokens from before.`)
      })
    },
  )
}

const commandOnUser = (user: Command, name: string, description: string) =>
  user
    .command(name)
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<user>', 'id or email address')
    .description(description)
    .option('--json', 'print JSON')

const throttleOf = (store: Store) => createThrottle(store, Date.now)

interface UserChange {
  description: string
  event: AuditEvent
  change: (store: Store, path: DatabasePath, who: string, now: Date) => Promise<Account>
  line: (id: string) => string
}

const changes: Record<string, UserChange> = {
  disable: {
    description: 'refuse a user’s logins and tokens',
    event: 'user.disabled',
    change: disableUser,
    line: (id) => `Disabled user ${id}: logins and tokens are refused.`,
  },
  enable: {
    description: 'take a disabled user’s logins again, and the tokens that have not expired',
    event: 'user.enabled',
    change: enableUser,
    line: (id) => `Enabled user ${id}: logins and tokens that have not expired are accepted.`,
  },
  'revoke-tokens': {
    description: 'refuse the tokens that a user has; logging in gives a new one',
    event: 'user.tokens_revoked',
    change: revokeTokens,
    line: (id) => `Revoked the tokens that user ${id} had.`,
  },
  unlock: {
    description: 'let a user log in at once whose failed logins are throttled',
    event: 'user.unlocked',
    change: (store, path, who) => unlockUser(store, throttleOf(store), path, who),
    line: (id) => `Forgot the failed logins of user ${id}.`,
  },
  delete: {
    description: 'delete a user for ever; the user’s tenants stay',
    event: 'user.deleted',
    change: (store, path, who) => deleteUser(store, throttleOf(store), path, who),
    line: (id) => `Deleted user ${id}.`,
  },
}

function describe(user: Awaited<ReturnType<typeof showUser>>) {
  const { failedLogins } = user
  const lines = [
    `id              ${user.id}`,
    `email           ${user.email}`,
    `preferred name  ${user.preferredName === null ? 'none' : printable(user.preferredName)}`,
    `signed up       ${user.createdAt.toISOString()}`,
    `state           ${user.disabledAt ? `disabled since ${user.disabledAt.toISOString()}` : 'active'}`,
    `tokens          ${user.tokensValidAfter ? `from ${user.tokensValidAfter.toISOString()} on` : 'all'}`,
    `failed logins   ${failedLogins ? `${failedLogins.count}, the last ${failedLogins.lastAt.toISOString()}` : 'none'}`,
    ...user.tenants.map(
      (tenant) =>
        `tenant          ${tenant.id} since ${tenant.joinedAt.toISOString()}  ${printable(tenant.name)}`,
    ),
  ]
  return lines.join('\n')
}
