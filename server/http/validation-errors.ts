import type { RequestValidationError } from '@ts-rest/fastify'
import { type FieldError, toFieldError } from '@usher/contract'

/** Returns the field errors that the contract found in a part of a request. */
export const fieldErrors = (
  part: RequestValidationError['body'] | RequestValidationError['headers'],
): FieldError[] => part?.issues.map(toFieldError) ?? []
