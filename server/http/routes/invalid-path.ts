import type { RequestValidationError } from '@ts-rest/fastify'
import { Problem } from '../../domain/problem.js'

/** An invalid database path is treated as the path of an unknown database. */
export function rejectInvalidPath({ pathParams }: Pick<RequestValidationError, 'pathParams'>) {
  if (pathParams) throw new Problem('database_not_found')
}
