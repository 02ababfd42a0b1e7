import type { RequestValidationError } from '@ts-rest/fastify'
import { DatabasePath } from '@usher/contract'
import { Problem } from '../../domain/problem.js'
import { fieldErrors } from '../validation-errors.js'

/** An invalid database path is treated as the path of an unknown database. */
export function rejectInvalidPath({ pathParams }: Pick<RequestValidationError, 'pathParams'>) {
  if (fieldErrors(pathParams).some(({ path }) => path in DatabasePath.shape))
    throw new Problem('database_not_found')
}
