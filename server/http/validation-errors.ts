import type { RequestValidationError } from '@ts-rest/fastify'
import { type FieldError, FieldErrorCode } from '@usher/contract'
import type { z } from 'zod'

type Issue = NonNullable<RequestValidationError['body']>['issues'][number]

/** Every fault that the contract found in a body, in the problem's own terms. */
export function bodyErrors(error: RequestValidationError['body'], body: unknown): FieldError[] {
  return error?.issues.map((issue) => faultOf(issue, body)) ?? []
}

/** Every fault that the contract found in the headers. */
export const headerErrors = (error: RequestValidationError['headers']): FieldError[] =>
  error?.issues.map((issue) => ({
    path: String(issue.path?.[0]),
    ...describe(issue as z.core.$ZodIssue),
  })) ?? []

function faultOf(issue: Issue, body: unknown): FieldError {
  const path = issue.path?.map(String) ?? []
  const [field] = path
  const isAbsent = field !== undefined && (body as Record<string, unknown>)[field] === undefined
  return { path: path.join('.'), ...(isAbsent ? required : describe(issue as z.core.$ZodIssue)) }
}

const required = { code: 'required', detail: 'is required' } as const

function describe(issue: z.core.$ZodIssue): Pick<FieldError, 'code' | 'detail'> {
  switch (issue.code) {
    case 'invalid_type':
      return {
        code: 'invalid_type',
        detail: `must be ${issue.expected === 'object' ? 'an' : 'a'} ${issue.expected}`,
      }
    case 'too_small':
      return { code: 'blank', detail: 'must not be blank' }
    case 'too_big':
      return { code: 'too_long', detail: `must have at most ${issue.maximum} characters` }
    case 'custom':
      return { code: FieldErrorCode.parse(issue.params?.code), detail: issue.message }
    default:
      throw new Error(`the contract has a rule that is not described: ${issue.code}`)
  }
}
