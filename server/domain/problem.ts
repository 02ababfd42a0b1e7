import {
  type AnyProblemCode,
  type DatabasePath,
  everyProblem,
  type FieldError,
  isProblemCode,
  type PersonProfile,
  type SecondStep,
} from '@usher/contract'
import type { Scope } from '@usher/contract/management'
import { isForeignKeyViolation, isStoreUnavailable } from '../store/errors.js'
import { nameOfDatabase } from './database-name.js'

/** Why a request fails. A command has an exit code for each. */
export type Reason =
  /** The request itself is wrong, independent of the store. */
  | 'invalid'
  /** Something that the request names does not exist. */
  | 'not_found'
  /** Something with that name exists. */
  | 'conflict'
  /** The state of the store does not allow it. */
  | 'refused'
  | 'unavailable'

/** The problems that only commands name. The management API reports those of its rules as `refused`. */
export const commandProblems = {
  usage_error: { reason: 'invalid', title: 'Usage error' },
  workspace_not_found: { reason: 'not_found', title: 'Workspace not found' },
  invitation_not_found: { reason: 'not_found', title: 'Invitation not found' },
  message_not_found: { reason: 'not_found', title: 'Message not found' },
  api_key_not_found: { reason: 'not_found', title: 'API key not found' },
  key_not_found: { reason: 'not_found', title: 'Signing key not found' },
  workspace_exists: { reason: 'conflict', title: 'Workspace already exists' },
  database_exists: { reason: 'conflict', title: 'Database already exists' },
  connection_invalid: { reason: 'refused', title: 'Connection cannot be used' },
  connection_exists: { reason: 'conflict', title: 'Connection already exists' },
  role_in_use: { reason: 'conflict', title: 'Role is in use' },
  passkeys_in_use: { reason: 'conflict', title: 'Passkeys would stop working' },
  file_exists: { reason: 'conflict', title: 'File already exists' },
  workspace_not_empty: { reason: 'refused', title: 'Workspace has databases' },
  database_being_deleted: { reason: 'refused', title: 'Database is being deleted' },
  account_operations_off: { reason: 'refused', title: 'Account operations are off' },
  tenant_operations_off: { reason: 'refused', title: 'Tenant operations are off' },
  app_url_missing: { reason: 'refused', title: 'Database has no app URL' },
  operators_database: { reason: 'refused', title: 'Database is that of the operators' },
  owner_needed: { reason: 'refused', title: 'Installation needs an owner' },
  webhook_missing: { reason: 'refused', title: 'Database has no webhook' },
  user_disabled: { reason: 'refused', title: 'User is disabled' },
  key_pending: { reason: 'refused', title: 'Next signing key is pending' },
  key_needed: { reason: 'refused', title: 'No other key can sign' },
  too_many_api_keys: { reason: 'refused', title: 'Database has too many API keys' },
  too_many_connections: { reason: 'refused', title: 'Database has too many connections' },
  api_key_replaced: { reason: 'refused', title: 'API key has a successor' },
  rewrap_unfinished: { reason: 'refused', title: 'Earlier re-encryption of keys is unfinished' },
  lines_rejected: { reason: 'refused', title: 'Lines of the import were rejected' },
  cancelled: { reason: 'refused', title: 'Cancelled' },
  master_key_wrong: { reason: 'refused', title: 'Wrong master key' },
  keys_unreadable: { reason: 'refused', title: 'Keys or secrets cannot be read' },
  server_version: { reason: 'refused', title: 'Server has another version' },
  server_stopped: { reason: 'unavailable', title: 'Server stopped' },
  server_unreachable: { reason: 'unavailable', title: 'Server cannot be reached' },
  console_missing: { reason: 'not_found', title: 'Server has no console' },
  login_missing: { reason: 'refused', title: 'Not logged in to the server' },
  sessions_unusable: { reason: 'refused', title: 'File of sessions cannot be used' },
  server_untrusted: { reason: 'refused', title: 'Server cannot be trusted' },
  host_only: { reason: 'refused', title: 'Command is for the machine of the server' },
  port_in_use: { reason: 'refused', title: 'Port is in use' },
} as const satisfies Record<string, { reason: Reason; title: string }>

export type RuleProblemCode = AnyProblemCode | keyof typeof commandProblems

/** Returns the title of a problem, and why the request fails. */
export function describeProblem(code: RuleProblemCode): { reason: Reason; title: string } {
  if (!isProblemCode(code)) return commandProblems[code]
  const { status, title } = everyProblem[code]
  return { reason: reasons[status as keyof typeof reasons] ?? 'refused', title }
}

const reasons = { 400: 'invalid', 404: 'not_found', 409: 'conflict', 503: 'unavailable' } as const

/**
 * An error that is shown to the client. Status and title come from the contract's catalogue.
 */
export class Problem<Code extends RuleProblemCode = RuleProblemCode> extends Error {
  readonly errors: readonly FieldError[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly scope: Scope | undefined
  readonly tenants: readonly string[] | undefined
  readonly profile: PersonProfile | undefined
  readonly secondFactor: SecondStep | undefined
  readonly about: string | undefined
  readonly suggestion: string | undefined

  constructor(
    readonly code: Code,
    options: {
      detail?: string
      errors?: readonly FieldError[]
      retryAfterSeconds?: number
      /** The scope that the API key lacks. */
      scope?: Scope
      /** Ids of the tenants that need another owner. */
      tenants?: readonly string[]
      /** What is known of the person who logs in. */
      profile?: PersonProfile
      /** What the second step of the login needs. */
      secondFactor?: SecondStep
      /** Name of the workspace or database that a command's advice contains. Without it, the command gives none. */
      about?: string
      /** Name of an existing workspace or database that was probably meant. */
      suggestion?: string | undefined
      cause?: unknown
    } = {},
  ) {
    super(options.detail ?? `${describeProblem(code).title}.`, { cause: options.cause })
    this.errors = options.errors
    this.retryAfterSeconds = options.retryAfterSeconds
    this.scope = options.scope
    this.tenants = options.tenants
    this.profile = options.profile
    this.secondFactor = options.secondFactor
    this.about = options.about
    this.suggestion = options.suggestion
  }
}

/** The client has disconnected, so processing of its request stops. */
export class ClientDisconnected extends Error {
  override name = 'ClientDisconnected'

  constructor() {
    super('The client has disconnected.')
  }
}

/** The server cannot use something that it depends on, other than the store. */
export class DependencyUnavailable extends Error {}

/** Returns the error of a field whose value is not allowed. */
export const invalidField = (path: string, detail: string): FieldError => ({
  path,
  code: 'invalid_type',
  detail,
})

/** Returns a problem with all field errors, which its detail lists as text. */
export function validationFailed(errors: readonly FieldError[]) {
  const detail = errors.map(({ path, detail }) => `${path || 'the body'} ${detail}`).join('; ')
  return new Problem('validation_failed', { errors, detail })
}

/**
 * Returns the problem of any error: `unavailable` for an unreachable store or dependency, `internal_error` for a bug.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const isUnavailable = isStoreUnavailable(error) || error instanceof DependencyUnavailable
  return new Problem(isUnavailable ? 'unavailable' : 'internal_error', { cause: error })
}

/** Returns the problem of a tenant that does not exist, or of which the user who asks is not a member. */
export const tenantNotFound = (path: DatabasePath, id: string) =>
  new Problem('tenant_not_found', { detail: `Tenant ${id} does not exist in ${nameOfDatabase(path)}.` })

/** Returns the problem of a user who does not exist. @param ref id or email address */
export const userNotFound = (path: DatabasePath, ref: string) =>
  new Problem('user_not_found', { detail: `User ${ref} does not exist in ${nameOfDatabase(path)}.` })

/**
 * Returns a handler of rejections. A write to a database that was deleted while this process had it cached violates a foreign
 * key: it throws `database_not_found` for that, and any other error as it is.
 *
 * @param database is named in the detail
 */
export const ifDatabaseDeleted =
  (database?: DatabasePath) =>
  (error: unknown): never => {
    if (!isForeignKeyViolation(error)) throw error
    throw new Problem('database_not_found', {
      cause: error,
      ...(database && { detail: `Database ${nameOfDatabase(database)} does not exist.` }),
    })
  }

/** Returns a handler of rejections that returns undefined for problems with these codes, and throws any other error. */
export const unless =
  (...codes: RuleProblemCode[]) =>
  (error: unknown) => {
    if (error instanceof Problem && codes.includes(error.code)) return undefined
    throw error
  }

/** Returns the problem of a command whose arguments are wrong, independent of the store. */
export const usageError = (detail: string) => new Problem('usage_error', { detail })

/** @param isReserved whether the address is reserved for a user who had it until recently */
export function emailTaken(email: string, path: DatabasePath, isReserved = false) {
  const database = nameOfDatabase(path)
  return new Problem('email_taken', {
    detail: isReserved
      ? `${email} is reserved in ${database} for a user who can undo a change of the address.`
      : `User ${email} already exists in ${database}.`,
  })
}

/** Returns the problem of an external id that another user or tenant has. */
export const externalIdTaken = (kind: 'user' | 'tenant', externalId: string | null | undefined) =>
  new Problem('external_id_taken', { detail: `Another ${kind} has the external id ${externalId}.` })
