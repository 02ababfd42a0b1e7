import type { Command } from '@commander-js/extra-typings'
import type { DatabasePath } from '@usher/contract'
import { type Change, type Outcome, runChange } from '../../domain/change.js'
import { createCode } from '../../domain/codes/create-code.js'
import { changeUser } from '../../domain/email-change/change-user.js'
import { removeFactors } from '../../domain/factors/factors.js'
import { findAccount } from '../../domain/management/users/find-account.js'
import { listedUser } from '../../domain/management/users/managed-users.js'
import type { Throttle } from '../../domain/throttle/login-throttle.js'
import { revokeTokens, unlockUser } from '../../domain/users/user-changes.js'
import type { Account } from '../../store/queries/management/users.js'
import { databasePath, email } from '../io/arguments.js'
import type { Host } from '../io/host.js'
import { withDatabase } from '../io/with-store.js'

interface UserChange {
  description: string
  rule: (change: Change, user: { userId: string; throttle: Throttle }) => Promise<Outcome<unknown>>
  message: (account: Account) => string
}

const changes: Record<string, UserChange> = {
  disable: {
    description: 'reject the logins and tokens of a user',
    rule: (change, user) => changeUser(change, { ...user, changes: { isDisabled: true } }),
    message: ({ id }) => `Disabled user ${id}. Logins and tokens are rejected.`,
  },
  enable: {
    description: 'accept the logins of a disabled user again; earlier tokens stay rejected',
    rule: (change, user) => changeUser(change, { ...user, changes: { isDisabled: false } }),
    message: ({ id }) => `Enabled user ${id}. Logins are accepted. Earlier tokens stay rejected.`,
  },
  'remove-factors': {
    description:
      'remove the second factors of a user who has lost them; ends all sessions and notifies the user',
    rule: removeFactors,
    message: ({ id }) => `Removed the second factors of user ${id}.`,
  },
  'revoke-tokens': {
    description: 'reject the existing tokens of a user; a login issues a new one',
    rule: revokeTokens,
    message: ({ id }) => `Revoked the existing tokens of user ${id}.`,
  },
  'send-reset': {
    description: 'send the user a mail with a link to choose a new password',
    rule: (change, { userId }) => createCode(change, { userId, purpose: 'password_reset' }),
    message: ({ id }) => `Stored a mail for user ${id} to choose a new password. A server will send it.`,
  },
  unlock: {
    description: 'clear the failed logins of a user, so that a throttled user can log in immediately',
    rule: unlockUser,
    message: ({ id }) => `Cleared the failed logins of user ${id}.`,
  },
}

/** Adds the commands that change one user and print the user. */
export function addUserChangeCommands(user: Command, host: Host) {
  for (const [name, change] of Object.entries(changes))
    commandOnUser(user, name, change.description).action((path, userRef, options) =>
      runOn(change, { host, path, userRef }, options),
    )
}

/** Adds the command that changes the address of a user. */
export function addSetEmailCommand(user: Command, host: Host) {
  commandOnUser(user, 'set-email', 'change the address of a user, who can undo it for 7 days')
    .argument('<email>', 'new email address', email)
    .option('--no-undo', 'send no mail to the former address, and end the undo of earlier changes')
    .action((...[path, userRef, email, { undo, ...options }]) => {
      const changes = { email, emailUndo: undo }
      const rule: UserChange['rule'] = (change, user) => changeUser(change, { ...user, changes })
      const message = ({ id }: Account) => `Changed the address of user ${id}.`
      return runOn({ rule, message }, { host, path, userRef }, options)
    })
}

/** Changes a user, and prints the user as currently stored. */
const runOn = (
  { rule, message }: Pick<UserChange, 'rule' | 'message'>,
  { host, path, userRef }: { host: Host; path: DatabasePath; userRef: string },
  options: { json?: boolean },
) =>
  withDatabase(host, path, async ({ context, request, database }) => {
    const { store, throttle } = context
    const { id: userId } = await findAccount(store, database, userRef)
    await runChange(context, request, (change) => rule(change, { userId, throttle }))
    const account = await findAccount(store, database, userId)
    host.print(options, shownUser(account), message(account))
  })

/** Adds a command with a user as its argument. */
export const commandOnUser = (user: Command, name: string, description: string) =>
  user
    .command(name)
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<user>', 'id or email address of the user')
    .description(description)
    .option('--json', 'print the result as JSON')

/** Returns the fields of a user that commands print: those of the management API, and others. */
export const shownUser = (account: Account) => ({ ...listedUser(account), ...account })
