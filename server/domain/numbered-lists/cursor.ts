import { randomBytes } from 'node:crypto'
import type { Place } from '../../store/queries/numbered-lists.js'

/** Returns a random lineage, which all cursors contain until it is replaced. */
export const newLineage = () => randomBytes(9).toString('base64url')

/** Returns the cursor of a place: what a client sends as `after`. */
export const cursorOf = ({ lineage, seq, stamp }: Place) =>
  stamp === null ? `${lineage}.${seq}` : `${lineage}.${seq}.${stamp}`

/** Returns the place of a cursor that the contract has accepted. */
export function placeOf(cursor: string): Place {
  const [lineage = '', seq, stamp = null] = cursor.split('.')
  return { lineage, seq: Number(seq), stamp }
}
