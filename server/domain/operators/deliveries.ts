import type {
  ChangedDeliveries,
  ConnectionDetailsList,
  Delivery,
  DeliveryChangeBody,
  DeliveryList,
  ListDeliveriesQuery,
} from '@usher/contract/operator'
import { callbackUrl } from '../connections/connection.js'
import type { AppContext } from '../context.js'
import { checkConnection, listConnectionRows, requireConnectionRow } from '../management/connections.js'
import { changeMessages, listMessages, type MessageChange } from '../management/outbox.js'
import { readPage } from '../page.js'
import { type InDatabase, type OperatorRequest, requestInDatabase } from './operator-request.js'

/** Returns the connections of a database, without their secrets. */
export async function listConnectionDetails(
  context: AppContext,
  request: OperatorRequest & InDatabase,
): Promise<ConnectionDetailsList> {
  const { database } = await requestInDatabase(context, request)
  const connections = (await listConnectionRows(context.store, database)).map((row) => ({
    name: row.name,
    preset: row.preset,
    issuer: row.issuer,
    clientId: row.clientId,
    isEnabled: row.isEnabled,
    callbackUrl: callbackUrl(database.issuer, row.name),
    createdAt: row.createdAt.toISOString(),
  }))
  return { connections }
}

/** Asks the provider of a connection whether it knows the client. */
export async function checkDatabaseConnection(
  context: AppContext,
  request: OperatorRequest & InDatabase & { params: { connection: string } },
) {
  const { database } = await requestInDatabase(context, request)
  const connection = await requireConnectionRow(context.store, database, request.params.connection)
  const redirectUri = callbackUrl(database.issuer, connection.name)
  await checkConnection(context.providers, connection, { database, redirectUri })
}

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
