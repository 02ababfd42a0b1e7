import { batchReads, batchReadsOfAll, maxReads } from '../../store/batched-reads.js'
import {
  findLastPlaces,
  type LastPlace,
  type NumberedList,
  type Place,
} from '../../store/queries/numbered-lists.js'
import type { Store } from '../../store/store.js'
import { cursorOf, placeOf } from './cursor.js'
import { createListWaits, type ListWaits, type WaitSettings } from './list-waits.js'
import { type ListPage, numberNewRows, readList } from './read-list.js'

/** Which rows to read. Without `after`, the oldest ones. */
interface PageRequest {
  after: Place | undefined
  limit: number
}

/** A list whose rows the requests of a process read and wait for. */
export interface FollowedList {
  waits: ListWaits
  /** Does what {@link readList} does. Concurrent requests for the same rows share a read. */
  read(databaseId: string, page: PageRequest): Promise<ListPage>
}

export function createFollowedList(
  store: Store,
  list: NumberedList,
  { isEnding, max }: Pick<WaitSettings, 'isEnding' | 'max'>,
): FollowedList {
  const readPages = batchReads<string, () => ListPage>(async (databaseId, keys) => {
    const read = (key: string) => readList(store, { list, databaseId }, pageOf(key)).then(returns, throws)
    const pages = new Map([...new Set(keys)].map((key) => [key, read(key)]))
    return Promise.all(keys.map((key) => pages.get(key)))
  })
  const findLast = batchReadsOfAll<{ databaseId: string }, LastPlace>(store, (keys) =>
    findLastPlaces(
      store,
      list,
      keys.map(({ databaseId }) => databaseId),
    ),
  )
  return {
    waits: createListWaits({
      async read(databaseId) {
        const last = await findLast({ databaseId })
        return last && !last.hasMore ? last : numberNewRows(store, { list, databaseId })
      },
      databasesPerStatement: () => (store.readsAcrossDatabases() ? maxReads : 1),
      isEnding,
      max,
    }),
    async read(databaseId, page) {
      const result = (await readPages(databaseId, keyOf(page))) as () => ListPage
      return result()
    },
  }
}

const keyOf = ({ after, limit }: PageRequest) => `${limit} ${after ? cursorOf(after) : ''}`

function pageOf(key: string): PageRequest {
  const [limit, cursor] = key.split(' ')
  return { limit: Number(limit), after: cursor ? placeOf(cursor) : undefined }
}

// An expired cursor fails only the requests that have it, and not the others that share a batch.
const returns = (page: ListPage) => () => page
const throws = (error: unknown) => () => {
  throw error
}
