/** The part of a logger that the rules use. Fields must not contain an email, password or token. */
export interface Log {
  level: string
  child(fields: object, options: { level: string }): Pick<Log, 'info'>
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  /** Counts the events of a server. The logs of its requests inherit it. */
  [auditCounter]?: AuditCounter
}

/** Where a log has what counts its audit lines. */
export const auditCounter = Symbol('auditCounter')

/** Counts audited events. */
export interface AuditCounter {
  count(event: AuditEvent, fields: AuditFields): void
}

export type AuditEvent =
  | 'user.created'
  | 'user.created_again'
  | 'sign_up.refused'
  | 'sign_up.hook_failed'
  | 'login.succeeded'
  | 'login.failed'
  | 'login.throttled'
  | 'token.rejected'
  | 'token.claims_left_out'
  | 'session.opened'
  | 'session.ended'
  | 'session.reuse_detected'
  | 'user.password_changed'
  | 'user.updated'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.deleted'
  | 'user.password_set'
  | 'user.tokens_revoked'
  | 'user.unlocked'
  | 'users.imported'
  | 'tenant.created'
  | 'tenant.updated'
  | 'tenant.deleted'
  | 'tenant.user_added'
  | 'tenant.user_removed'
  | 'tenant.role_changed'
  | 'sso.changed'
  | 'sso.connection_added'
  | 'sso.connection_set'
  | 'sso.connection_removed'
  | 'sso.domain_added'
  | 'sso.domain_removed'
  | 'sso.domain_proven'
  | 'sso.domain_missing'
  | 'sso.domain_lost'
  | 'sso.entry_ended'
  | 'sso.portal_created'
  | 'sso.portal_opened'
  | 'invitation.created'
  | 'invitation.accepted'
  | 'invitation.revoked'
  | 'workspace.created'
  | 'workspace.deleted'
  | 'database.created'
  | 'database.set'
  | 'database.deleted'
  | 'database.hash_parameters_pruned'
  | 'user.password_reset'
  | 'user.reset_sent'
  | 'user.code_created'
  | 'user.email_verified'
  | 'user.reclaimed'
  | 'user.factor_added'
  | 'user.factor_removed'
  | 'user.recovery_codes_created'
  | 'user.second_factor_set'
  | 'second_factor.failed'
  | 'passkey.refused'
  | 'user.identity_linked'
  | 'sso.entry_linked'
  | 'user.identity_unlinked'
  | 'connection.added'
  | 'connection.set'
  | 'connection.removed'
  | 'user.email_changed'
  | 'user.email_change_undone'
  | 'user.email_undo_ended'
  | 'password_reset.requested'
  | 'login_code.requested'
  | 'email_verification.requested'
  | 'email_change.requested'
  | 'mail.throttled'
  | 'outbox.retried'
  | 'outbox.dropped'
  | 'keys.rotated'
  | 'keys.retired'
  | 'keys.rewrapped'
  | 'api_key.created'
  | 'api_key.rotated'
  | 'api_key.revoked'
  | 'events.cursors_expired'
  | 'store.distributed'

/** What an audit line tells about its event. */
export interface AuditFields {
  databaseId?: string
  userId?: string
  sessionId?: string
  tenantId?: string
  invitationId?: string
  /** The member who has changed another one. */
  actorId?: string
  /** The operator of the console who has changed something. */
  operatorId?: string
  role?: string
  /** How the user has logged in, if not with a password. */
  way?: 'mail' | 'external' | 'passkey' | 'sso'
  /** Name of the connection of a login, an identity or a command. */
  connection?: string
  /** Mail domain of a tenant. */
  domain?: string
  /** Id of the portal in which single sign-on was set up. */
  portal?: string
  identityId?: string
  workspaceId?: string
  /** Keyed pseudonym of an unknown email. */
  account?: string
  kid?: string
  /** Id of an API key. */
  apiKey?: string
  scopes?: readonly string[]
  code?: string
  /** Why a sign-up hook has not answered as it should. */
  reason?: string
  /** Whether people may sign up although the hook has not answered. */
  isAllowed?: boolean
  /** The limit of mails that the request exceeds. */
  limit?: 'network' | 'site' | 'address' | 'inviter' | 'user' | 'tenant' | 'database'
  /** Number of earlier lines of this event that were not written. */
  suppressed?: number
  /** Names of claims. */
  claims?: readonly string[]
  settings?: object
  tables?: readonly string[]
  removed?: number
  /** Id of a message of the outbox. */
  message?: string
  /** Number of databases. */
  databases?: number
  /** Number of messages. */
  messages?: number
  users?: { added: number; alreadyThere: number; rejected: number }
}

/** Writes an audit line at any log level except `silent`. */
export const audit = (log: Omit<Log, 'info' | 'warn'>, event: AuditEvent, fields: AuditFields) => {
  log[auditCounter]?.count(event, fields)
  if (log.level !== 'silent') log.child({}, { level: 'info' }).info({ audit: event, ...fields }, event)
}
