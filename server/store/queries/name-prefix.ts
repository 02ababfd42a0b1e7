import { NIL } from 'uuid'
import type { Page } from './page.js'

/** Which names to find. */
export interface NamePrefix {
  databaseId: string
  prefix: string
}

/** The place of a row in a list by name. */
export interface NamedCursor {
  id: string
  /** The name in lower case, as the store has it. */
  foldedName: string
}

/** Returns the values of a statement with {@link byNamePrefix}. */
export const namePrefixValues = (
  { databaseId, prefix }: NamePrefix,
  { limit, after = { foldedName: '', id: NIL } }: Page<NamedCursor>,
) => [databaseId, prefix, after.foldedName, after.id, limit]

/** No name has it. */
const lastCharacter = '\u{10FFFF}'

/** Returns the end of a statement that finds rows by the start of a name. It is the expression of the index of the table. */
export function byNamePrefix(table: string, column: string) {
  const folded = `lower(${table}.${column}) COLLATE "C"`
  return `${table}.database_id = $1::uuid
    AND ${folded} >= lower($2::text) AND ${folded} < lower($2::text) || '${lastCharacter}'
    AND (${folded}, ${table}.id) > ($3::text, $4::uuid)
  ORDER BY ${folded}, ${table}.id LIMIT $5::int`
}
