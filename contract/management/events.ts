import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath } from '../database-path.js'
import { failures } from '../failures.js'
import { failsWith } from '../field-errors.js'
import { instant } from '../fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { keyProblems, managementPath, page, strict } from './fields.js'

const c = initContract()

const id = (description: string) => field(description, z.uuid().optional())

/** An event, as a webhook gets it. */
export const ListedEvent = component(
  {
    id: 'ListedEvent',
    description: 'An event, as a webhook gets it. The id is that of the `webhook-id` header.',
  },
  z.object({
    id: field('ID of the event. It may occur again; process it once.', z.uuid()),
    type: field('Type of the event.', z.string(), { examples: ['user.created'] }),
    timestamp: instant('Time of the change'),
    data: field(
      'The ids of what the change concerns.',
      z.object({
        databaseId: field('ID of the database.', z.uuid()),
        userId: id('ID of the user.'),
        tenantId: id('ID of the tenant.'),
        sessionId: id('ID of the session.'),
        apiKey: field('ID of the API key that made the change, if one did.', z.string().optional()),
      }),
    ),
  }),
)
export type ListedEvent = z.infer<typeof ListedEvent>

/** Response of `listEvents`. */
export const EventList = component(
  { id: 'EventList', description: 'The events after a cursor.' },
  z.object({
    events: field('Those of a user are in the order of the changes.', z.array(ListedEvent)),
    next: field('The `after` of the next request, also if there are no events.', z.string(), {
      examples: ['Zx3b9QmWk1Lp.42'],
    }),
    moreAvailable: field('Whether the next request returns events immediately.', z.boolean()),
  }),
)
export type EventList = z.infer<typeof EventList>

const waitText = failsWith('invalid_type', 'must be a whole number from 0 to 25')

/** Query of `listEvents`. */
export const ListEventsQuery = strict({
  limit: page.limit,
  after: field(
    'Start after this place: `next` of an earlier response. Without it, start with the oldest event.',
    z
      .string()
      .regex(/^[\w-]{1,32}\.\d{1,15}$/, failsWith('invalid_type', 'must be `next` of an earlier response'))
      .optional(),
    { maxLength: 48 },
  ),
  wait: field(
    'Seconds to wait for an event if there is none, 0 to 25. Default: 0.',
    z
      .string(waitText)
      .regex(/^(?:\d|1\d|2[0-5])$/, waitText)
      .transform(Number)
      .optional(),
    { examples: ['25'], maxLength: 2 },
  ),
})
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
      'Returns the events that follow a cursor, each at least once and none skipped. They are kept for the days of the setting `--events-kept` of the database. A server that cannot let the request wait returns an empty list with `Retry-After`.',
    metadata: { scope: 'events:read', mayAskToWait: true },
  },
} satisfies DescribedRoutes)
