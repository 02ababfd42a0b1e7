import type {
  ChangedDeliveries,
  Delivery,
  DeliveryChangeBody,
  DeliveryList,
  ListDeliveriesQuery,
} from '@usher/contract/operator'
import { listMessageRows } from '../../store/queries/management/messages.js'
import * as waiting from '../../store/queries/waiting-messages.js'
import { type Change, type ChangeContext, type ChangeRequest, type Outcome, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { readPage } from '../page.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { requireDatabase } from './databases.js'

/** Returns a page of the messages that were not delivered yet, without their content. */
export async function listDeliveries(
  { store }: Pick<AppContext, 'store'>,
  { database, query }: DatabaseRequest & { query: ListDeliveriesQuery },
): Promise<DeliveryList> {
  const { waiting, ...wanted } = query
  const { id: databaseId } = await requireDatabase(store, database)
  const filter = { databaseId, onlyNotRetried: waiting === 'true' }
  const { rows, next } = await readPage(wanted, (page) => listMessageRows(store, filter, page))
  const deliveries = rows.map(
    (row): Delivery => ({
      id: row.id,
      kind: row.kind,
      type: String((row.payload as { type?: string }).type),
      userId: row.userId,
      createdAt: row.createdAt.toISOString(),
      nextAt: row.dueAt?.toISOString() ?? null,
      attempts: row.attempts,
      lastError: row.lastError,
    }),
  )
  return { deliveries, next }
}

/** What an operator does with messages: delivers them now, with all attempts again, or deletes them. */
const messageChanges = {
  'outbox.retried': waiting.retryMessages,
  'outbox.dropped': waiting.dropMessages,
}

interface MessageChange {
  type: keyof typeof messageChanges
  /** A message, or undefined for all that wait for the operator. */
  id: string | undefined
}

/**
 * Returns a rule that changes a message, or all that wait for an operator, in several transactions.
 *
 * @returns their number
 * @throws {Problem} if the message is not waiting
 */
const changeDeliveries =
  (type: MessageChange['type']) =>
  async (
    context: ChangeContext,
    request: ChangeRequest & { body: DeliveryChangeBody },
  ): Promise<ChangedDeliveries> => {
    const id = request.body.id ?? undefined
    for (let after: string | undefined, earlier = 0; ; ) {
      const batch = await runChange(context, request, (change) =>
        changeBatch(change, { type, id, after, earlier }),
      )
      if (batch.last === undefined) return { messages: batch.messages }
      after = batch.last
      earlier = batch.messages
    }
  }

export const retryDeliveries = changeDeliveries('outbox.retried')
export const dropDeliveries = changeDeliveries('outbox.dropped')

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
