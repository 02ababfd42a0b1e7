import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../../store/generated/client.js'
import type { NewMessage } from '../../store/queries/outbox.js'

/** The events, with the ids in their data and when they happen. */
export const eventTypes = {
  'user.created': { ids: ['userId'], when: 'a user signed up, or the operator created one' },
  'user.updated': {
    ids: ['userId'],
    when: 'the preferred name, the locale or the address of a user has changed',
  },
  'user.email_verified': {
    ids: ['userId'],
    when: 'a user verified the address, with the code of a verification, a password reset, a login by mail or an invitation',
  },
  'user.reclaimed': {
    ids: ['userId'],
    when: 'the owner of an address that was never verified has proven to receive mail there, and got the account: its sessions have ended, and the former password does not work',
  },
  'user.password_changed': { ids: ['userId'], when: 'a user has a new password' },
  'user.factor_added': { ids: ['userId'], when: 'a second factor or a passkey of a user was added' },
  'user.factor_removed': { ids: ['userId'], when: 'a second factor or a passkey of a user was removed' },
  'user.identity_linked': {
    ids: ['userId', 'identityId'],
    when: 'an identity of a provider was linked to a user',
  },
  'user.identity_unlinked': {
    ids: ['userId', 'identityId'],
    when: 'an identity of a provider was removed from a user',
  },
  'user.email_changed': {
    ids: ['userId'],
    when: 'the address of a user was changed, by a code or by the operator',
  },
  'user.email_change_undone': {
    ids: ['userId'],
    when: 'a user restored a former address by the code in the mail to it, and has no password',
  },
  'user.disabled': { ids: ['userId'], when: 'the operator has disabled a user' },
  'user.enabled': { ids: ['userId'], when: 'the operator has enabled a user again' },
  'user.deleted': { ids: ['userId'], when: 'a user was deleted, by the operator or by `deleteMe`' },
  'session.reuse_detected': {
    ids: ['userId', 'sessionId'],
    when: 'a refresh token was used again after its successor, so the session has ended: the token may be stolen',
  },
  'tenant.created': {
    ids: ['tenantId', 'userId'],
    when: 'a sign-up, `createTenant` or the operator created a tenant. That of the operator has no user',
  },
  'tenant.updated': { ids: ['tenantId'], when: 'a tenant was changed, such as its name' },
  'tenant.deleted': {
    ids: ['tenantId'],
    when: 'a tenant was deleted, or its last user left or deleted the account',
  },
  'tenant.user_added': { ids: ['tenantId', 'userId'], when: 'a user joined a tenant' },
  'tenant.user_removed': {
    ids: ['tenantId', 'userId'],
    when: 'a user left a tenant, or the tenant was deleted',
  },
  'tenant.role_changed': { ids: ['tenantId', 'userId'], when: 'a member has another role' },
  'sso.changed': { ids: ['tenantId'], when: 'the single sign-on of a tenant was changed' },
  'sso.domain_proven': { ids: ['tenantId', 'domain'], when: 'a mail domain of a tenant was proven' },
  'sso.domain_lost': {
    ids: ['tenantId', 'domain'],
    when: 'a tenant has lost a mail domain, because its record was missing for 14 days or another tenant has proven it',
  },
  'sso.entry_ended': {
    ids: ['tenantId', 'userId'],
    when: 'a member was unlinked from the person whom the provider of a tenant names: what the person has opened has ended',
  },
  'invitation.created': {
    ids: ['tenantId', 'invitationId'],
    when: 'an address was invited, or invited again',
  },
  'invitation.accepted': {
    ids: ['tenantId', 'invitationId', 'userId'],
    when: 'a user accepted an invitation, with an account or by a sign-up',
  },
  'invitation.revoked': {
    ids: ['tenantId', 'invitationId'],
    when: 'an invitation was revoked. One that expires causes no event',
  },
} as const

export const isEvent = (type: string): type is Event['type'] => Object.hasOwn(eventTypes, type)

/** A change that webhooks and the management API report. It contains ids only. */
export interface Event {
  type: keyof typeof eventTypes
  userId?: string
  tenantId?: string
  invitationId?: string
  sessionId?: string
  identityId?: string
  domain?: string
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
