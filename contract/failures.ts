import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { ProblemBody, type ProblemCode, problems } from './problems.js'

/** Problems of every operation. All but `internal_error` occur before the request reaches the operation. */
const everywhere = ['malformed_request', 'request_timeout', 'headers_too_large', 'internal_error'] as const
type Everywhere = (typeof everywhere)[number]

/** Problems of every operation of a database. */
export const databaseProblems = ['database_not_found', 'unavailable'] as const
/** Problems of every operation that needs a body. */
export const bodyProblems = [
  'malformed_json',
  'validation_failed',
  'payload_too_large',
  'unsupported_media_type',
] as const
/** Problems of every operation that an operator can turn off for a database, which makes it `route_not_found`. */
export const accountProblems = ['route_not_found', ...databaseProblems] as const
/** Problems of every operation without a body, because clients may send one anyway. */
export const withoutBodyProblems = ['malformed_json', 'payload_too_large', 'unsupported_media_type'] as const
/** Problems of every operation that needs an access token. */
export const tokenProblems = ['token_missing', 'token_invalid', 'token_expired'] as const

/** Problems of every operation on the account of the user of an access token, which sessions of a tenant do not open. */
export const ownProblems = ['own_login_required', ...tokenProblems] as const

type StatusOf<C extends ProblemCode> = (typeof problems)[C]['status']
type CodeWithStatus<C extends ProblemCode, S> = C extends ProblemCode
  ? StatusOf<C> extends S
    ? C
    : never
  : never

const c = initContract()

type CodedProblem<C extends ProblemCode> = Omit<ProblemBody, 'code'> & { code: C }
/** A schema with a name: the compiler cannot write the type of the contract with all fields of each problem. */
export interface CodedSchema<C extends ProblemCode> extends z.ZodType<CodedProblem<C>, CodedProblem<C>> {}

const problemWith = <C extends ProblemCode>(codes: C[]) =>
  c.otherResponse({
    contentType: 'application/problem+json',
    body: ProblemBody.extend({ code: z.enum(codes as [C, ...C[]]) }) as CodedSchema<C>,
  })

/**
 * Returns the error responses of a route: one problem body per status. Its `code` is one of those listed, or of those
 * that every route has.
 */
export function failures<const C extends ProblemCode>(...listed: C[]) {
  const codes = [...listed, ...everywhere]
  const statuses = new Set(codes.map((code) => problems[code].status))
  const responses = [...statuses].map((status) => [
    status,
    problemWith(codes.filter((code) => problems[code].status === status)),
  ])
  return Object.fromEntries(responses) as {
    [S in StatusOf<C | Everywhere>]: ReturnType<typeof problemWith<CodeWithStatus<C | Everywhere, S>>>
  }
}
