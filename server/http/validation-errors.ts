import type { RequestValidationError } from '@ts-rest/fastify'
import { type FieldError, toFieldError } from '@usher/contract'

type Part = RequestValidationError['body'] | RequestValidationError['headers']

/** Returns the field errors that the contract found in the headers. */
export const headerErrors = (part: Part): FieldError[] => part?.issues.map(toFieldError) ?? []

/** Returns the field errors that the contract found in the body. */
export const bodyErrors = (part: Part, _body: unknown): FieldError[] => headerErrors(part)
