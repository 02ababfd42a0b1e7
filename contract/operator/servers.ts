import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import { NoQuery } from '../management/fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { operatorProblems, timeOf } from './fields.js'

/** What a server does. */
export const ServerLoad = component(
  { id: 'ServerLoad', description: 'What a server does.' },
  z.object({
    queued: field('Passwords that wait to be hashed.', z.int(), { format: 'int32' }),
    queueSeconds: field('How long another one would wait.', z.number()),
    shed: field('Passwords that were rejected because the wait was too long.', z.int(), { format: 'int32' }),
    connections: field('Connections to the store that run a statement.', z.int(), { format: 'int32' }),
    oldestMessageSeconds: field('How long the oldest undelivered mail or event has been due.', z.number()),
    mailsSent: field('Mails that were sent.', z.int(), { format: 'int32' }),
    mailsFailed: field('Attempts to send a mail that have failed.', z.int(), { format: 'int32' }),
  }),
)
export type ServerLoad = z.infer<typeof ServerLoad>

/** A server, with all its processes. */
export const ServerInfo = component(
  { id: 'ServerInfo', description: 'A server, with all its processes.' },
  z.object({
    id: field('ID of the server. A restart changes it.', z.uuid()),
    name: field('Its host and port.', z.string(), { examples: ['web-1:3000'] }),
    version: field('Its version.', z.string(), { examples: ['0.2.0'] }),
    startedAt: timeOf('When it was started.'),
    seenAt: timeOf('When it has reported last.'),
    isSilent: field('Whether it has not reported for two minutes.', z.boolean()),
    load: field(
      'Its last report. Numbers of events are of the 15 seconds before.',
      ServerLoad.clone(undefined, { parent: true }),
    ),
    lastHour: field(
      'The maxima of an hour. Numbers of events are of the whole hour.',
      ServerLoad.clone(undefined, { parent: true }),
    ),
    maxQueueSeconds: field('The wait from which on passwords are rejected.', z.number()),
    maxConnections: field('Maximum number of connections. Null: the store is embedded.', z.int().nullable(), {
      format: 'int32',
    }),
  }),
)
export type ServerInfo = z.infer<typeof ServerInfo>

/** What an operator should do something about. */
export const Warning = component(
  { id: 'Warning', description: 'What an operator should do something about.' },
  z.object({
    code: field(
      'What is wrong.',
      z.enum([
        'server_silent',
        'versions_differ',
        'messages_wait',
        'mails_fail',
        'one_owner',
        'master_key_changes',
      ]),
      { isOpen: true },
    ),
    count: field('How many, or null.', z.int().nullable(), { format: 'int32' }),
    about: field('A server, versions, or the path of a database; or null.', z.string().nullable(), {
      examples: ['acme/app'],
    }),
  }),
)
export type Warning = z.infer<typeof Warning>

export const ServerList = component(
  { id: 'ServerList', description: 'The servers of the installation.' },
  z.object({
    servers: field('The servers, the oldest first.', z.array(ServerInfo)),
    warnings: field('What an operator should do something about.', z.array(Warning)),
  }),
)
export type ServerList = z.infer<typeof ServerList>

export const servers = initContract().router({
  listServers: {
    method: 'GET',
    path: '/operator/servers',
    query: NoQuery,
    responses: { 200: ServerList, ...failures(...operatorProblems) },
    summary: 'List servers',
    description:
      'Returns what each server has reported last. Servers report every 15 seconds. One that has not reported for a day is left out.',
    metadata: { who: { operator: 'member', in: 'installation' } },
  },
} satisfies DescribedRoutes)
