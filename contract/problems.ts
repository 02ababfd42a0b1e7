import { initContract } from '@ts-rest/core'
import { z } from 'zod'

/**
 * Every problem that the API answers with: code → HTTP status, title, advice, and the headers that come with it.
 * The only place where a status or a title of a failure is written.
 */
export const problems = {
  malformed_request: {
    status: 400,
    title: 'The request is not valid HTTP',
    advice: 'Use an HTTP client rather than writing requests by hand.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON',
    advice: 'Send one JSON document in UTF-8.',
  },
  validation_failed: {
    status: 400,
    title: 'The body has faults',
    advice: 'Mend every field that errors names, by its code, and send the request again.',
  },
  invalid_credentials: {
    status: 401,
    title: 'Email or password is wrong',
    advice: 'Ask for both again. Which of them is wrong is not told, nor whether the address has an account.',
  },
  token_missing: {
    status: 401,
    title: 'A Bearer token is needed',
    advice: 'Log in, and send the jwt of the answer as Authorization: Bearer.',
    headers: ['WWW-Authenticate'],
  },
  token_invalid: {
    status: 401,
    title: 'The token is not valid',
    advice: 'Log in again. The token is of another database, revoked, changed, or its user is gone.',
    headers: ['WWW-Authenticate'],
  },
  token_expired: {
    status: 401,
    title: 'The token has expired',
    advice: 'Log in again. A token lives for maxAge seconds.',
    headers: ['WWW-Authenticate'],
  },
  database_not_found: {
    status: 404,
    title: 'No such database',
    advice: 'Check the workspace and the database in the path; letter case matters.',
  },
  route_not_found: {
    status: 404,
    title: 'No such path',
    advice: 'Check the path against the API reference.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not answer this method',
    advice: 'Use one of the methods that Allow lists.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    advice: 'Send it again, whole.',
  },
  email_taken: {
    status: 409,
    title: 'The email address has an account already',
    advice: 'Log in, or sign up with another address.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    advice: 'Send at most 16 KiB.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not JSON',
    advice: 'Send JSON with Content-Type: application/json.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key belongs to another sign-up',
    advice: 'Make a new key for each sign-up; use one again only to send the same sign-up again.',
  },
  too_many_attempts: {
    status: 429,
    title: 'Too many logins failed',
    advice: 'Wait for the seconds that Retry-After names before trying this account again.',
    headers: ['Retry-After'],
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    advice: 'Send less than 16 KiB of headers.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    advice: 'Report the requestId to those who run the service.',
  },
  unavailable: {
    status: 503,
    title: 'Not available just now',
    advice: 'Send the request again after the seconds that Retry-After names.',
    headers: ['Retry-After'],
  },
} as const satisfies Record<string, CatalogueEntry>

/** A response header that belongs to a problem. */
export type ProblemHeader = 'Retry-After' | 'WWW-Authenticate'

interface CatalogueEntry {
  status: number
  title: string
  /** What a client should do about it. */
  advice: string
  headers?: readonly ProblemHeader[]
}

/** What any request can meet, the first three before it reaches its operation. */
const everywhere = ['malformed_request', 'request_timeout', 'headers_too_large', 'internal_error'] as const
type Everywhere = (typeof everywhere)[number]

/** The stable code of a problem: what a client switches on. */
export type ProblemCode = keyof typeof problems
export const ProblemCode = z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]).meta({
  id: 'ProblemCode',
  description: 'Stable code of the problem: what a client switches on.',
  examples: ['email_taken'],
})

/** What is wrong with one field of a body. */
export const FieldErrorCode = z
  .enum([
    'required',
    'invalid_type',
    'blank',
    'too_short',
    'too_long',
    'invalid_character',
    'email_invalid',
    'password_too_common',
    'password_is_email',
  ])
  .meta({ id: 'FieldErrorCode', description: 'Stable code of a fault in one field.' })
export type FieldErrorCode = z.infer<typeof FieldErrorCode>

/** One fault of one field; a body with several faults gets them all in one answer. */
export const FieldError = z
  .object({
    path: z.string().meta({ description: 'Name of the field; empty for the body as a whole.' }),
    code: FieldErrorCode,
    detail: z.string().meta({ description: 'The fault in words, for people.' }),
  })
  .meta({
    id: 'FieldError',
    description: 'One fault of one field of a body.',
    examples: [{ path: 'email', code: 'email_invalid', detail: 'must be an email address' }],
  })
export type FieldError = z.infer<typeof FieldError>

/** The body of every failure: RFC 9457 problem details, with a stable `code` and the request's id. */
export const ProblemBody = z
  .object({
    type: z.url().meta({ description: 'Address of a page about this kind of problem.' }),
    title: z.string().meta({ description: 'The kind of problem in words; the same for each code.' }),
    status: z.int().min(400).max(599).meta({ description: 'The HTTP status of this answer.' }),
    detail: z.string().meta({ description: 'This occurrence in words, for people.' }),
    instance: z.string().meta({ description: 'Path of the request that met the problem.' }),
    code: ProblemCode,
    requestId: z.string().meta({ description: 'The request’s id, as in X-Request-Id and in the log.' }),
    errors: z.array(FieldError).optional().meta({ description: 'Every fault of the body, by field.' }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details.' })
export type ProblemBody = z.infer<typeof ProblemBody>

type StatusOf<C extends ProblemCode> = (typeof problems)[C]['status']
type CodeWithStatus<C extends ProblemCode, S> = C extends ProblemCode
  ? StatusOf<C> extends S
    ? C
    : never
  : never

const c = initContract()

const problemWith = <C extends ProblemCode>(codes: C[]) =>
  c.otherResponse({
    contentType: 'application/problem+json',
    body: ProblemBody.extend({ code: z.enum(codes as [C, ...C[]]) }),
  })

/**
 * The failures of a route, for its `responses`: one problem body for each status, whose `code` is exactly
 * one of those listed or of what any route can answer.
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
