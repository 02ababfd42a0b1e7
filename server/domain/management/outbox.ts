import type { DatabasePath } from '@usher/contract'
import { listMessageRows } from '../../store/queries/management/messages.js'
import type { Page } from '../../store/queries/page.js'
import * as waiting from '../../store/queries/waiting-messages.js'
import type { Store } from '../../store/store.js'
import { type Change, type ChangeContext, type ChangeRequest, type Outcome, runChange } from '../change.js'
import { Problem } from '../problem.js'
import { requireDatabase } from './databases.js'

/** Returns undelivered messages, oldest first. */
export async function listMessages(
  store: Store,
  path: DatabasePath,
  { onlyNotRetried, ...page }: Page<string> & { onlyNotRetried: boolean },
) {
  const { id: databaseId } = await requireDatabase(store, path)
  return listMessageRows(store, { databaseId, onlyNotRetried }, page)
}

/** What an operator does with messages: delivers them now, with all attempts again, or deletes them. */
const messageChanges = {
  'outbox.retried': waiting.retryMessages,
  'outbox.dropped': waiting.dropMessages,
}

export interface MessageChange {
  type: keyof typeof messageChanges
  /** A message, or undefined for all that wait for the operator. */
  id: string | undefined
}

/**
 * Changes messages, in several transactions.
 *
 * @returns their number
 * @throws {Problem} if the message is not waiting
 */
export async function changeMessages(context: ChangeContext, request: ChangeRequest, wanted: MessageChange) {
  for (let after: string | undefined, earlier = 0; ; ) {
    const batch = await runChange(context, request, (change) =>
      changeBatch(change, { ...wanted, after, earlier }),
    )
    if (batch.last === undefined) return batch.messages
    after = batch.last
    earlier = batch.messages
  }
}

async function changeBatch(
  change: Change,
  { type, id, after, earlier }: MessageChange & { after: string | undefined; earlier: number },
): Promise<Outcome<{ messages: number; last: string | undefined }>> {
  const { database, now } = change
  const changed = await messageChanges[type](change, { databaseId: database.id, id, after, now })
  const messages = earlier + changed.messages
  if (messages === 0 && id !== undefined)
    throw new Problem('message_not_found', {
      detail: `Message ${id} does not wait for delivery in this database.`,
    })
  const isLast = changed.last === undefined
  return {
    result: { messages, last: changed.last },
    facts: isLast ? [{ type, messages, ...(id !== undefined && { message: id }) }] : [],
  }
}
