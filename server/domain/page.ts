import { validationFailed } from './problem.js'

/**
 * Returns a page and the cursor of the next one. Reads one row more to know whether there is a next page.
 *
 * @param cursorOf returns the cursor of a row, by default its id
 */
export async function readPage<Row extends { id: string }>(
  { limit = 50, after }: { limit?: number | undefined; after?: string | undefined },
  read: (page: { limit: number; after?: string }) => Promise<Row[]>,
  cursorOf = ({ id }: Row) => id,
) {
  const found = await read({ limit: limit + 1, ...(after && { after }) })
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1) : undefined
  return { rows, next: last ? cursorOf(last) : null }
}

/** @throws {Problem} if more than one filter is given, because no index covers two of them */
export function requireOneFilter(filters: Record<string, unknown>) {
  const [, ...others] = Object.keys(filters).filter((name) => filters[name] !== undefined)
  if (others.length > 0)
    throw validationFailed(
      others.map((path) => ({ path, code: 'invalid_type', detail: 'is a second filter. Use only one' })),
    )
}
