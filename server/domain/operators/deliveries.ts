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
import type { OperatorDatabaseRequest } from './operator-request.js'

/** Returns a page of the messages that were not delivered yet, without their content. */
export async function listDeliveries(
  { store }: AppContext,
  { database, query }: OperatorDatabaseRequest & { query: ListDeliveriesQuery },
): Promise<DeliveryList> {
  const { waiting, ...wanted } = query
  const onlyNotRetried = waiting === 'true'
  const { rows, next } = await readPage(wanted, (page) =>
    listMessages(store, database, { ...page, onlyNotRetried }),
  )
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

/** Returns a rule that changes a message, or all that wait for an operator. */
const changeDeliveries =
  (type: MessageChange['type']) =>
  async (
    context: AppContext,
    request: OperatorDatabaseRequest<DeliveryChangeBody>,
  ): Promise<ChangedDeliveries> => ({
    messages: await changeMessages(context, request, { type, id: request.body.id ?? undefined }),
  })

export const retryDeliveries = changeDeliveries('outbox.retried')
export const dropDeliveries = changeDeliveries('outbox.dropped')
