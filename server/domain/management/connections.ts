import {
  type AddConnectionBody,
  type ChangeConnectionBody,
  type ConnectionDetails,
  type ConnectionDetailsList,
  connectionFields,
} from '@usher/contract/operator'
import {
  deleteConnection,
  findConnections,
  insertConnection,
  updateConnection,
} from '../../store/queries/connections.js'
import { lockSigningKeys } from '../../store/queries/keys.js'
import type { MasterKeys, Queries, Store } from '../../store/store.js'
import { type Change, type Outcome, runChange } from '../change.js'
import {
  type Connection,
  callbackUrl,
  connectionOf,
  describeConnection,
  type GivenOptions,
  type NewConnection,
  readClient,
} from '../connections/connection.js'
import { presets } from '../connections/presets.js'
import type { AppContext } from '../context.js'
import { nameOfDatabase } from '../database-name.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { lockSealingKey } from '../keys/database-secrets.js'
import { openConnectionSecret, sealConnectionSecret } from '../keys/master-key.js'
import { Problem, unless } from '../problem.js'
import { checkConnection as requireKnownClient } from '../providers/exchange-code.js'
import type { DatabaseRequest } from '../request.js'
import { etagOf, requireMatch } from './etag.js'

/** Connections that a database may have. */
export const maxConnections = 20

/**
 * Stores a connection.
 *
 * @throws {Problem} if the database has one of that name, or the maximum number
 */
export async function storeConnection(
  change: Change,
  masterKeys: MasterKeys,
  { secret, ...described }: NewConnection,
): Promise<Outcome<Connection>> {
  const { database, now } = change
  const { name } = described
  await lockSigningKeys(change, database.id)
  if ((await findConnections(change, database.id)).length >= maxConnections)
    throw new Problem('too_many_connections', {
      detail: `Database ${nameOfDatabase(database)} already has the maximum of ${maxConnections} connections.`,
      about: nameOfDatabase(database),
    })
  const sealedSecret = secret === null ? null : await sealSecret(change, masterKeys, { name, secret })
  const connection = {
    ...described,
    databaseId: database.id,
    sealedSecret,
    isEnabled: true,
    createdAt: now,
  }
  if (!(await insertConnection(change, connection)))
    throw new Problem('connection_exists', {
      detail: `Connection ${name} already exists in ${nameOfDatabase(database)}.`,
    })
  return { result: connection, facts: [{ type: 'connection.added', connection: name }] }
}

/** Returns all connections of a database, also disabled ones. */
const listConnectionRows = async (store: Queries, { id }: Pick<RuleDatabase, 'id'>): Promise<Connection[]> =>
  (await findConnections(store, id)).flatMap((row) => connectionOf(row) ?? [])

/** Returns a connection with the secret of its client. @throws {Problem} `connection_not_found` */
async function findWithSecret(store: Store, database: RuleDatabase, name: string) {
  const row = await findConnection(store, database, name)
  const { sealedSecret, databaseId } = row
  const secret = sealedSecret && openConnectionSecret(store, sealedSecret, { databaseId, name })
  return { ...row, secret: secret || null }
}

/** Returns a connection. @throws {Problem} `connection_not_found` */
async function findConnection(store: Queries, database: RuleDatabase, name: string): Promise<Connection> {
  const row = (await listConnectionRows(store, database)).find((each) => each.name === name)
  if (row) return row
  throw new Problem('connection_not_found', {
    detail: `${nameOfDatabase(database)} has no connection ${name}.`,
  })
}

/** What an operator can change of a connection. An undefined field does not change. */
interface ConnectionChanges extends GivenOptions {
  clientId?: string | undefined
  isEnabled?: boolean | undefined
  secret?: string | null | undefined
}

interface WantedChanges {
  name: string
  changes: ConnectionChanges
  /** Throws if the connection must not change. It is locked. */
  require?: (connection: Connection) => void
}

/** Changes a connection. @throws {Problem} `connection_not_found`; `validation_failed` */
async function setConnection(
  change: Change,
  masterKeys: MasterKeys,
  { name, changes: { isEnabled, ...given }, require }: WantedChanges,
): Promise<Outcome<Connection>> {
  const { database } = change
  // Two changes that are made at the same time do not both replace the same row.
  await lockSigningKeys(change, database.id)
  const former = await findConnection(change, database, name)
  require?.(former)
  const { clientId, options } = former
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const { secret, ...client } = readClient(former.preset, { clientId, ...options, ...present })
  const changed = {
    ...former,
    ...client,
    ...(isEnabled !== undefined && { isEnabled }),
    ...(secret !== undefined && {
      sealedSecret: await sealSecret(change, masterKeys, { name, secret }),
    }),
  }
  await updateConnection(change, changed)
  return { result: changed, facts: [{ type: 'connection.set', connection: name }] }
}

async function sealSecret(
  change: Change,
  masterKeys: MasterKeys,
  { name, secret }: { name: string; secret: string },
) {
  const databaseId = change.database.id
  const masterKey = await lockSealingKey(change, masterKeys, databaseId)
  return sealConnectionSecret(masterKey, secret, { databaseId, name })
}

type OnConnection<Body = unknown> = DatabaseRequest<Body> & { params: { connection: string } }

/** Returns what can be changed of a connection, with the defaults. */
const settingsOf = ({ clientId, isEnabled, options }: Connection) => ({
  clientId,
  isEnabled,
  title: options.title ?? null,
  scopes: options.scopes ?? [],
  audiences: options.audiences ?? [],
  linkByEmail: options.linkByEmail ?? true,
  trustEmail: options.trustEmail ?? false,
  teamId: options.teamId ?? null,
  keyId: options.keyId ?? null,
})

/** Returns a connection without its secret. @param url that of the database */
const detailsOf = (connection: Connection, url: string): ConnectionDetails => ({
  name: connection.name,
  preset: connection.preset,
  issuer: connection.issuer,
  ...settingsOf(connection),
  hasSecret: connection.sealedSecret !== null,
  callbackUrl: callbackUrl(url, connection.name),
  createdAt: connection.createdAt.toISOString(),
})

/** Returns the connections of a database, and what can be added. */
export async function listConnectionDetails(
  context: AppContext,
  { database }: DatabaseRequest,
): Promise<ConnectionDetailsList> {
  const connections = await listConnectionRows(context.store, database)
  return {
    connections: connections.map((each) => detailsOf(each, database.issuer)),
    presets: Object.entries(presets).map(([name, { title, issuer, signsSecret = false }]) => ({
      name,
      title,
      issuer,
      signsSecret,
    })),
    callbackUrl: callbackUrl(database.issuer, '{name}'),
  }
}

/** Returns a connection. @throws {Problem} `connection_not_found` */
export async function getConnection(
  { store }: AppContext,
  { database, params }: OnConnection,
): Promise<ConnectionDetails> {
  return detailsOf(await findConnection(store, database, params.connection), database.issuer)
}

/** Asks the provider whether it knows the client, and adds the connection. Servers offer it within 5 s. @throws {Problem} `connection_invalid` */
export async function addConnection(
  context: AppContext,
  request: DatabaseRequest<AddConnectionBody>,
): Promise<ConnectionDetails> {
  const { database, body } = request
  const { issuer: url } = database
  const described = describeConnection(body)
  const redirectUri = callbackUrl(url, described.name)
  await requireKnownClient(context.providers, { database, redirectUri }, described)
  const added = await runChange(context, request, (change) =>
    storeConnection(change, context.store, described),
  )
  return detailsOf(added, url)
}

type ConnectionChange = OnConnection<ChangeConnectionBody> & { headers: { 'if-match'?: string | undefined } }

/** Changes a connection. @throws {Problem} `connection_not_found`; `validation_failed`; `precondition_failed` */
export async function changeConnection(
  context: AppContext,
  request: ConnectionChange,
): Promise<ConnectionDetails> {
  const { database, params, body, headers } = request
  const wanted = {
    name: params.connection,
    changes: body,
    require: (former: Connection) =>
      requireMatch(headers['if-match'], etagOf(settingsOf(former), connectionFields)),
  }
  const changed = await runChange(context, request, (change) => setConnection(change, context.store, wanted))
  return detailsOf(changed, database.issuer)
}

/** Removes a connection. The identities of its users stay, and count again if it is added again. Does nothing if there is none. */
export async function removeConnection(context: AppContext, request: OnConnection) {
  const { connection: name } = request.params
  await runChange(context, request, async (change) => {
    await findConnection(change, change.database, name)
    await deleteConnection(change, { databaseId: change.database.id, name })
    return { result: undefined, facts: [{ type: 'connection.removed', connection: name }] }
  }).catch(unless('connection_not_found'))
}

/** Asks the provider of a connection whether it knows the client. */
export async function checkConnection(context: AppContext, { database, params }: OnConnection) {
  const connection = await findWithSecret(context.store, database, params.connection)
  const redirectUri = callbackUrl(database.issuer, connection.name)
  await requireKnownClient(context.providers, { database, redirectUri }, connection)
}
