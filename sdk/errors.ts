import type { Answer } from './answer.js'
import type { CreateUserErrorCode, FieldError, LoginErrorCode, MeErrorCode, Problem } from './api.js'

/** Every `error.code` of every operation: the keys of a table of translations. */
export type ErrorCode = CreateUserErrorCode | LoginErrorCode | MeErrorCode

/**
 * Why a call came to nothing. Its `message` is its `detail`, so it can be thrown as it is. `cause` is there if no
 * answer came: what `fetch` threw, the reason of the caller's abort, or an Error named `TimeoutError`.
 */
export class UsherError<Code extends ErrorCode = ErrorCode> extends Error {
  override name = 'UsherError'
  /** What to switch on: a code of the operation, or `no_answer`. */
  declare readonly code: Code
  /** HTTP status; absent where no answer came. */
  declare readonly status: number | undefined
  /** The kind of problem in words; the same for each code. */
  declare readonly title: string
  /** This occurrence in words, for people. */
  declare readonly detail: string
  /** Every fault of the body, by field; empty but for `validation_failed`. */
  declare readonly errors: readonly FieldError[]
  /** The request's id, as in the server's log; absent where no answer came. */
  declare readonly requestId: string | undefined
  /** How long to wait before another try, where the answer says so. */
  declare readonly retryAfterSeconds: number | undefined

  constructor(fields: Omit<UsherError<Code>, keyof Error>, options?: { cause?: unknown }) {
    super(fields.detail, options)
    Object.assign(this, fields)
  }
}

/**
 * The error of an answer that is no success. An answer that the operation cannot give, such as a proxy's page, is
 * `unavailable` where its status is 500 or above and else `no_answer`: a server's failure, or no Usher there.
 */
export function toUsherError<Code extends ErrorCode>(codes: readonly Code[], answer: Answer) {
  const { response, retryAfterSeconds } = answer
  const status = response?.status
  const body = answer.body as Partial<Problem> | null | undefined
  const problem = typeof body?.code === 'string' ? body : {}
  const code = codes.find((each) => each === problem.code)
  return new UsherError<Code | 'unavailable' | 'no_answer'>(
    {
      code: code ?? (Number(status) >= 500 ? 'unavailable' : 'no_answer'),
      status,
      title: problem.title ?? 'No answer from Usher',
      detail: problem.detail ?? (status ? `HTTP ${status}, but not by Usher` : String(answer.cause)),
      errors: (code && problem.errors) || [],
      requestId: problem.requestId ?? response?.headers.get('x-request-id') ?? undefined,
      retryAfterSeconds,
    },
    answer,
  )
}
