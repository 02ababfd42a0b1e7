/** The part of a logger that the rules use: fields first, never an email, password or token among them. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** What happened to an account, or what an operator changed. */
export type AuditEvent =
  | 'user.created'
  | 'user.created_again'
  | 'login.succeeded'
  | 'login.failed'
  | 'login.throttled'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.deleted'
  | 'user.password_set'
  | 'user.tokens_revoked'
  | 'user.unlocked'
  | 'users.imported'
  | 'tenant.user_added'
  | 'tenant.user_removed'
  | 'workspace.created'
  | 'workspace.deleted'
  | 'database.created'
  | 'database.set'
  | 'database.deleted'
  | 'keys.rotated'
  | 'keys.retired'
  | 'keys.rewrapped'
  | 'store.distributed'

/** Writes one line of the audit trail. */
export const audit = (
  log: Pick<Log, 'info'>,
  event: AuditEvent,
  fields: {
    databaseId?: string
    userId?: string
    tenantId?: string
    workspaceId?: string
    kid?: string
    settings?: object
    tables?: readonly string[]
    /** Counts of an import. */
    users?: { added: number; alreadyThere: number; rejected: number }
  },
) => log.info({ audit: event, ...fields }, event)
