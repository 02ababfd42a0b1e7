import type { Command } from '@commander-js/extra-typings'
import type { DatabasePath } from '@usher/contract'
import type { Operation } from '../../domain/management/operation.js'
import {
  disableUser,
  enableUser,
  revokeTokens,
  setEmail,
  unlockUser,
} from '../../domain/management/users/change-user.js'
import { listedUser } from '../../domain/management/users/managed-users.js'
import { sendReset } from '../../domain/management/users/send-reset.js'
import { Throttle } from '../../domain/throttle/login-throttle.js'
import type { Account } from '../../store/queries/management/users.js'
import type { Store } from '../../store/store.js'
import { type AuditEvent, audit } from '../../telemetry/audit.js'
import { databasePath, email } from '../io/arguments.js'
import { print, withStore } from '../io/with-store.js'

interface UserChange {
  description: string
  event: AuditEvent
  change: (operation: Operation, path: DatabasePath, userRef: string) => Promise<Account>
  message: (account: Account) => string
}

const changes: Record<string, UserChange> = {
  disable: {
    description: 'reject the logins and tokens of a user',
    event: 'user.disabled',
    change: disableUser,
    message: ({ id }) => `Disabled user ${id}. Logins and tokens are rejected.`,
  },
  enable: {
    description: 'accept the logins of a disabled user again; earlier tokens stay rejected',
    event: 'user.enabled',
    change: enableUser,
    message: ({ id }) => `Enabled user ${id}. Logins are accepted. Earlier tokens stay rejected.`,
  },
  'revoke-tokens': {
    description: 'reject the existing tokens of a user; a login issues a new one',
    event: 'user.tokens_revoked',
    change: revokeTokens,
    message: ({ id }) => `Revoked the existing tokens of user ${id}.`,
  },
  'send-reset': {
    description: 'send the user a mail with a link to choose a new password',
    event: 'user.reset_sent',
    change: sendReset,
    message: ({ id }) => `Stored a mail for user ${id} to choose a new password. A server will send it.`,
  },
  unlock: {
    description: 'clear the failed logins of a user, so that a throttled user can log in immediately',
    event: 'user.unlocked',
    change: ({ store }, path, userRef) => unlockUser({ store, throttle: throttleOf(store) }, path, userRef),
    message: ({ id }) => `Cleared the failed logins of user ${id}.`,
  },
}

/** Adds the commands that change one user and print the user. */
export function addUserChangeCommands(user: Command) {
  for (const [name, { description, event, change, message }] of Object.entries(changes)) {
    commandOnUser(user, name, description).action((path, userRef, options) =>
      withStore(async (store, _config, log) => {
        const changed = await change({ store, now: new Date() }, path, userRef)
        audit(log, event, { databaseId: changed.databaseId, userId: changed.id })
        print(options, shownUser(changed), message(changed))
      }),
    )
  }
}

/** Adds the command that changes the address of a user. */
export function addSetEmailCommand(user: Command) {
  commandOnUser(user, 'set-email', 'change the address of a user, who can undo it for 7 days')
    .argument('<email>', 'new email address', email)
    .option('--no-undo', 'send no mail to the former address, and end the undo of earlier changes')
    .action((...parameters) => {
      const [path, userRef, email, { undo, ...options }] = parameters
      return withStore(async (store, _config, log) => {
        const change = { userRef, email, hasUndo: undo }
        const { account, events } = await setEmail({ store, now: new Date() }, path, change)
        const ids = { databaseId: account.databaseId, userId: account.id }
        for (const event of events) audit(log, event, ids)
        print(options, shownUser(account), `Changed the address of user ${account.id}.`)
      })
    })
}

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

export const throttleOf = (store: Store) => new Throttle(store, { now: Date.now })
