import type { Command } from '@commander-js/extra-typings'
import type { DatabasePath } from '@usher/contract'
import { runChange } from '../../domain/change.js'
import type { AppContext } from '../../domain/context.js'
import { userFactors } from '../../domain/management/users/factors.js'
import { findAccount } from '../../domain/management/users/find-account.js'
import { listUsers, showUser } from '../../domain/management/users/list-users.js'
import { openBlocklist } from '../../domain/passwords/blocklist.js'
import { createHasher } from '../../domain/passwords/hasher.js'
import { usageError } from '../../domain/problem.js'
import { addUser } from '../../domain/users/add-user.js'
import { deleteUser, setPassword } from '../../domain/users/user-changes.js'
import { profileFields, profileOf } from '../../store/queries/user-fields.js'
import { databasePath, email, role, signUpField, userLocale, uuid } from '../io/arguments.js'
import type { Host } from '../io/host.js'
import { addPageOptions, aligned, printable, printPage } from '../io/listing.js'
import { confirmDeletion, readNewPassword, requireTerminal } from '../io/terminal.js'
import { type DatabaseCommand, withDatabase } from '../io/with-store.js'
import { addSetEmailCommand, addUserChangeCommands, commandOnUser, shownUser } from './user-changes.js'
import { addUserExportCommand } from './user-export.js'
import { addUserImportCommand } from './user-import.js'

export function configure(user: Command, host: Host) {
  addUserImportCommand(user, host)
  addUserExportCommand(user, host)
  addCreateCommand(user, host)
  addListCommand(user, host)
  addShowCommand(user, host)
  addFactorsCommand(user, host)
  addUserChangeCommands(user, host)
  addSetEmailCommand(user, host)
  addDeleteCommand(user, host)
  addSetPasswordCommand(user, host)
}

function addCreateCommand(user: Command, host: Host) {
  user
    .command('create')
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<email>', 'email address of the user', email)
    .description('create a user, with a password typed on a terminal or read from stdin')
    .option('--name <name>', 'preferred name', signUpField('preferredName'))
    .option('--locale <tag>', 'language of the mails to the user, such as pt-BR', userLocale)
    .option('--tenant <id>', 'add the user to this tenant', uuid)
    .option('--role <role>', 'role in that tenant: owner, admin, member or a role of the database', role)
    .option('--no-password', 'do not ask for a password; the user cannot log in until one is set')
    .option('--json', 'print the result as JSON')
    .action(async (path, email, { tenant: tenantId, ...options }) => {
      if (options.role !== undefined && !tenantId) throw usageError('--role requires --tenant')
      const password = options.password ? await readNewPassword(host) : undefined
      await withHashing(host, path, async ({ context, request, database }) => {
        const tenants = tenantId ? [{ id: tenantId, role: options.role }] : []
        const profile = profileOf({ ...options, preferredName: options.name })
        const user = { email, ...profile, password, tenants }
        const { id } = await runChange(context, request, await addUser(context, database, user))
        const created = await findAccount(context.store, database, id)
        host.print(options, shownUser(created), `Created user ${id}.`)
      })
    })
}

function addListCommand(user: Command, host: Host) {
  addPageOptions(user.command('list'), 'id', uuid)
    .argument('<workspace/name>', 'database', databasePath)
    .description('list users by id')
    .option('--tenant <id>', 'only the users of this tenant', uuid)
    .action((path, options) =>
      withDatabase(host, path, async ({ context, database }) => {
        const users = await listUsers(context.store, database, { ...options, tenantId: options.tenant })
        printPage(host, options, {
          rows: users.map(shownUser),
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

function addShowCommand(user: Command, host: Host) {
  commandOnUser(user, 'show', 'show a user with tenants and failed logins').action((path, userRef, options) =>
    withDatabase(host, path, async ({ context, database }) => {
      const found = await showUser(context, database, userRef)
      host.print(options, found, describe(found))
    }),
  )
}

function addFactorsCommand(user: Command, host: Host) {
  commandOnUser(user, 'factors', 'list the second factors of a user').action((path, userRef, options) =>
    withDatabase(host, path, async ({ context, database }) => {
      const { factors, recoveryCodes } = await userFactors(context.store, database, userRef)
      const rows = factors.map(({ id, kind, name, createdAt, lastUsedOn }) => [
        id,
        `${printable(name ?? nameOfKind(kind))}, added at ${createdAt}, last used ${lastUsedOn ?? 'never'}`,
      ])
      const text = aligned([...rows, ['recovery codes', String(recoveryCodes)]])
      host.print(options, { factors, recoveryCodes }, text)
    }),
  )
}

const nameOfKind = (kind: string) => (kind === 'totp' ? 'authenticator app' : kind)

function addDeleteCommand(user: Command, host: Host) {
  commandOnUser(user, 'delete', 'delete a user permanently; the user’s tenants remain')
    .option('--yes', 'do not ask for confirmation')
    .action((path, userRef, options) => {
      if (!options.yes) requireTerminal(host, `deleting user ${userRef}`)
      return withDatabase(host, path, async ({ context, request, database }) => {
        const user = await findAccount(context.store, database, userRef)
        if (!options.yes) await confirmDeletion(host, user.email, 'this user permanently')
        const { throttle } = context
        await runChange(context, request, (change) => deleteUser(change, { userId: user.id, throttle }))
        host.print(options, shownUser(user), `Deleted user ${user.id}.`)
      })
    })
}

function addSetPasswordCommand(user: Command, host: Host) {
  commandOnUser(
    user,
    'set-password',
    'set the password of a user, typed on a terminal or read from stdin',
  ).action(async (path, userRef, options) => {
    const password = await readNewPassword(host)
    await withHashing(host, path, async ({ context, request, database }) => {
      const user = await findAccount(context.store, database, userRef)
      await setPassword(context, request, { user, password })
      const changed = await findAccount(context.store, database, user.id)
      host.print(
        options,
        shownUser(changed),
        `Set the password of user ${user.id} and revoked existing tokens.`,
      )
    })
  })
}

type HashingCommand = DatabaseCommand & { context: Pick<AppContext, 'hashing' | 'blocklist'> }

/** Runs a command that may hash a password. */
const withHashing = (host: Host, path: DatabasePath, command: (on: HashingCommand) => Promise<void>) =>
  withDatabase(host, path, async ({ context, config, ...on }) => {
    const blocklist = await openBlocklist(config.passwordBlocklistFile)
    const hashing = createHasher({ ...config.hashing, concurrency: 1 })
    try {
      await command({ ...on, config, context: { ...context, hashing, blocklist } })
    } finally {
      await Promise.all([hashing.close(), blocklist?.close()])
    }
  })

/** Returns the words of a name, such as `preferred name`. */
const words = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function describe(user: Awaited<ReturnType<typeof showUser>>) {
  const { failedLogins } = user
  return aligned([
    ['id', user.id],
    ['email', user.email],
    ...profileFields.map((field) => [words(field), printable(user[field] ?? 'none')]),
    ['created', user.createdAt.toISOString()],
    ['password', user.hasPassword ? 'yes' : 'none'],
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
