import type { Store } from '../../store/store.js'
import { type AuditEvent, audit } from '../../telemetry/audit.js'
import type { Client } from '../caller.js'
import type { AppContext } from '../context.js'
import { type Event, type EventSource, eventChannels, eventMessages } from '../events/events.js'
import type { KeyRequest } from '../request.js'

/** The store and the time of a change by an operator, or by the backend of a product. */
export interface Operation {
  store: Store
  now: Date
  /** Id of the API key that makes the change. Undefined for a command. */
  apiKey?: string
  /** The client that waits for hashes of passwords. */
  client?: Client
}

/** Returns the operation of a request with an API key. */
export const operationOf = (
  { store, now }: Pick<AppContext, 'store' | 'now'>,
  { apiKey, caller }: Pick<KeyRequest, 'apiKey' | 'caller'>,
): Operation => ({ store, now: new Date(now()), apiKey: apiKey.id, client: caller })

/** Audits what a request has changed, and starts the delivery of its events. */
export function noteChanges(
  { deliver }: Pick<AppContext, 'deliver'>,
  { database, apiKey, caller }: KeyRequest,
  changes: readonly { event: AuditEvent; tenantId?: string; userId?: string; invitationId?: string }[],
) {
  for (const { event, ...ids } of changes)
    audit(caller.log, event, { databaseId: database.id, ...ids, apiKey: apiKey.id })
  deliver(eventChannels(database))
}

/** Returns the messages of events that an operation causes, which are written with its change. */
export const messagesOf = (
  { now, apiKey }: Pick<Operation, 'now' | 'apiKey'>,
  database: EventSource,
  events: readonly Event[],
) =>
  eventMessages(
    database,
    now,
    events.map((event) => ({ ...event, ...(apiKey !== undefined && { apiKey }) })),
  )
