import type { ErrorCode, FieldError, Problem } from './api.js'
import type { Exchange } from './exchange.js'

/**
 * The error of a failed call. Its `message` equals its `detail`.
 *
 * If there was no response, `cause` is the error that `fetch` threw, the reason of the caller's abort, or an Error named
 * `TimeoutError`.
 */
export class UsherError<Code extends ErrorCode = ErrorCode> extends Error {
  override name = 'UsherError'
  /** Problem code of the operation, or `no_answer` if there was no response from Usher. */
  declare readonly code: Code
  /** HTTP status. Undefined if there was no response. */
  declare readonly status: number | undefined
  /** Summary of the problem type. Always the same for a `code`. */
  declare readonly title: string
  /** Human-readable explanation of this occurrence. */
  declare readonly detail: string
  /** The errors of each field. Empty unless `code` is `validation_failed`. */
  declare readonly errors: readonly FieldError[]
  /** ID of the request, as in the server's log. Undefined if there was no response. */
  declare readonly requestId: string | undefined
  /** Seconds to wait before the next attempt, from the Retry-After header. */
  declare readonly retryAfterSeconds: number | undefined

  constructor(fields: Omit<UsherError<Code>, keyof Error>, options?: { cause?: unknown }) {
    super(fields.detail, options)
    Object.assign(this, fields)
  }
}

/**
 * Returns the error of a failed exchange. A response that the operation does not declare, such as a proxy's error page,
 * is `unavailable` if its status is 500 or above, and `no_answer` otherwise.
 */
export function toUsherError<Code extends ErrorCode>(codes: readonly Code[], exchange: Exchange) {
  const { response, retryAfterSeconds } = exchange
  const status = response?.status
  const body = exchange.body as Partial<Problem> | null | undefined
  const problem = typeof body?.code === 'string' ? body : {}
  const code = codes.find((each) => each === problem.code)
  return new UsherError<Code | 'unavailable' | 'no_answer'>(
    {
      code: code ?? (Number(status) >= 500 ? 'unavailable' : 'no_answer'),
      status,
      title: problem.title ?? 'No response from Usher',
      detail:
        problem.detail ?? (status ? `Received HTTP ${status}, but not from Usher` : String(exchange.cause)),
      errors: (code && problem.errors) || [],
      requestId: problem.requestId ?? response?.headers.get('x-request-id') ?? undefined,
      retryAfterSeconds,
    },
    exchange,
  )
}
