import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath } from '../database-path.js'
import { failures } from '../failures.js'
import { instant } from '../fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { keyProblems, managementPath, strict } from './fields.js'
import { followed, nextPlace } from './followed.js'

const c = initContract()

const id = (description: string) => field(description, z.uuid().optional())

/** An event, as a webhook receives it. */
export const ListedEvent = component(
  {
    id: 'ListedEvent',
    description: 'An event, as a webhook receives it. The id equals the `webhook-id` header.',
  },
  z.object({
    id: field('ID of the event. It may occur again; process it once.', z.uuid()),
    type: field('Type of the event.', z.string(), { examples: ['user.created'] }),
    timestamp: instant('Time of the change'),
    data: field(
      'The ids of the objects that the change concerns.',
      z.object({
        databaseId: field('ID of the database.', z.uuid()),
        userId: id('ID of the user.'),
        tenantId: id('ID of the tenant.'),
        invitationId: id('ID of the invitation.'),
        sessionId: id('ID of the session.'),
        apiKey: field('ID of the API key that made the change, if one did.', z.string().optional()),
      }),
    ),
  }),
)

/** Response of `listEvents`. */
export const EventList = component(
  { id: 'EventList', description: 'The events after a cursor.' },
  z.object({
    events: field('The events of a user are in the order of the changes.', z.array(ListedEvent)),
    ...nextPlace('events'),
  }),
)
export type EventList = z.infer<typeof EventList>

/** Query of `listEvents`. */
export const ListEventsQuery = strict(followed('event'))
export type ListEventsQuery = z.infer<typeof ListEventsQuery>

export const events = c.router({
  listEvents: {
    method: 'GET',
    path: `${managementPath}/events`,
    pathParams: DatabasePath,
    query: ListEventsQuery,
    responses: { 200: EventList, ...failures('events_not_kept', 'cursor_expired', ...keyProblems) },
    summary: 'List events',
    description:
      'Returns the events that follow a cursor, each at least once and none skipped. They are kept for the days of the setting `--events-kept` of the database. A server that cannot hold the request returns an empty list with `Retry-After`.',
    metadata: { who: { key: 'events:read' }, mayAskToWait: true },
  },
} satisfies DescribedRoutes)
