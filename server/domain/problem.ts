import {
  type DatabasePath,
  type ErrorCode,
  type FieldError,
  type PersonProfile,
  problems,
  type SecondStep,
} from '@usher/contract'
import type { Scope } from '@usher/contract/management'
import { isForeignKeyViolation, isStoreUnavailable } from '../store/errors.js'
import { nameOfDatabase } from './database-name.js'

/**
 * An error that is shown to the client. Status and title come from the contract's catalogue.
 */
export class Problem<Code extends ErrorCode = ErrorCode> extends Error {
  readonly errors: readonly FieldError[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly scope: Scope | undefined
  readonly tenants: readonly string[] | undefined
  readonly profile: PersonProfile | undefined
  readonly reason: string | undefined
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
      /** Why the app refuses a sign-up. */
      reason?: string | undefined
      /** What the second step of the login needs. */
      secondFactor?: SecondStep
      /** Name of the workspace or database that a command's advice contains. Without it, the command gives none. */
      about?: string
      /** Name of an existing workspace or database that was probably meant. */
      suggestion?: string | undefined
      cause?: unknown
    } = {},
  ) {
    super(options.detail ?? `${problems[code].title}.`, { cause: options.cause })
    this.errors = options.errors
    this.retryAfterSeconds = options.retryAfterSeconds
    this.scope = options.scope
    this.tenants = options.tenants
    this.profile = options.profile
    this.reason = options.reason
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
  (...codes: ErrorCode[]) =>
  (error: unknown) => {
    if (error instanceof Problem && codes.includes(error.code)) return undefined
    throw error
  }

/** Returns the error of a command whose arguments are wrong. Only commands throw it. */
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
