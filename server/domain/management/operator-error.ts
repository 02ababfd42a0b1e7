import type { FieldError } from '@usher/contract'

/** Why an operator's request fails. Each interface to these rules maps it, for example to an exit code. */
export type FailureReason =
  /** The request itself is wrong, independent of the store. */
  | 'invalid'
  /** Something that the request names does not exist. */
  | 'not_found'
  /** Something with that name exists. */
  | 'conflict'
  /** The state of the store does not allow it. */
  | 'refused'

/** The catalogue of errors of operators: code → reason and title. */
export const operatorErrors = {
  usage_error: { reason: 'invalid', title: 'Usage error' },
  workspace_not_found: { reason: 'not_found', title: 'Workspace not found' },
  database_not_found: { reason: 'not_found', title: 'Database not found' },
  user_not_found: { reason: 'not_found', title: 'User not found' },
  tenant_not_found: { reason: 'not_found', title: 'Tenant not found' },
  member_not_found: { reason: 'not_found', title: 'User is not a member of the tenant' },
  invitation_not_found: { reason: 'not_found', title: 'Invitation not found' },
  message_not_found: { reason: 'not_found', title: 'Message not found' },
  api_key_not_found: { reason: 'not_found', title: 'API key not found' },
  key_not_found: { reason: 'not_found', title: 'Signing key not found' },
  workspace_exists: { reason: 'conflict', title: 'Workspace already exists' },
  database_exists: { reason: 'conflict', title: 'Database already exists' },
  external_id_taken: { reason: 'conflict', title: 'External id is already in use' },
  email_taken: { reason: 'conflict', title: 'Email address is already taken' },
  role_unknown: { reason: 'invalid', title: 'Role does not exist in the database' },
  already_member: { reason: 'conflict', title: 'Address belongs to a member of the tenant' },
  role_in_use: { reason: 'conflict', title: 'Role is in use' },
  file_exists: { reason: 'conflict', title: 'File already exists' },
  workspace_not_empty: { reason: 'refused', title: 'Workspace has databases' },
  database_being_deleted: { reason: 'refused', title: 'Database is being deleted' },
  account_operations_off: { reason: 'refused', title: 'Account operations are off' },
  tenant_operations_off: { reason: 'refused', title: 'Tenant operations are off' },
  invitations_full: { reason: 'refused', title: 'Tenant has too many pending invitations' },
  app_url_missing: { reason: 'refused', title: 'Database has no app URL' },
  webhook_missing: { reason: 'refused', title: 'Database has no webhook' },
  user_disabled: { reason: 'refused', title: 'User is disabled' },
  key_pending: { reason: 'refused', title: 'Next signing key is pending' },
  key_needed: { reason: 'refused', title: 'No other key can sign' },
  too_many_api_keys: { reason: 'refused', title: 'Database has too many API keys' },
  api_key_replaced: { reason: 'refused', title: 'API key has a successor' },
  rewrap_unfinished: { reason: 'refused', title: 'Earlier re-encryption of keys is unfinished' },
  password_rejected: { reason: 'invalid', title: 'Password policy rejects the password' },
  lines_rejected: { reason: 'refused', title: 'Lines of the import were rejected' },
  cancelled: { reason: 'refused', title: 'Cancelled' },
  master_key_wrong: { reason: 'refused', title: 'Wrong master key' },
  keys_unreadable: { reason: 'refused', title: 'Keys or secrets cannot be read' },
  port_in_use: { reason: 'refused', title: 'Port is in use' },
} as const satisfies Record<string, { reason: FailureReason; title: string }>

export type OperatorErrorCode = keyof typeof operatorErrors

/** A request of an operator that cannot be carried out. The message says what is wrong, and what command to run. */
export class OperatorError extends Error {
  /** Name of an existing workspace or database that was probably meant. */
  readonly suggestion: string | undefined

  /**
   * @param summary what is wrong, in words that fit commands and the management API
   * @param options.advice what to do on the command line
   */
  constructor(
    readonly code: OperatorErrorCode,
    readonly summary: string,
    { suggestion, advice }: { suggestion?: string | undefined; advice?: string } = {},
  ) {
    super(advice ? `${summary}. ${advice}` : summary)
    this.suggestion = suggestion
  }

  get reason(): FailureReason {
    return operatorErrors[this.code].reason
  }
}

/** A usage error, which does not depend on the store. */
export class UsageError extends OperatorError {
  constructor(message: string) {
    super('usage_error', message)
  }
}

/** Fields that are rejected: a new password by the policy or because of a hash, or a role. */
export class FieldsRejected extends OperatorError {
  constructor(
    readonly errors: readonly FieldError[],
    code: 'password_rejected' | 'role_unknown' = 'password_rejected',
  ) {
    super(code, `the ${errors[0]?.path} ${errors.map(({ detail }) => detail).join('; ')}`)
  }
}

export const externalIdTaken = (kind: 'user' | 'tenant', externalId: string | null | undefined) =>
  new OperatorError('external_id_taken', `another ${kind} has the external id ${externalId}`)
