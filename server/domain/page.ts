import { validate as isUuid } from 'uuid'
import type { NamedCursor } from '../store/queries/name-prefix.js'
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

/** Returns a page of a list by name. The cursor stays valid after its row is deleted. */
export const readNamedPage = <Row extends NamedCursor>(
  { limit, after }: { limit?: number | undefined; after?: string | undefined },
  read: (page: { limit: number; after?: NamedCursor }) => Promise<Row[]>,
) =>
  readPage(
    { limit, after },
    (page) => {
      const { after, ...more } = page
      return read({ ...more, ...(after !== undefined && { after: readNamedCursor(after) }) })
    },
    namedCursorOf,
  )

const namedCursorOf = ({ id, foldedName }: NamedCursor) => Buffer.from(id + foldedName).toString('base64url')

/** Returns the row of a cursor in a list by name. @throws {Problem} `validation_failed` if it is none */
function readNamedCursor(cursor: string): NamedCursor {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [id, foldedName] = [text.slice(0, idLength), text.slice(idLength)]
  const found = { id, foldedName }
  requireCursor(isUuid(id) && !foldedName.includes('\0') && namedCursorOf(found) === cursor)
  return found
}

const idLength = 36

/** @throws {Problem} `validation_failed` if `after` is not a cursor of the list */
export function requireCursor(isCursor: boolean) {
  if (isCursor) return
  const detail = 'must be `next` of an earlier response'
  throw validationFailed([{ path: 'after', code: 'invalid_type', detail }])
}

/** @throws {Problem} if more than one filter is given, because no index covers two of them */
export function requireOneFilter(filters: Record<string, unknown>) {
  const [, ...others] = Object.keys(filters).filter((name) => filters[name] !== undefined)
  if (others.length > 0)
    throw validationFailed(
      others.map((path) => ({ path, code: 'invalid_type', detail: 'is a second filter. Use only one' })),
    )
}
