import type { Exchange } from './exchange.js'
import type { ErrorCode, FieldError, PersonProfile, Problem, SecondStep } from './schemas.js'

/** The data of an `UsherError`: a plain object. */
export interface ErrorData<Code extends string = ErrorCode> {
  /** Problem code of the operation, or `no_answer` if there was no response from Usher. */
  readonly code: Code
  /** HTTP status. Undefined if there was no response. 401 if no request was sent because there is no token. */
  readonly status: number | undefined
  /** Summary of the problem type. Always the same for a `code`. */
  readonly title: string
  /** Human-readable explanation of this occurrence. */
  readonly detail: string
  /** The errors of each field. Empty unless `code` is `validation_failed`. */
  readonly errors: readonly FieldError[]
  /** IDs of the tenants that need another owner. Empty unless `code` is `last_owner`. */
  readonly tenants: readonly string[]
  /** What is known of a person who has no account yet. Undefined unless `code` is `account_missing` or `email_not_proven`. */
  readonly profile?: PersonProfile | undefined
  /** Why the app refuses a sign-up, as text. Undefined unless `code` is `sign_up_refused`. */
  readonly reason?: string | undefined
  /** What the second step of a login needs. Undefined unless `code` is `second_factor_required` or `enrolment_required`. */
  readonly secondFactor?: SecondStep | undefined
  /** ID of the request, as in the server's log. Undefined if there was no response. */
  readonly requestId: string | undefined
  /** Seconds to wait before the next attempt, from the Retry-After header. */
  readonly retryAfterSeconds: number | undefined
}

/**
 * The error of a failed call. Its `message` equals its `detail`.
 *
 * If there was no response, `cause` is the error that `fetch` threw, the reason of the caller's abort, or an Error named
 * `TimeoutError`.
 */
export class UsherError<Code extends string = ErrorCode> extends Error implements ErrorData<Code> {
  override name = 'UsherError'
  declare readonly code: Code
  declare readonly status: number | undefined
  declare readonly title: string
  declare readonly detail: string
  declare readonly errors: readonly FieldError[]
  declare readonly tenants: readonly string[]
  declare readonly profile: PersonProfile | undefined
  declare readonly reason: string | undefined
  declare readonly secondFactor: SecondStep | undefined
  declare readonly requestId: string | undefined
  declare readonly retryAfterSeconds: number | undefined

  /** Creates the error from its data, such as the result of `toJSON`. */
  constructor(data: ErrorData<Code>, options?: { cause?: unknown }) {
    super(data.detail, options)
    Object.assign(this, data)
  }

  /**
   * Returns the error of a field of the request body, or undefined. An `email_taken` is an error of `email`.
   */
  field(path: string): (Omit<FieldError, 'code'> & { code: FieldError['code'] | 'email_taken' }) | undefined {
    return path === 'email' && this.code === 'email_taken'
      ? { path, code: 'email_taken', detail: this.title }
      : this.errors.find((each) => each.path === path)
  }

  /** Returns plain data for JSON, `structuredClone` and server actions, which drop the fields of an error. */
  toJSON(): ErrorData<Code> {
    return { ...this }
  }
}

/**
 * Returns the error of a failed exchange. A response that the operation does not declare, such as a proxy's error page,
 * is `unavailable` if its status is 500 or above, and `no_answer` otherwise.
 */
export function toUsherError<Code extends string>(codes: readonly Code[], exchange: Exchange) {
  const { response, retryAfterSeconds } = exchange
  const body = exchange.body as Partial<Problem> | null | undefined
  const status = response?.status ?? body?.status
  const problem = typeof body?.code === 'string' ? body : {}
  const code = codes.find((each) => each === problem.code)
  return new UsherError<Code | 'unavailable' | 'no_answer'>(
    {
      code: code ?? (Number(status) >= 500 ? 'unavailable' : 'no_answer'),
      status,
      title: problem.title ?? 'No response from Usher',
      detail:
        problem.detail ?? (status ? `Received HTTP ${status}, but not from Usher` : 'Check the connection.'),
      errors: (code && problem.errors) || [],
      tenants: (code && problem.tenants) || [],
      profile: code && problem.profile,
      reason: code && problem.reason,
      secondFactor: code && problem.secondFactor,
      requestId: problem.requestId ?? response?.headers.get('x-request-id') ?? undefined,
      retryAfterSeconds,
    },
    exchange,
  )
}
