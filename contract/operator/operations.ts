import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import { body, PageQuery, strict } from '../management/fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { next } from '../page.js'
import { component, field } from '../registry.js'
import { Confirmation } from '../second-factor.js'
import {
  ConfirmationHeaders,
  DatabasePath,
  operatorDatabasePath,
  operatorProblems,
  operatorWriteProblems,
  timeOf,
} from './fields.js'

const c = initContract()

/** A mail or an event that was not delivered yet. */
export const Delivery = component(
  { id: 'Delivery', description: 'A mail or an event that was not delivered yet.' },
  z.object({
    id: field('ID of the message.', z.uuid()),
    kind: field('`mail` or `webhook`.', z.string(), { examples: ['mail'] }),
    type: field('What it says: the type of the mail or of the event.', z.string(), {
      examples: ['user.created'],
    }),
    userId: field('The user whom it concerns, or null.', z.uuid().nullable()),
    createdAt: timeOf('When it was caused.'),
    nextAt: field('When it is sent next. Null: it waits for an operator.', z.iso.datetime().nullable()),
    attempts: field('Number of attempts.', z.int(), { format: 'int32' }),
    lastError: field('Why the last attempt has failed, or null.', z.string().nullable()),
  }),
)
export type Delivery = z.infer<typeof Delivery>

export const DeliveryList = component(
  { id: 'DeliveryList', description: 'A page of messages.' },
  z.object({ deliveries: field('The messages, the oldest first.', z.array(Delivery)), next: next() }),
)
export type DeliveryList = z.infer<typeof DeliveryList>

export const ListDeliveriesQuery = strict({
  ...PageQuery.shape,
  waiting: field('`true`: only those that wait for an operator.', z.enum(['true', 'false']).optional()),
})
export type ListDeliveriesQuery = z.infer<typeof ListDeliveriesQuery>

export const DeliveryChangeBody = body(
  { id: 'DeliveryChangeBody', description: 'Which messages.', example: { id: null } },
  { id: field('A message. Null: all that wait for an operator.', z.uuid().nullable()) },
)
export type DeliveryChangeBody = z.infer<typeof DeliveryChangeBody>

export const ChangedDeliveries = component(
  { id: 'ChangedDeliveries', description: 'What was changed.' },
  z.object({ messages: field('Number of messages.', z.int(), { format: 'int32' }) }),
)
export type ChangedDeliveries = z.infer<typeof ChangedDeliveries>

const deliveriesPath = `${operatorDatabasePath}/deliveries` as const

export const operations = c.router({
  beginImport: {
    method: 'POST',
    path: `${operatorDatabasePath}/imports`,
    pathParams: DatabasePath,
    headers: ConfirmationHeaders,
    body: c.noBody(),
    responses: { 201: Confirmation, ...failures('step_up_required', ...operatorWriteProblems) },
    summary: 'Begin an import',
    description:
      'Returns a confirmation for `importUsers` in this database. It is valid for 6 hours, and confirms nothing else.',
    metadata: {
      who: { operator: 'admin', in: 'workspace' },
      confirms: 'always',
      records: { words: 'began an import' },
      isOwn: true,
    },
  },
  listDeliveries: {
    method: 'GET',
    path: deliveriesPath,
    pathParams: DatabasePath,
    query: ListDeliveriesQuery,
    responses: { 200: DeliveryList, ...failures(...operatorProblems) },
    summary: 'List deliveries',
    description: 'Returns mails and events that were not delivered yet, without their content.',
    metadata: { who: { operator: 'member', in: 'workspace' } },
  },
  retryDeliveries: {
    method: 'POST',
    path: `${deliveriesPath}/retry`,
    pathParams: DatabasePath,
    body: DeliveryChangeBody,
    responses: { 200: ChangedDeliveries, ...failures('message_not_found', ...operatorWriteProblems) },
    summary: 'Deliver messages now',
    description: 'With all attempts again.',
    metadata: { who: { operator: 'support', in: 'workspace' }, records: { words: 'retried deliveries' } },
  },
  dropDeliveries: {
    method: 'POST',
    path: `${deliveriesPath}/drop`,
    pathParams: DatabasePath,
    body: DeliveryChangeBody,
    responses: { 200: ChangedDeliveries, ...failures('message_not_found', ...operatorWriteProblems) },
    summary: 'Delete messages',
    description: 'They are never delivered.',
    metadata: { who: { operator: 'admin', in: 'workspace' }, records: { words: 'dropped deliveries' } },
  },
} satisfies DescribedRoutes)
