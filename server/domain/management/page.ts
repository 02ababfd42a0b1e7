import { validationFailed } from '../problem.js'

/** Returns where the next page starts, if a row more than the limit was found. */
export const nextOf = (rows: readonly { id: string }[], limit: number) =>
  rows.length > limit ? (rows[limit - 1]?.id ?? null) : null

/** @throws {Problem} if more than one filter is given: each has an index, no two have one together */
export function requireOneFilter(filters: Record<string, unknown>) {
  const [, ...others] = Object.keys(filters).filter((name) => filters[name] !== undefined)
  if (others.length > 0)
    throw validationFailed(
      others.map((path) => ({ path, code: 'invalid_type', detail: 'is a second filter; give only one' })),
    )
}
