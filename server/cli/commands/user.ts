import type { Command } from '@commander-js/extra-typings'
import type { ManagedUser } from '@usher/contract/management'
import { usageError } from '../../domain/problem.js'
import { profileFields } from '../../store/queries/user-fields.js'
import { cursor, databasePath, email, role, signUpField, userLocale, uuid } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'
import { findUser, findUserId } from '../io/find-user.js'
import { addPageOptions, aligned, pageOf, printable, printPage } from '../io/listing.js'
import { confirmDeletion, readNewPassword, requireTerminal } from '../io/terminal.js'
import { addUserChangeCommands, commandOnUser } from './user-changes.js'
import { addUserExportCommand } from './user-export.js'
import { addUserImportCommand } from './user-import.js'

export function configure(user: Command, cli: Cli) {
  addUserImportCommand(user, cli)
  addUserExportCommand(user, cli)
  addCreateCommand(user, cli)
  addListCommand(user, cli)
  addShowCommand(user, cli)
  addFactorsCommand(user, cli)
  addUserChangeCommands(user, cli)
  addDeleteCommand(user, cli)
  addSetPasswordCommand(user, cli)
}

function addCreateCommand(user: Command, { host, call }: Cli) {
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
    .action(async (params, email, { tenant, role, name, locale, ...options }) => {
      if (role !== undefined && !tenant) throw usageError('--role requires --tenant')
      const body = {
        email,
        ...(name !== undefined && { preferredName: name }),
        ...(locale !== undefined && { locale }),
        ...(options.password && { password: await readNewPassword(host) }),
        ...(tenant && { tenants: [{ id: tenant, role }] }),
      }
      const created = await call('addUser', { params, body })
      host.print(options, created, `Created user ${created.id}.`)
    })
}

function addListCommand(user: Command, { host, call }: Cli) {
  addPageOptions(user.command('list'), 'id or cursor', cursor)
    .argument('<workspace/name>', 'database', databasePath)
    .description('list users by id, or by what they are found by')
    .option('--tenant <id>', 'only the users of this tenant', uuid)
    .option('--email-prefix <text>', 'only the users whose address begins with this text')
    .option('--name-prefix <text>', 'only the users whose name begins with this text')
    .action(async (params, { tenant, emailPrefix, namePrefix, ...options }) => {
      const filters = {
        ...(tenant && { tenant }),
        ...(emailPrefix !== undefined && { emailPrefix }),
        ...(namePrefix !== undefined && { namePrefix }),
      }
      const query = { ...pageOf(options), ...filters }
      const body = await call('listUsers', { params, query })
      printPage(host, options, {
        body,
        rows: body.users,
        columns: {
          ID: ({ id }) => id,
          STATE: ({ disabled }) => (disabled ? 'disabled' : 'active'),
          EMAIL: ({ email }) => email,
        },
        empty: 'No users.',
      })
    })
}

function addShowCommand(user: Command, { host, call }: Cli) {
  commandOnUser(user, 'show', 'show a user with tenants and failed logins').action(
    async (path, userRef, options) => {
      const found = await findUser(call, path, userRef)
      host.print(options, found, describe(found))
    },
  )
}

function addFactorsCommand(user: Command, { host, call }: Cli) {
  commandOnUser(user, 'factors', 'list the second factors of a user').action(
    async (path, userRef, options) => {
      const userId = await findUserId(call, path, userRef)
      const body = await call('listUserFactors', { params: { ...path, userId } })
      const rows = body.factors.map(({ id, kind, name, createdAt, lastUsedOn }) => [
        id,
        `${printable(name ?? nameOfKind(kind))}, added at ${createdAt}, last used ${lastUsedOn ?? 'never'}`,
      ])
      host.print(options, body, aligned([...rows, ['recovery codes', String(body.recoveryCodes)]]))
    },
  )
}

const nameOfKind = (kind: string) => (kind === 'totp' ? 'authenticator app' : kind)

function addDeleteCommand(user: Command, { host, call }: Cli) {
  commandOnUser(user, 'delete', 'delete a user permanently; the user’s tenants remain')
    .option('--yes', 'do not ask for confirmation')
    .action(async (path, userRef, options) => {
      if (!options.yes) requireTerminal(host, `deleting user ${userRef}`)
      // The operation also succeeds if there is no such user, but who types an id may have mistyped it.
      const { id: userId, email } = await findUser(call, path, userRef)
      if (!options.yes) await confirmDeletion(host, email, 'this user permanently')
      await call('removeUser', { params: { ...path, userId } })
      host.print(options, {}, `Deleted user ${userId}.`)
    })
}

function addSetPasswordCommand(user: Command, { host, call }: Cli) {
  commandOnUser(
    user,
    'set-password',
    'set the password of a user, typed on a terminal or read from stdin',
  ).action(async (path, userRef, options) => {
    const password = await readNewPassword(host)
    const userId = await findUserId(call, path, userRef)
    await call('setUserPassword', { params: { ...path, userId }, body: { password } })
    host.print(options, {}, `Set the password of user ${userId} and revoked existing tokens.`)
  })
}

/** Returns the words of a name, such as `preferred name`. */
const words = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function describe({ failedLogins, ...user }: ManagedUser) {
  return aligned([
    ['id', user.id],
    ['email', user.email],
    ...profileFields.map((field) => [words(field), printable(user[field] ?? 'none')]),
    ['created', user.createdAt],
    ['password', user.hasPassword ? 'yes' : 'none'],
    ['state', user.disabled ? 'disabled' : 'active'],
    [
      'failed logins',
      failedLogins?.count ? `${failedLogins.count}, most recent at ${failedLogins.lastAt}` : 'none',
    ],
    ...user.memberships.map(({ id, role, joinedAt, name }) => [
      'tenant',
      `${id} as ${role} since ${joinedAt}  ${printable(name)}`,
    ]),
  ])
}
