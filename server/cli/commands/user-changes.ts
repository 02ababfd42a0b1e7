import type { Command } from '@commander-js/extra-typings'
import type { DatabasePath } from '@usher/contract'
import { databasePath, email } from '../io/arguments.js'
import type { Call, Cli } from '../io/cli.js'
import { findUserId } from '../io/find-user.js'

interface UserChange {
  description: string
  change: (call: Call, params: DatabasePath & { userId: string }) => Promise<unknown>
  /** @param id of the user */
  done: (id: string) => string
}

const changes: Record<string, UserChange> = {
  disable: {
    description: 'reject the logins and tokens of a user',
    change: (call, params) => call('changeUser', { params, body: { disabled: true } }),
    done: (id) => `Disabled user ${id}. Logins and tokens are rejected.`,
  },
  enable: {
    description: 'accept the logins of a disabled user again; earlier tokens stay rejected',
    change: (call, params) => call('changeUser', { params, body: { disabled: false } }),
    done: (id) => `Enabled user ${id}. Logins are accepted. Earlier tokens stay rejected.`,
  },
  'remove-factors': {
    description:
      'remove the second factors of a user who has lost them; ends all sessions and notifies the user',
    change: (call, params) => call('removeUserFactors', { params }),
    done: (id) => `Removed the second factors of user ${id}.`,
  },
  'revoke-tokens': {
    description: 'reject the existing tokens of a user; a login issues a new one',
    change: (call, params) => call('endUserSessions', { params }),
    done: (id) => `Revoked the existing tokens of user ${id}.`,
  },
  'send-reset': {
    description: 'send the user a mail with a link to choose a new password',
    change: (call, params) =>
      call('createUserCode', { params, body: { purpose: 'password_reset', deliver: 'mail' } }),
    done: (id) => `Stored a mail for user ${id} to choose a new password. A server will send it.`,
  },
  unlock: {
    description: 'clear the failed logins of a user, so that a throttled user can log in immediately',
    change: (call, params) => call('unlockUser', { params }),
    done: (id) => `Cleared the failed logins of user ${id}.`,
  },
}

/** Adds the commands that change one user. */
export function addUserChangeCommands(user: Command, { host, call }: Cli) {
  for (const [name, { description, change, done }] of Object.entries(changes))
    commandOnUser(user, name, description).action(async (path, userRef, options) => {
      const userId = await findUserId(call, path, userRef)
      host.print(options, await change(call, { ...path, userId }), done(userId))
    })
  commandOnUser(user, 'set-email', 'change the address of a user, who can undo it for 7 days')
    .argument('<email>', 'new email address', email)
    .option('--no-undo', 'send no mail to the former address, and end the undo of earlier changes')
    .action(async (...[path, userRef, email, { undo: emailUndo, ...options }]) => {
      const userId = await findUserId(call, path, userRef)
      const body = { email, ...(!emailUndo && { emailUndo }) }
      const changed = await call('changeUser', { params: { ...path, userId }, body })
      host.print(options, changed, `Changed the address of user ${userId}.`)
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
