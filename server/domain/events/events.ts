import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../../store/generated/client.js'
import type { NewMessage } from '../../store/queries/outbox.js'

export const eventTypes = [
  'user.created',
  'user.updated',
  'user.email_verified',
  'user.reclaimed',
  'user.password_changed',
  'user.factor_added',
  'user.factor_removed',
  'user.identity_linked',
  'user.identity_unlinked',
  'user.email_changed',
  'user.email_change_undone',
  'user.disabled',
  'user.enabled',
  'user.deleted',
  'session.reuse_detected',
  'tenant.created',
  'tenant.updated',
  'tenant.deleted',
  'tenant.user_added',
  'tenant.user_removed',
  'tenant.role_changed',
  'invitation.created',
  'invitation.accepted',
  'invitation.revoked',
] as const

export const isEvent = (type: string): type is Event['type'] =>
  (eventTypes as readonly string[]).includes(type)

/** A change that webhooks and the management API report. It contains ids only. */
export interface Event {
  type: (typeof eventTypes)[number]
  userId?: string
  tenantId?: string
  invitationId?: string
  sessionId?: string
  identityId?: string
  /** The API key that has caused it. */
  apiKey?: string
}

/** The part of a database that decides who receives its events. */
export type EventSource = Pick<Database, 'id' | 'webhookUrl' | 'eventsKept'>

/** Returns the messages of events, to be written with their change. Returns none if the database has no receiver. */
export function eventMessages(
  { id: databaseId, webhookUrl, eventsKept }: EventSource,
  createdAt: Date,
  events: readonly Event[],
): readonly NewMessage[] {
  const kinds = [...(webhookUrl === null ? [] : ['webhook']), ...(eventsKept > 0 ? ['kept'] : [])]
  return events.flatMap((event) => {
    const message = {
      databaseId,
      id: uuidv7(),
      userId: event.userId ?? null,
      payload: { ...event },
      createdAt,
    }
    return kinds.map((kind) => ({
      ...message,
      kind,
      dueAt: kind === 'webhook' ? createdAt : null,
      // A reader of kept events may have seen the earlier one.
      isMerged: kind === 'webhook' && event.type === 'user.updated',
    }))
  })
}

/** Returns what `context.deliver` needs after a change that may have caused events. */
export const eventChannels = ({ id: databaseId, webhookUrl }: EventSource) =>
  webhookUrl === null ? [] : [{ databaseId, kind: 'webhook' }]

/** Returns the events of a sign-up. */
export const signUpEvents = (userId: string, tenantId: string | undefined): Event[] => [
  { type: 'user.created', userId },
  ...(tenantId === undefined
    ? []
    : ([
        { type: 'tenant.created', tenantId, userId },
        { type: 'tenant.user_added', tenantId, userId },
      ] as const)),
]

/** Returns an event in the payload structure of Standard Webhooks. Webhooks and lists share it. */
export function eventBody(databaseId: string, payload: unknown, createdAt: Date) {
  const { type, ...ids } = payload as Event
  return { type, timestamp: createdAt.toISOString(), data: { databaseId, ...ids } }
}
