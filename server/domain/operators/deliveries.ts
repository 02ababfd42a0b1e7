import type {
  ChangedDeliveries,
  Delivery,
  DeliveryChangeBody,
  DeliveryList,
  ListDeliveriesQuery,
} from '@usher/contract/operator'
import type { AppContext } from '../context.js'
import { changeMessages, listMessages, type MessageChange } from '../management/outbox.js'
import { readPage } from '../page.js'
import { type InDatabase, type OperatorRequest, requestInDatabase } from './operator-request.js'

/** Returns a page of the messages that were not delivered yet, without their content. */
export async function listDeliveries(
  context: AppContext,
  request: OperatorRequest & InDatabase & { query: ListDeliveriesQuery },
): Promise<DeliveryList> {
  const { database } = await requestInDatabase(context, request)
  const { waiting, ...wanted } = request.query
  const onlyNotRetried = waiting === 'true'
  const { rows, next } = await readPage(wanted, (page) =>
    listMessages(context.store, database, { ...page, onlyNotRetried }),
  )
  const deliveries = rows.map(
    (row): Delivery => ({
      id: row.id,
      kind: row.kind,
      userId: row.userId,
      createdAt: row.createdAt.toISOString(),
      nextAt: row.dueAt?.toISOString() ?? null,
      attempts: row.attempts,
      lastError: row.lastError,
    }),
  )
  return { deliveries, next }
}

/** Returns a rule that changes a message, or all that wait for an operator. */
export const changeDeliveries =
  (type: MessageChange['type']) =>
  async (
    context: AppContext,
    request: OperatorRequest<DeliveryChangeBody> & InDatabase,
  ): Promise<ChangedDeliveries> => {
    const change = await requestInDatabase(context, request)
    const messages = await changeMessages(context, change, { type, id: request.body.id ?? undefined })
    return { messages }
  }
