import type { Store } from '../../store/store.js'
import type { Client } from '../caller.js'
import type { AppContext } from '../context.js'
import { type Event, type EventSource, eventMessages } from '../events/events.js'
import type { KeyRequest } from '../request.js'
import { OperatorError, type OperatorErrorCode } from './operator-error.js'

/** The store and the time of a change by an operator, or by the backend of a product. */
export interface Operation {
  store: Store
  /** When the change takes place. */
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

/** Returns a handler of rejections: it returns undefined for these errors, and throws any other. */
export const unlessMissing =
  (...codes: OperatorErrorCode[]) =>
  (error: unknown) => {
    if (error instanceof OperatorError && codes.includes(error.code)) return undefined
    throw error
  }
