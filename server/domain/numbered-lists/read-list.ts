import { setTimeout as pause } from 'node:timers/promises'
import { UnavailableError } from '../../store/errors.js'
import {
  createLineage,
  deleteFirstRows,
  findLastPlace,
  findRowsFrom,
  hasRows,
  type LastPlace,
  type ListOfDatabase,
  type NumberedRow,
  numberRows,
  type Place,
} from '../../store/queries/numbered-lists.js'
import type { Store } from '../../store/store.js'
import { Problem } from '../problem.js'
import { newLineage } from './cursor.js'

type Queries = Pick<Store, 'query' | 'transaction'>

/** Numbers new rows of a database, at most 1,000. Returns the place after the last row that has a number. */
export async function numberNewRows(store: Queries, of: ListOfDatabase): Promise<LastPlace> {
  const last = await requireLastPlace(store, of)
  return last.hasMore ? ((await numberRows(store, of)) ?? last) : last
}

/** Returns the last place, which the first reader creates. */
async function requireLastPlace(store: Queries, of: ListOfDatabase) {
  for (;;) {
    const last = await findLastPlace(store, of)
    if (last) return last
    await createLineage(store, of, newLineage())
  }
}

/** How often a reader tries to number rows while another one numbers them, and the pause between two attempts. */
const attempts = 10
const pauseMilliseconds = 50

/** Rows that follow each other without a gap. */
export interface ListPage {
  rows: NumberedRow[]
  /** The place after the last of them. */
  next: Place
  moreAvailable: boolean
}

/**
 * Returns the rows after a place, or the oldest ones. Numbers new rows if the page has room for them.
 *
 * @throws {Problem} `cursor_expired` if the place has another lineage or follows the last row, if its number belongs to another
 * row since a restore, or if the next row was deleted
 * @throws {UnavailableError} if another reader, which may be frozen, keeps rows from being numbered
 */
export async function readList(
  store: Queries,
  of: ListOfDatabase,
  { after, limit }: { after: Place | undefined; limit: number },
): Promise<ListPage> {
  const read = async (last: LastPlace) => {
    if (!after) return findRowsFrom(store, of, { seq: 0, limit })
    if (after.lineage !== last.lineage || after.seq > last.seq) throw new Problem('cursor_expired')
    if (after.seq === last.seq) {
      requireSameRow(after, last.stamp)
      return []
    }
    const [first, ...others] = await findRowsFrom(store, of, { seq: after.seq, limit: limit + 1 })
    if (first?.seq === after.seq) {
      requireSameRow(after, first.stamp)
      return others
    }
    requireSameRow(after, last.deletedSeq === after.seq ? last.deletedStamp : null)
    return first ? [first, ...others].slice(0, limit) : []
  }
  let last: LastPlace = await requireLastPlace(store, of)
  let rows = await read(last)
  for (let attempt = 1; rows.length < limit && last.hasMore; attempt++) {
    last = await numberNewRows(store, of)
    rows = await read(last)
    if (rows.length > 0 || !last.hasMore) break
    // An empty page would say that there are no rows.
    if (attempt === attempts) throw new UnavailableError('another reader numbers the rows of the list')
    await pause(pauseMilliseconds)
  }
  // Numbers have no gap, and the oldest rows are deleted first.
  const following = rows[0]?.seq ?? last.seq + 1
  if (after && following !== after.seq + 1) throw new Problem('cursor_expired')
  const { seq, stamp } = rows.at(-1) ?? last
  const moreAvailable = seq < last.seq || last.hasMore
  return { rows, next: { lineage: last.lineage, seq, stamp }, moreAvailable }
}

/**
 * Checks that the number of a cursor still belongs to the same row. Accepts it if one of the stamps is unknown.
 *
 * @throws {Problem} `cursor_expired`
 */
function requireSameRow({ stamp }: Place, current: string | null) {
  if (stamp !== null && current !== null && stamp !== current) throw new Problem('cursor_expired')
}

/**
 * Deletes some of the rows that were created before an instant. Numbers them first: a cursor before a row that is deleted
 * expires.
 *
 * @returns whether there may be more. False while another reader, which may be frozen, keeps rows from being numbered
 */
export async function deleteEndedRows(store: Queries, of: ListOfDatabase, createdBefore: Date) {
  if (!(await hasRows(store, of))) return false
  const last = await requireLastPlace(store, of)
  const numbered = last.hasMore ? await numberRows(store, of) : last
  const isMoreToDelete = await deleteFirstRows(store, of, createdBefore)
  return isMoreToDelete || (numbered?.hasMore ?? false)
}
