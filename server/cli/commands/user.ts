import type { Command } from '@commander-js/extra-typings'
import { deleteUser, setPassword } from '../../domain/management/users/change-user.js'
import { createUser } from '../../domain/management/users/create-user.js'
import { findAccount } from '../../domain/management/users/find-account.js'
import { listUsers, showUser } from '../../domain/management/users/list-users.js'
import { openBlocklist } from '../../domain/passwords/blocklist.js'
import { createHasher } from '../../domain/passwords/hasher.js'
import { usageError } from '../../domain/problem.js'
import { audit, type Log } from '../../telemetry/audit.js'
import { databasePath, email, preferredName, role, uuid } from '../io/arguments.js'
import { addPageOptions, aligned, printable, printPage } from '../io/listing.js'
import { confirmDeletion, readNewPassword, requireTerminal } from '../io/terminal.js'
import { print, withStore } from '../io/with-store.js'
import {
  addSetEmailCommand,
  addUserChangeCommands,
  commandOnUser,
  shownUser,
  throttleOf,
} from './user-changes.js'
import { addUserExportCommand } from './user-export.js'
import { addUserImportCommand } from './user-import.js'

export function configure(user: Command) {
  addUserImportCommand(user)
  addUserExportCommand(user)
  addCreateCommand(user)
  addListCommand(user)
  addShowCommand(user)
  addUserChangeCommands(user)
  addSetEmailCommand(user)
  addDeleteCommand(user)
  addSetPasswordCommand(user)
}

function addCreateCommand(user: Command) {
  user
    .command('create')
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<email>', 'email address of the user', email)
    .description('create a user, with a password typed on a terminal or read from stdin')
    .option('--name <name>', 'preferred name', preferredName)
    .option('--tenant <id>', 'add the user to this tenant', uuid)
    .option('--role <role>', 'role in that tenant: owner, admin, member or a role of the database', role)
    .option('--no-password', 'do not ask for a password; the user cannot log in until one is set')
    .option('--json', 'print the result as JSON')
    .action(async (path, email, { name: preferredName = null, tenant: tenantId, ...options }) => {
      if (options.role !== undefined && !tenantId) throw usageError('--role requires --tenant')
      const password = options.password ? await readNewPassword() : undefined
      await withHashing(async (context, log) => {
        const user = {
          email,
          preferredName,
          password,
          tenants: tenantId ? [{ id: tenantId, role: options.role }] : [],
        }
        const created = await createUser(context, path, user)
        const ids = { databaseId: created.databaseId, userId: created.id }
        audit(log, 'user.created', ids)
        if (tenantId) audit(log, 'tenant.user_added', { ...ids, tenantId })
        print(options, shownUser(created), `Created user ${created.id}.`)
      })
    })
}

function addListCommand(user: Command) {
  addPageOptions(user.command('list'), 'id', uuid)
    .argument('<workspace/name>', 'database', databasePath)
    .description('list users, oldest first')
    .option('--tenant <id>', 'only the users of this tenant', uuid)
    .action((path, options) =>
      withStore(async (store) => {
        const users = await listUsers(store, path, { ...options, tenantId: options.tenant })
        printPage(options, users.map(shownUser), {
          columns: {
            ID: ({ id }) => id,
            STATE: ({ disabledAt }) => (disabledAt ? 'disabled' : 'active'),
            EMAIL: ({ email }) => email,
          },
          key: ({ id }) => id,
          empty: 'No users.',
        })
      }),
    )
}

function addShowCommand(user: Command) {
  commandOnUser(user, 'show', 'show a user with tenants and failed logins').action((path, userRef, options) =>
    withStore(async (store) => {
      const found = await showUser({ store, throttle: throttleOf(store), now: Date.now }, path, userRef)
      print(options, found, describe(found))
    }),
  )
}

function addDeleteCommand(user: Command) {
  commandOnUser(user, 'delete', 'delete a user permanently; the user’s tenants remain')
    .option('--yes', 'do not ask for confirmation')
    .action((path, userRef, options) => {
      if (!options.yes) requireTerminal(`deleting user ${userRef}`)
      return withStore(async (store, _config, log) => {
        const { database, account } = await findAccount(store, path, userRef)
        if (!options.yes) await confirmDeletion(account.email, 'this user permanently')
        const deleted = await deleteUser(
          { store, throttle: throttleOf(store), now: new Date() },
          database,
          account.id,
        )
        audit(log, 'user.deleted', { databaseId: deleted.databaseId, userId: deleted.id })
        print(options, shownUser(deleted), `Deleted user ${deleted.id}.`)
      })
    })
}

function addSetPasswordCommand(user: Command) {
  commandOnUser(
    user,
    'set-password',
    'set the password of a user, typed on a terminal or read from stdin',
  ).action(async (path, userRef, options) => {
    const password = await readNewPassword()
    await withHashing(async (context, log) => {
      const changed = await setPassword(context, path, { userRef, password })
      audit(log, 'user.password_set', { databaseId: changed.databaseId, userId: changed.id })
      print(
        options,
        shownUser(changed),
        `Set the password of user ${changed.id} and revoked existing tokens.`,
      )
    })
  })
}

/** Runs a command that may hash a password. */
const withHashing = (command: (context: Parameters<typeof setPassword>[0], log: Log) => Promise<void>) =>
  withStore(async (store, config, log) => {
    const blocklist = await openBlocklist(config.passwordBlocklistFile)
    const hashing = createHasher({ ...config.hashing, concurrency: 1 })
    try {
      await command({ store, hashing, blocklist, now: new Date() }, log)
    } finally {
      await Promise.all([hashing.close(), blocklist?.close()])
    }
  })

function describe(user: Awaited<ReturnType<typeof showUser>>) {
  const { failedLogins } = user
  return aligned([
    ['id', user.id],
    ['email', user.email],
    ['preferred name', user.preferredName === null ? 'none' : printable(user.preferredName)],
    ['created', user.createdAt.toISOString()],
    ['state', user.disabledAt ? `disabled since ${user.disabledAt.toISOString()}` : 'active'],
    [
      'failed logins',
      failedLogins ? `${failedLogins.count}, most recent at ${failedLogins.lastAt.toISOString()}` : 'none',
    ],
    ...user.tenants.map(({ id, role, joinedAt, name }) => [
      'tenant',
      `${id} as ${role} since ${joinedAt.toISOString()}  ${printable(name)}`,
    ]),
  ])
}
