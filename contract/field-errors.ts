import { z } from 'zod'
import { component, field } from './registry.js'

/** Stable code of a field error. */
export const FieldErrorCode = component(
  {
    id: 'FieldErrorCode',
    description: 'Stable code of a field error. Treat an unknown code as an invalid field.',
    isOpen: true,
  },
  z.enum([
    'required',
    'invalid_type',
    'blank',
    'too_short',
    'too_long',
    'invalid_character',
    'email_invalid',
    'password_too_common',
    'password_is_email',
    'password_wrong',
  ]),
)
export type FieldErrorCode = z.infer<typeof FieldErrorCode>

/** A limit in characters. It cannot exceed the maximum size of a body. */
const limit = (description: string) =>
  field(description, z.int().min(1).max(16384).optional(), { format: 'int32' })

/** What is wrong with one field of a request. A response lists the errors of all fields. */
export const FieldError = component(
  { id: 'FieldError', description: 'What is wrong with one field of a request.' },
  z.object({
    path: field(
      'Name of the field or parameter. Empty if the error concerns the whole body, `query` if it concerns all parameters.',
      z.string(),
    ),
    code: FieldErrorCode,
    detail: field('Human-readable explanation of the error.', z.string()),
    min: limit('Smallest number of characters. Present if `code` is `too_short`.'),
    max: limit('Largest number of characters. Present if `code` is `too_long`.'),
  }),
)
export type FieldError = z.infer<typeof FieldError>

/** Returns options for a rule of a schema, so that its failure is reported with this code and detail. */
export const failsWith = (code: FieldErrorCode, detail: string) => ({
  error: (issue: z.core.$ZodRawIssue) => report(issue, code, detail),
})

/**
 * Returns options for a schema, so that a missing value is reported as `required` and a wrong type as `invalid_type`.
 */
export const mustBe = (type: 'a string' | 'an object') => ({
  error: (issue: z.core.$ZodRawIssue) =>
    issue.input === undefined
      ? report(issue, 'required', 'is required')
      : report(issue, 'invalid_type', `must be ${type}`),
})

/**
 * Adds the code to the issue, and returns the detail. zod copies the issue with the code after it has called `error`.
 */
function report(issue: z.core.$ZodRawIssue, code: FieldErrorCode, detail: string) {
  issue.fieldErrorCode = code
  return detail
}

/**
 * Returns the field error of a zod issue. A rule without a separate code is reported as `invalid_type`, without zod's
 * message, which may contain patterns and values.
 */
export function toFieldError(issue: { path?: readonly unknown[] | undefined; message: string }): FieldError {
  const { message, fieldErrorCode: code, maximum } = issue as typeof issue & Reported
  const path = issue.path?.map(String).join('.') ?? ''
  if (!code) return { path, code: 'invalid_type', detail: 'is invalid' }
  return { path, code, detail: message, ...(code === 'too_long' && { max: Number(maximum) }) }
}

/** The code that `report` adds to an issue, and the limit that zod adds if a text is too long. */
interface Reported {
  fieldErrorCode?: FieldErrorCode
  maximum?: number | bigint
}
