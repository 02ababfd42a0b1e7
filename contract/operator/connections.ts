import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import { body, IfMatchHeaders, NoQuery } from '../management/fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import {
  ConfirmationHeaders,
  DatabasePath,
  operatorDatabasePath,
  operatorProblems,
  operatorWriteProblems,
  timeOf,
} from './fields.js'

const c = initContract()

/** What is set of a connection. Its ETag is of these fields. */
const settings = {
  clientId: field('ID of the client at the provider.', z.string()),
  isEnabled: field('Whether users can log in with it.', z.boolean()),
  title: field('What a button shows. Null: the title of the preset.', z.string().nullable()),
  scopes: field('Requested scopes. Empty: those of the preset.', z.array(z.string())),
  audiences: field('Other client IDs whose ID tokens are accepted.', z.array(z.string())),
  linkByEmail: field('Whether a first login links the account with its address.', z.boolean()),
  trustEmail: field('Whether each address that the provider has verified proves its mailbox.', z.boolean()),
  teamId: field('Apple: team of the key that is the secret, or null.', z.string().nullable()),
  keyId: field('Apple: ID of the key that is the secret, or null.', z.string().nullable()),
}

/** Names of the fields that can be changed and read. The secret can only be written. */
export const connectionFields = Object.keys(settings) as (keyof typeof settings)[]

export const ConnectionDetails = component(
  { id: 'ConnectionDetails', description: 'A connection to a provider. Its secret is never shown.' },
  z.object({
    name: field('Name of the connection.', z.string(), { examples: ['google'] }),
    preset: field('Its preset.', z.string(), { examples: ['google'] }),
    issuer: field('Issuer of the provider.', z.string()),
    ...settings,
    hasSecret: field('Whether the client has a secret.', z.boolean()),
    callbackUrl: field('What to register at the provider.', z.string()),
    createdAt: timeOf('When it was added.'),
  }),
)
export type ConnectionDetails = z.infer<typeof ConnectionDetails>

const PresetInfo = component(
  { id: 'PresetInfo', description: 'A kind of provider.' },
  z.object({
    name: field('Name of the preset.', z.string(), { examples: ['google'] }),
    title: field('What a button shows.', z.string(), { examples: ['Google'] }),
    issuer: field('Issuer of the provider. Null: each connection has its own.', z.string().nullable()),
    signsSecret: field('Whether the secret is a private key, which needs `teamId` and `keyId`.', z.boolean()),
  }),
)

export const ConnectionDetailsList = component(
  { id: 'ConnectionDetailsList', description: 'The connections of a database.' },
  z.object({
    connections: field('The connections, in the order in which users see them.', z.array(ConnectionDetails)),
    presets: field('What can be added.', z.array(PresetInfo)),
    callbackUrl: field('Callback URL of a new connection, with `{name}` in place of its name.', z.string()),
  }),
)
export type ConnectionDetailsList = z.infer<typeof ConnectionDetailsList>

const secret = field('Secret of the client, or the private key that signs it.', z.string())

/** Fields of a request. An absent one does not change, and is the default in a new connection. */
const { isEnabled, ...given } = z.object({ ...settings, secret }).partial().shape

export const AddConnectionBody = body(
  {
    id: 'AddConnectionBody',
    description: 'A provider with which users log in.',
    example: { name: 'google', clientId: '123.apps.googleusercontent.com', secret: 'GOCSPX-4711' },
  },
  {
    ...given,
    name: field('Name of the connection. It cannot change.', z.string(), { examples: ['google'] }),
    preset: field('Kind of the provider. By default that of the name.', z.string().optional()),
    issuer: field('Issuer, if the preset has none or another one.', z.string().optional()),
    clientId: settings.clientId,
  },
)
export type AddConnectionBody = z.infer<typeof AddConnectionBody>

export const ChangeConnectionBody = body(
  {
    id: 'ChangeConnectionBody',
    description: 'What changes of a connection.',
    example: { isEnabled: false },
  },
  { ...given, isEnabled },
)
export type ChangeConnectionBody = z.infer<typeof ChangeConnectionBody>

const ConnectionPath = DatabasePath.extend({
  connection: field('Name of the connection.', z.string().max(63)),
})
const connectionsPath = `${operatorDatabasePath}/connections` as const
const connectionPath = `${connectionsPath}/:connection` as const

export const connections = c.router({
  listConnectionDetails: {
    method: 'GET',
    path: connectionsPath,
    pathParams: DatabasePath,
    query: NoQuery,
    responses: { 200: ConnectionDetailsList, ...failures(...operatorProblems) },
    summary: 'List connections',
    description: 'Returns the connections of a database to providers, without their secrets.',
    metadata: { who: { operator: 'member', in: 'workspace' } },
  },
  getConnection: {
    method: 'GET',
    path: connectionPath,
    pathParams: ConnectionPath,
    query: NoQuery,
    responses: { 200: ConnectionDetails, ...failures('connection_not_found', ...operatorProblems) },
    summary: 'Get a connection',
    description: 'The response has an ETag for `changeConnection`.',
    metadata: { who: { operator: 'member', in: 'workspace' }, changeable: connectionFields },
  },
  addConnection: {
    method: 'POST',
    path: connectionsPath,
    pathParams: DatabasePath,
    headers: ConfirmationHeaders,
    body: AddConnectionBody,
    responses: {
      201: ConnectionDetails,
      ...failures(
        'connection_invalid',
        'connection_exists',
        'too_many_connections',
        'step_up_required',
        ...operatorWriteProblems,
      ),
    },
    summary: 'Add a connection',
    description:
      'First asks the provider whether it knows the client, and adds nothing if not. Servers offer the connection within 5 seconds.',
    metadata: {
      who: { operator: 'admin', in: 'workspace' },
      confirms: 'always',
      records: { words: 'added a connection' },
    },
  },
  changeConnection: {
    method: 'PATCH',
    path: connectionPath,
    pathParams: ConnectionPath,
    headers: IfMatchHeaders.extend(ConfirmationHeaders.shape),
    body: ChangeConnectionBody,
    responses: {
      200: ConnectionDetails,
      ...failures(
        'connection_invalid',
        'step_up_required',
        'precondition_failed',
        'connection_not_found',
        ...operatorWriteProblems,
      ),
    },
    summary: 'Change a connection',
    description:
      'Servers apply it within 5 seconds. The ETag does not cover the secret, which nothing shows.',
    metadata: {
      who: { operator: 'admin', in: 'workspace' },
      confirms: 'always',
      records: { words: 'changed the connection' },
      changeable: connectionFields,
    },
  },
  removeConnection: {
    method: 'DELETE',
    path: connectionPath,
    pathParams: ConnectionPath,
    headers: ConfirmationHeaders,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures('step_up_required', ...operatorWriteProblems) },
    summary: 'Remove a connection',
    description:
      'The identities of its users stay, and count again if it is added again. Also succeeds if there is no such connection.',
    metadata: {
      who: { operator: 'admin', in: 'workspace' },
      confirms: 'always',
      records: { words: 'removed the connection' },
    },
  },
  checkConnection: {
    method: 'POST',
    path: `${connectionPath}/check`,
    pathParams: ConnectionPath,
    body: c.noBody(),
    responses: {
      204: c.noBody(),
      ...failures('connection_invalid', 'connection_not_found', ...operatorWriteProblems),
    },
    summary: 'Check a connection',
    description: 'Asks the provider whether it knows the client. A problem says what to correct.',
    metadata: { who: { operator: 'support', in: 'workspace' }, records: { words: 'checked the connection' } },
  },
} satisfies DescribedRoutes)
