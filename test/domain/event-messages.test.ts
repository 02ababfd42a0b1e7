import { expect, it } from 'vitest'
import { eventBody, eventChannels, eventMessages, signUpEvents } from '../../server/domain/events/events.js'

const createdAt = new Date('2026-03-01T12:00:00Z')
const nobody = { id: 'database', webhookUrl: null, eventsKept: 0 }
const webhookUrl = 'https://app.example.com/hook'
const events = [
  { type: 'user.updated', userId: 'ada' },
  { type: 'tenant.created', tenantId: 'engines', apiKey: 'key' },
] as const

it.for([
  ['nobody', {}, []],
  ['a webhook', { webhookUrl }, ['webhook']],
  ['the list of events', { eventsKept: 1 }, ['kept']],
  ['a webhook and the list', { webhookUrl, eventsKept: 7 }, ['webhook', 'kept']],
] as const)('stores each event once for each receiver: %s', ([, change, kinds]) => {
  const messages = eventMessages({ ...nobody, ...change }, createdAt, events)
  expect(messages.map(({ kind }) => kind)).toEqual([...kinds, ...kinds])
  const ids = messages.map(({ id }) => id)
  expect(new Set(ids.slice(0, kinds.length)).size).toBe(Math.min(kinds.length, 1))
  expect(new Set(ids).size).toBe(Math.min(kinds.length, 1) * 2)
})

it('only a webhook has events that are due, and merges updates of a user', () => {
  const messages = eventMessages({ ...nobody, webhookUrl, eventsKept: 1 }, createdAt, events)
  const updated = { databaseId: 'database', userId: 'ada', payload: events[0], createdAt }
  const created = { databaseId: 'database', userId: null, payload: events[1], createdAt }
  expect(messages).toMatchObject([
    { ...updated, kind: 'webhook', dueAt: createdAt, isMerged: true },
    { ...updated, kind: 'kept', dueAt: null, isMerged: false },
    { ...created, kind: 'webhook', dueAt: createdAt, isMerged: false },
    { ...created, kind: 'kept', dueAt: null, isMerged: false },
  ])
})

it('only a database with a webhook has events to deliver', () => {
  expect(eventChannels(nobody)).toEqual([])
  expect(eventChannels({ ...nobody, webhookUrl })).toEqual([{ databaseId: 'database', kind: 'webhook' }])
})

it('a sign-up has the events of its tenant, if it has one', () => {
  expect(signUpEvents('ada', undefined)).toEqual([{ type: 'user.created', userId: 'ada' }])
  const ids = { userId: 'ada', tenantId: 'engines' }
  expect(signUpEvents('ada', 'engines')).toEqual([
    { type: 'user.created', userId: 'ada' },
    { type: 'tenant.created', ...ids },
    { type: 'tenant.user_added', ...ids },
  ])
})

it('the body of an event has its type, its time and its ids', () => {
  expect(eventBody('database', events[1], createdAt)).toEqual({
    type: 'tenant.created',
    timestamp: '2026-03-01T12:00:00.000Z',
    data: { databaseId: 'database', tenantId: 'engines', apiKey: 'key' },
  })
})
