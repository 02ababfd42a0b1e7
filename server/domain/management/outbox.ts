import { setTimeout as pause } from 'node:timers/promises'
import type { DatabasePath } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { deleteTailedEvents, findEvents, renewEventTail } from '../../store/queries/event-tail.js'
import { listMessageRows } from '../../store/queries/management/messages.js'
import type { Page } from '../../store/queries/page.js'
import * as waiting from '../../store/queries/waiting-messages.js'
import type { Store } from '../../store/store.js'
import { type Change, type ChangeContext, type ChangeRequest, type Outcome, runChange } from '../change.js'
import { eventBody } from '../events/events.js'
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

const pollMilliseconds = 500
/** How long servers keep events for a tail. The tail renews the lease when half of it has passed. */
const leaseMilliseconds = 60_000
/**
 * Longer than a statement takes and clocks of servers differ, so that a tail also sees events that are committed
 * late.
 */
const windowMilliseconds = 60_000

/**
 * Yields the events of a database from now on. It takes up to 5 s until servers keep all events.
 *
 * @param options `stopped` ends the tail
 * @throws {Problem} within 30 s after the database was deleted
 */
export async function* tailEvents(
  store: Store,
  path: DatabasePath,
  { stopped, now: clock }: { stopped: AbortSignal; now: () => number },
) {
  const { id } = await requireDatabase(store, path)
  let renewAt = 0
  let seen: Set<string> | undefined
  while (!stopped.aborted) {
    const now = clock()
    if (now >= renewAt) {
      await requireDatabase(store, path)
      await renewEventTail(store, id, new Date(now + leaseMilliseconds))
      renewAt = now + leaseMilliseconds / 2
    }
    const from = firstIdOf(now - windowMilliseconds)
    await deleteTailedEvents(store, id, from)
    const events = await findEvents(store, id, from)
    for (const event of events) {
      if (seen && !seen.has(event.id)) yield eventBody(id, event.payload, event.createdAt)
    }
    seen = new Set(events.map((event) => event.id))
    await pause(pollMilliseconds, undefined, { signal: stopped }).catch(() => undefined)
  }
}

/** Returns the lowest id of an instant. Ids begin with their time. */
const firstIdOf = (msecs: number) => uuidv7({ msecs, seq: 0, random: new Uint8Array(16) })
