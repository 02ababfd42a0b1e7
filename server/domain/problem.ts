import { type AnyProblemCode, everyProblem, type FieldError } from '@usher/contract'
import type { Scope } from '@usher/contract/management'
import { isStoreUnavailable } from '../store/errors.js'

/**
 * An error that is shown to the client. Status and title come from the contract's catalogue.
 */
export class Problem extends Error {
  readonly errors: readonly FieldError[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly scope: Scope | undefined
  readonly tenants: readonly string[] | undefined

  constructor(
    readonly code: AnyProblemCode,
    options: {
      detail?: string
      errors?: readonly FieldError[]
      retryAfterSeconds?: number
      /** The scope that the API key lacks. */
      scope?: Scope
      /** Ids of the tenants that need another owner. */
      tenants?: readonly string[]
      cause?: unknown
    } = {},
  ) {
    super(options.detail ?? `${everyProblem[code].title}.`, { cause: options.cause })
    this.errors = options.errors
    this.retryAfterSeconds = options.retryAfterSeconds
    this.scope = options.scope
    this.tenants = options.tenants
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

/** Returns the problem of a write to a database that was deleted while this process had it cached. */
export const databaseDeleted = (cause: unknown) => new Problem('database_not_found', { cause })
