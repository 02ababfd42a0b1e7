import type { RequestValidationError } from '@ts-rest/fastify'
import { Problem } from '../../domain/problem.js'

/** A path that can be no database's is answered as one of an unknown database. */
export function rejectInvalidPath({ pathParams }: Pick<RequestValidationError, 'pathParams'>) {
  if (pathParams) throw new Problem('database_not_found')
}
