import {
  deleteConnection,
  findConnections,
  insertConnection,
  updateConnection,
} from '../../store/queries/connections.js'
import { lockSigningKeys } from '../../store/queries/keys.js'
import type { MasterKeys, Queries, Store } from '../../store/store.js'
import { type Change, type ChangeContext, type ChangeRequest, type Outcome, runChange } from '../change.js'
import {
  type Connection,
  connectionOf,
  type GivenOptions,
  type NewConnection,
  readClient,
} from '../connections/connection.js'
import type { AppContext } from '../context.js'
import { nameOfDatabase } from '../database-name.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { lockSealingKey } from '../keys/database-secrets.js'
import { openConnectionSecret, sealConnectionSecret } from '../keys/master-key.js'
import { Problem } from '../problem.js'
import { checkConnection } from '../providers/exchange-code.js'

/** Connections that a database may have. */
export const maxConnections = 20

/**
 * Asks the provider whether it knows the client, and adds the connection. Servers offer it within 5 s.
 *
 * @param new.url URL of the database
 * @throws {Problem} `connection_invalid`, and as {@link storeConnection}
 */
export async function addConnection(
  context: ChangeContext & Pick<AppContext, 'store' | 'providers'>,
  request: ChangeRequest,
  { connection, url }: { connection: NewConnection; url: string },
): Promise<Connection> {
  await checkConnection(context.providers, { database: request.database, url }, connection)
  return runChange(context, request, (change) => storeConnection(change, context.store, connection))
}

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
export const listConnectionRows = async (
  store: Queries,
  { id }: Pick<RuleDatabase, 'id'>,
): Promise<Connection[]> => (await findConnections(store, id)).flatMap((row) => connectionOf(row) ?? [])

/** Returns a connection with the secret of its client. @throws {Problem} `connection_not_found` */
export async function findWithSecret(store: Store, database: RuleDatabase, name: string) {
  const row = await findConnection(store, database, name)
  const { sealedSecret, databaseId } = row
  const secret = sealedSecret && openConnectionSecret(store, sealedSecret, { databaseId, name })
  return { ...row, secret: secret || null }
}

/** Returns a connection. @throws {Problem} `connection_not_found` */
export async function findConnection(
  store: Queries,
  database: RuleDatabase,
  name: string,
): Promise<Connection> {
  const row = (await listConnectionRows(store, database)).find((each) => each.name === name)
  if (row) return row
  throw new Problem('connection_not_found', {
    detail: `${nameOfDatabase(database)} has no connection ${name}.`,
  })
}

/** What an operator can change of a connection. An undefined field does not change. */
export interface ConnectionChanges extends GivenOptions {
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
export async function setConnection(
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

/**
 * Removes a connection. The identities of its users stay, and count again if it is added again.
 *
 * @throws {Problem} `connection_not_found`
 */
export async function removeConnection(change: Change, name: string): Promise<Outcome<undefined>> {
  const { database } = change
  await findConnection(change, database, name)
  await deleteConnection(change, { databaseId: database.id, name })
  return { result: undefined, facts: [{ type: 'connection.removed', connection: name }] }
}
