import type { AppRoute } from '@ts-rest/core'
import { DatabasePath, toFieldError } from '@usher/contract'
import type { z } from 'zod'
import type { AppContext } from '../domain/context.js'
import type { Database } from '../domain/databases/find-database.js'
import { newPasswordErrors } from '../domain/passwords/policy.js'
import { Problem, validationFailed } from '../domain/problem.js'
import type { Input, Operation, Part } from './operation.js'

type Issue = z.core.$ZodIssue

/** What the contract finds wrong in the parts of a request. */
export type Issues = Partial<Record<Part, readonly Issue[] | undefined>>

/** Where the contract has the schema of each part, in the order in which errors are listed. */
const parts = { params: 'pathParams', headers: 'headers', query: 'query', body: 'body' } as const

/** Returns a request as the contract reads it, as ts-rest does by HTTP. A part without a schema is taken as it is. */
export function validate({ route }: Operation, given: Input) {
  const input = { ...given }
  let issues: Issues | undefined
  for (const [part, name] of Object.entries(parts) as [Part, keyof AppRoute][]) {
    const schema = route[name] as z.ZodType | symbol | undefined
    if (typeof schema !== 'object') continue
    const { data, error } = schema.safeParse(given[part])
    input[part] = data
    if (error) issues = { ...issues, [part]: error.issues }
  }
  return { input, issues }
}

/**
 * Rejects a request in which the contract finds something wrong. A new password is also checked by the policy of the database.
 *
 * @param find finds the database of the path
 * @throws {Problem} `validation_failed`; `database_not_found` for an invalid path of a database
 */
export async function rejectInvalid(
  context: AppContext,
  { route: { metadata } }: Operation,
  { issues, body, find }: { issues: Issues; body: unknown; find: () => Promise<Database> },
): Promise<never> {
  const of = (part: Part) => issues[part]?.map((issue) => toFieldError(issue)) ?? []
  if (of('params').some(({ path }) => path in DatabasePath.shape)) throw new Problem('database_not_found')
  const ofQuery = of('query').map((each) => ({ ...each, path: each.path || 'query' }))
  const errors = [...of('params'), ...of('headers'), ...ofQuery, ...of('body')]
  const { on, newPassword: field } = metadata
  // An operation that the database does not have is not found first.
  const database = on || field ? await find() : undefined
  if (!database || !field) throw validationFailed(errors)
  throw validationFailed(await newPasswordErrors(context, { database, body, field }, errors))
}
