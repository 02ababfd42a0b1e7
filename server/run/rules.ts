import type { contract } from '@usher/contract'
import type { managementContract } from '@usher/contract/management'
import type { hostContract, operatorContract } from '@usher/contract/operator'
import type { RulesOf } from './operation.js'

/** Loads the rules of each noun of a contract. */
export type RuleLoaders<Contract> = { [Noun in keyof Contract]: () => Promise<RulesOf<Contract[Noun]>> }

/** Routes whose responses are serialized once and kept, without a rule. */
type KeptNoun = 'service' | 'features' | 'discovery'

type Together<Parts extends readonly unknown[]> = Parts extends readonly [infer First, ...infer Others]
  ? First & Together<Others>
  : unknown

/** Returns what several modules export. */
const all = async <Modules extends readonly object[]>(
  ...modules: { [Index in keyof Modules]: Promise<Modules[Index]> }
): Promise<Together<Modules>> => Object.assign({}, ...(await Promise.all(modules)))

/** What all who set up single sign-on may do. */
const loadSetup = () =>
  all(
    import('../domain/sso/settings.js'),
    import('../domain/sso/connections.js'),
    import('../domain/sso/domains.js'),
    import('../domain/sso/entries.js'),
  )

export const publicRules: RuleLoaders<Omit<typeof contract, KeptNoun>> = {
  users: () =>
    all(
      import('../domain/users/create-user.js'),
      import('../domain/login/password.js'),
      import('../domain/users/me.js'),
    ),
  logins: () =>
    all(
      import('../domain/login/mail.js'),
      import('../domain/login/finish.js'),
      import('../domain/login/sso.js'),
    ),
  connections: () =>
    all(
      import('../domain/connections/find-connections.js'),
      import('../domain/login/provider.js'),
      import('../domain/login/id-token.js'),
    ),
  sessions: () =>
    all(
      import('../domain/sessions/open-session.js'),
      import('../domain/sessions/refresh-session.js'),
      import('../domain/sessions/end-sessions.js'),
    ),
  me: () =>
    all(
      import('../domain/email-change/change-user.js'),
      import('../domain/users/change-password.js'),
      import('../domain/users/me.js'),
    ),
  identities: () => import('../domain/identities/identities.js'),
  factors: () => all(import('../domain/factors/step.js'), import('../domain/factors/factors.js')),
  passkeys: () => all(import('../domain/login/passkey.js'), import('../domain/factors/factors.js')),
  codes: () =>
    all(
      import('../domain/codes/request-code.js'),
      import('../domain/codes/reset-password.js'),
      import('../domain/codes/verify-email.js'),
    ),
  emailChange: () =>
    all(
      import('../domain/email-change/request-change.js'),
      import('../domain/email-change/change-email.js'),
      import('../domain/email-change/undo-change.js'),
    ),
  tenants: () => import('../domain/tenants/own-tenants.js'),
  sso: () => all(loadSetup(), import('../domain/sso/portal.js'), import('../domain/sso/route-login.js')),
  work: () => import('../domain/bot-check.js'),
  invitations: () =>
    all(
      import('../domain/invitations/invite.js'),
      import('../domain/invitations/pending.js'),
      import('../domain/invitations/accept.js'),
    ),
}

export const managementRules: RuleLoaders<Omit<typeof managementContract, KeptNoun>> = {
  users: () =>
    all(
      import('../domain/management/users/managed-users.js'),
      import('../domain/management/users/change-managed-users.js'),
      import('../domain/management/users/identities.js'),
      import('../domain/management/users/factors.js'),
      import('../domain/management/users/import-request.js'),
    ),
  tenants: () => import('../domain/management/managed-tenants.js'),
  invitations: () => import('../domain/management/managed-tenants.js'),
  sso: () => all(loadSetup(), import('../domain/sso/portal.js')),
  mailSettings: () => import('../domain/management/mail-settings.js'),
  events: () => import('../domain/management/events.js'),
  revocations: () => import('../domain/management/revocations.js'),
}

export const operatorRules: RuleLoaders<typeof operatorContract> = {
  console: () =>
    all(import('../domain/operators/first-operator.js'), import('../domain/operators/command-line.js')),
  operators: () => import('../domain/operators/operators.js'),
  commandLine: () => import('../domain/operators/command-line.js'),
  databases: () =>
    all(
      import('../domain/operators/databases.js'),
      import('../domain/operators/statistics.js'),
      import('../domain/operators/settings.js'),
    ),
  connections: () => import('../domain/management/connections.js'),
  sso: () => import('../domain/sso/domains.js'),
  keys: () =>
    all(import('../domain/management/keys/key-rotation.js'), import('../domain/management/api-keys.js')),
  operations: () =>
    all(import('../domain/operators/import.js'), import('../domain/management/deliveries.js')),
  hooks: () => import('../domain/operators/hooks.js'),
  mails: () => import('../domain/operators/mails.js'),
  actions: () => import('../domain/operators/actions.js'),
  servers: () => import('../domain/operators/servers/list-servers.js'),
}

export const hostRules: RuleLoaders<typeof hostContract> = {
  host: () => import('../domain/operators/host.js'),
}
