import { type FieldError, type ProblemCode, problems } from '@usher/contract'
import { isStoreUnavailable } from '../store/errors.js'
import { BlocklistError } from './passwords/blocklist.js'

/**
 * A failure that the client is shown. Status and title come from the contract's catalogue; this adds what is
 * particular to the occurrence.
 */
export class Problem extends Error {
  readonly errors: readonly FieldError[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    readonly code: ProblemCode,
    options: {
      detail?: string
      errors?: readonly FieldError[]
      retryAfterSeconds?: number
      cause?: unknown
    } = {},
  ) {
    super(options.detail ?? `${problems[code].title}.`, { cause: options.cause })
    this.errors = options.errors
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** The client has disconnected: the rest of its request is not worth any work, and no response reaches it. */
export class ClientDisconnected extends Error {
  override name = 'ClientDisconnected'

  constructor() {
    super('The client has disconnected.')
  }
}

/** Returns the problem of a request whose body or headers break a rule: all errors at once, in words too. */
export function validationFailed(errors: readonly FieldError[]) {
  const detail = errors.map(({ path, detail }) => `${path || 'the body'} ${detail}`).join('; ')
  return new Problem('validation_failed', { errors, detail })
}

/** Returns the problem of any error: `unavailable` for an unreachable store or blocklist, `internal_error` for a bug. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const isUnavailable = isStoreUnavailable(error) || error instanceof BlocklistError
  return new Problem(isUnavailable ? 'unavailable' : 'internal_error', { cause: error })
}
