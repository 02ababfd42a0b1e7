import { DatabasePath, type FieldError, toFieldError } from '@usher/contract'
import type { AppContext } from '../domain/context.js'
import type { Database } from '../domain/databases/find-database.js'
import { newPasswordErrors } from '../domain/passwords/policy.js'
import { Problem, validationFailed } from '../domain/problem.js'
import type { Input, Operation } from './operation.js'

/** Returns a request as the contract reads it, or its field errors. @throws {Problem} `database_not_found` for an invalid path */
export function validate({ schemas }: Operation, given: Input): { input: Input; errors: FieldError[] } {
  const input = { ...given }
  const errors: FieldError[] = []
  for (const [part, schema] of schemas) {
    const { data, error } = schema.safeParse(given[part])
    input[part] = data
    for (const issue of error?.issues ?? []) {
      const found = toFieldError(issue)
      if (part === 'params' && found.path in DatabasePath.shape) throw new Problem('database_not_found')
      errors.push(part === 'query' ? { ...found, path: found.path || 'query' } : found)
    }
  }
  return { input, errors }
}

/**
 * Rejects a request with field errors. A new password is also checked by the policy of the database.
 *
 * @param find finds the database of the path
 * @throws {Problem} `validation_failed`
 */
export async function rejectInvalid(
  context: AppContext,
  { route: { metadata } }: Operation,
  { errors, body, find }: { errors: readonly FieldError[]; body: unknown; find: () => Promise<Database> },
): Promise<never> {
  const { on, newPassword: field } = metadata
  // An operation that the database does not have is not found first.
  const database = on || field ? await find() : undefined
  if (!database || !field) throw validationFailed(errors)
  throw validationFailed(await newPasswordErrors(context, { database, body, field }, errors))
}
