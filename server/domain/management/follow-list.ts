import { requireValidApiKey } from '../api-keys/admit-api-key.js'
import type { AppContext } from '../context.js'
import { cursorOf, placeOf } from '../numbered-lists/cursor.js'
import type { FollowedList } from '../numbered-lists/followed-list.js'
import type { ListPage } from '../numbered-lists/read-list.js'
import { ClientDisconnected, ifDatabaseDeleted } from '../problem.js'
import type { KeyRequest } from '../request.js'

/** How long a client should wait before its next request if the server cannot hold this one. */
const refusedSeconds = 5

/** Query of a request that follows a list. */
interface FollowQuery {
  after?: string | undefined
  limit?: number | undefined
  wait?: number | undefined
}

/**
 * Returns the rows of a list after a cursor. If there is none, waits for one for the time that the client requests.
 *
 * @throws {Problem} `cursor_expired`; `key_invalid` also if the key is revoked meanwhile
 */
export async function followList(
  context: AppContext,
  { waits, read }: FollowedList,
  { database, query, apiKey, caller, actor }: KeyRequest & { query: FollowQuery },
) {
  const { id: databaseId } = database
  const { limit = 50, after, wait = 0 } = query
  const place = after === undefined ? undefined : placeOf(after)
  const page = await read(databaseId, { after: place, limit }).catch(ifDatabaseDeleted())
  if (page.rows.length > 0 || wait === 0) return pageOf(page)
  const waiter = { milliseconds: wait * 1000, client: caller, apiKey: apiKey.id }
  const result = await waits.wait(databaseId, page.next, waiter)
  if (caller.isDisconnected()) throw new ClientDisconnected()
  if (result === 'refused') caller.askToWait(refusedSeconds)
  const later = result === 'changed' ? await read(databaseId, { after: page.next, limit }) : page
  // The key may have been revoked meanwhile.
  if (actor.kind === 'backend') await requireValidApiKey(context, databaseId, apiKey)
  return pageOf(later)
}

/** Returns a page with the cursor that continues it. */
const pageOf = ({ rows, next, moreAvailable }: ListPage) => ({ rows, next: cursorOf(next), moreAvailable })
