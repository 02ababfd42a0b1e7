import { initContract } from '@ts-rest/core'
import { z } from 'zod'

/**
 * Every problem that the API answers with: code → HTTP status, title, and the headers that come with it.
 * The only place where a status or a title of a failure is written.
 */
export const problems = {
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  validation_failed: { status: 400, title: 'The body has faults' },
  invalid_credentials: { status: 401, title: 'Email or password is wrong' },
  token_missing: { status: 401, title: 'A Bearer token is needed', headers: ['WWW-Authenticate'] },
  token_invalid: { status: 401, title: 'The token is not valid', headers: ['WWW-Authenticate'] },
  token_expired: { status: 401, title: 'The token has expired', headers: ['WWW-Authenticate'] },
  database_not_found: { status: 404, title: 'No such database' },
  route_not_found: { status: 404, title: 'No such path' },
  method_not_allowed: { status: 405, title: 'The path does not answer this method', headers: ['Allow'] },
  email_taken: { status: 409, title: 'The email address has an account already' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key belongs to another sign-up' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body is not JSON' },
  too_many_attempts: { status: 429, title: 'Too many logins failed', headers: ['Retry-After'] },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  unavailable: { status: 503, title: 'Not available just now', headers: ['Retry-After'] },
} as const satisfies Record<string, { status: number; title: string; headers?: readonly ProblemHeader[] }>

/** A response header that belongs to a problem. */
export type ProblemHeader = 'Allow' | 'Retry-After' | 'WWW-Authenticate'

/** The stable code of a problem: what a client switches on. */
export type ProblemCode = keyof typeof problems
export const ProblemCode = z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]).meta({
  id: 'ProblemCode',
  description: 'Stable code of the problem: what a client switches on.',
})

/** What is wrong with one field of a body. */
export const FieldFaultCode = z
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
  .meta({ id: 'FieldFaultCode', description: 'Stable code of a fault in one field.' })
export type FieldFaultCode = z.infer<typeof FieldFaultCode>

/** One fault of one field; a body with several faults gets them all in one answer. */
export const FieldFault = z
  .object({
    path: z.string().meta({ description: 'Name of the field; empty for the body as a whole.' }),
    code: FieldFaultCode,
    detail: z.string().meta({ description: 'The fault in words, for people.' }),
  })
  .meta({
    id: 'FieldFault',
    examples: [{ path: 'email', code: 'email_invalid', detail: 'must be an email address' }],
  })
export type FieldFault = z.infer<typeof FieldFault>

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
    errors: z.array(FieldFault).optional().meta({ description: 'Every fault of the body, by field.' }),
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
 * one of those listed.
 */
export function failures<const C extends ProblemCode>(...codes: C[]) {
  const statuses = new Set(codes.map((code) => problems[code].status))
  const responses = [...statuses].map((status) => [
    status,
    problemWith(codes.filter((code) => problems[code].status === status)),
  ])
  return Object.fromEntries(responses) as {
    [S in StatusOf<C>]: ReturnType<typeof problemWith<CodeWithStatus<C, S>>>
  }
}
