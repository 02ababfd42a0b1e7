import { initContract } from '@ts-rest/core'
import { actions } from './actions.js'
import { commandLine } from './command-line.js'
import { connections } from './connections.js'
import { databases } from './databases.js'
import { hooks } from './hooks.js'
import { keys } from './keys.js'
import { mails } from './mails.js'
import { operations } from './operations.js'
import { consoleRoutes, operators } from './operators.js'
import { servers } from './servers.js'
import { sso } from './sso.js'

export * from './actions.js'
export * from './command-line.js'
export * from './connections.js'
export * from './database-schemas.js'
export { ConfirmationHeaders, OperatorRole, operatorRoles } from './fields.js'
export * from './hooks.js'
export * from './host.js'
export * from './keys.js'
export * from './mails.js'
export * from './operations.js'
export * from './operator-schemas.js'
export * from './servers.js'

/** The operator API: what the console does with the token of an operator. */
export const operatorContract = initContract().router({
  console: consoleRoutes,
  operators,
  commandLine,
  databases,
  connections,
  sso,
  keys,
  operations,
  hooks,
  mails,
  actions,
  servers,
})
