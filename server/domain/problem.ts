import { type FieldError, type ProblemCode, problems } from '@usher/contract'

/**
 * A failure that the client is told of. Status and title come from the contract's catalogue; this adds what
 * is particular to the occurrence. It has no stack: nobody reads it, and it takes longer to make than the rest.
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
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(options.detail ?? `${problems[code].title}.`, { cause: options.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.errors = options.errors
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
