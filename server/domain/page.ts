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

/** Returns the cursor of a row in a list that is ordered by a text and then by id. It stays valid after its row is deleted. */
export const cursorOf = (id: string, key: string) => Buffer.from(id + key).toString('base64url')

/** Returns id and text of a cursor. @throws {Problem} `validation_failed` if it is none */
export function readCursor(cursor: string) {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [id, key] = [text.slice(0, idLength), text.slice(idLength)]
  requireCursor(isUuid(id) && !key.includes('\0') && cursorOf(id, key) === cursor)
  return { id, key }
}

/** Returns a page of a list by name. */
export const readNamedPage = <Row extends NamedCursor>(
  page: { limit?: number | undefined; after?: string | undefined },
  read: (page: { limit: number; after?: NamedCursor }) => Promise<Row[]>,
) =>
  readPage(
    page,
    ({ limit, after }) => {
      if (after === undefined) return read({ limit })
      const { id, key } = readCursor(after)
      return read({ limit, after: { id, foldedName: key } })
    },
    ({ id, foldedName }) => cursorOf(id, foldedName),
  )

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
