import type { Features } from '@usher/contract'
import { builtInRoles } from '@usher/contract/settings'
import { passwordLengths } from '../passwords/policy.js'
import { type Database, loginMailOf } from './find-database.js'
import { hasPasskeys } from './relying-party.js'

/** Returns what the pages of an app need to know about a database. */
export const featuresOf = (database: Database): Features => ({
  signUp: database.signUp,
  password: passwordLengths[database.passwordPolicy],
  accountOperations: database.accountOperations,
  tenantOperations: database.tenantOperations,
  verifyEmailWithToken: database.verifyEmailWithToken,
  loginMail: loginMailOf(database),
  secondFactor: database.secondFactor,
  passkeys: hasPasskeys(database),
  singleSignOn: database.singleSignOn,
  ssoRouting: database.singleSignOn && database.ssoRouting,
  roles: [
    ...builtInRoles.map((name) => ({ name, rights: name })),
    ...database.roles.map((name) => ({ name, rights: 'member' as const })),
  ],
})
