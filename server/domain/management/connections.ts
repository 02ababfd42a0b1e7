import {
  deleteConnection,
  findConnections,
  insertConnection,
  updateConnection,
} from '../../store/queries/connections.js'
import { lockSigningKeys } from '../../store/queries/keys.js'
import type { MasterKeys, Queries, Store } from '../../store/store.js'
import type { Change, Outcome } from '../change.js'
import { type Connection, type ConnectionOptions, connectionOf } from '../connections/connection.js'
import { nameOfDatabase } from '../database-name.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { lockSealingKey } from '../keys/database-secrets.js'
import { openConnectionSecret, sealConnectionSecret } from '../keys/master-key.js'
import { Problem } from '../problem.js'
import { exchangeCode } from '../providers/exchange-code.js'
import type { Providers } from '../providers/find-provider.js'
import { withinTime } from '../providers/identify.js'
import { ProviderError } from '../providers/provider-error.js'

/** Connections that a database may have. */
const maxConnections = 20

/** A connection, and the secret of its client. Null: the client has none. */
export interface NewConnection
  extends Pick<Connection, 'name' | 'preset' | 'issuer' | 'clientId' | 'options'> {
  secret: string | null
}

/**
 * Adds a connection. Servers offer it within 5 s.
 *
 * @throws {Problem} if the database has one of that name, or the maximum number
 */
export async function addConnection(
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
  const id = { databaseId: database.id, name }
  const sealedSecret =
    secret === null
      ? null
      : sealConnectionSecret(await lockSealingKey(change, masterKeys, database.id), secret, id)
  const connection = { ...described, ...id, sealedSecret, isEnabled: true, createdAt: now }
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
export async function requireConnectionRow(store: Store, database: RuleDatabase, name: string) {
  const row = await requireRow(store, database, name)
  const { sealedSecret, databaseId } = row
  const secret = sealedSecret && openConnectionSecret(store, sealedSecret, { databaseId, name })
  return { ...row, secret: secret || null }
}

async function requireRow(store: Queries, database: RuleDatabase, name: string): Promise<Connection> {
  const row = (await listConnectionRows(store, database)).find((each) => each.name === name)
  if (row) return row
  throw new Problem('connection_not_found', {
    detail: `${nameOfDatabase(database)} has no connection ${name}.`,
  })
}

/** What an operator can change of a connection. Options that are given replace the former ones. */
export interface ConnectionChanges extends Partial<Pick<Connection, 'clientId' | 'isEnabled'>> {
  secret?: string
  options: ConnectionOptions
}

/** Changes a connection. @throws {Problem} `connection_not_found` */
export async function setConnection(
  change: Change,
  masterKeys: MasterKeys,
  { name, changes: { secret, options, ...fields } }: { name: string; changes: ConnectionChanges },
): Promise<Outcome<Connection>> {
  const { database } = change
  const masterKey = await lockSealingKey(change, masterKeys, database.id)
  const former = await requireRow(change, database, name)
  const id = { databaseId: database.id, name }
  const changed = {
    ...former,
    ...fields,
    ...(secret !== undefined && { sealedSecret: sealConnectionSecret(masterKey, secret, id) }),
    options: { ...former.options, ...options },
  }
  await updateConnection(change, changed)
  return { result: changed, facts: [{ type: 'connection.set', connection: name }] }
}

/**
 * Removes a connection. The identities of its users stay, and count again if it is added again.
 *
 * @throws {Problem} `connection_not_found`
 */
export async function removeConnection(change: Change, name: string): Promise<Outcome<undefined>> {
  const { database } = change
  await requireRow(change, database, name)
  await deleteConnection(change, { databaseId: database.id, name })
  return { result: undefined, facts: [{ type: 'connection.removed', connection: name }] }
}

/**
 * Asks the provider of a connection whether it is one, and whether it knows the client: a made-up code must be rejected as a code.
 *
 * @throws {Problem} `connection_invalid` with what to correct
 */
export async function checkConnection(
  providers: Providers,
  connection: Pick<Connection, 'name' | 'preset' | 'issuer' | 'clientId' | 'options'> & {
    secret: string | null
  },
  { database, redirectUri }: { database: RuleDatabase; redirectUri: string },
) {
  if (database.appUrl === null && database.loginRedirects.length === 0)
    throw new Problem('connection_invalid', {
      detail: 'Logins have nowhere to return to. Set --app-url or --login-redirects of the database first.',
    })
  const row: Connection = {
    ...connection,
    databaseId: database.id,
    sealedSecret: null,
    isEnabled: true,
    createdAt: new Date(0),
  }
  const ask = async (signal: AbortSignal) => {
    const provider = await providers.find(row)
    const grant = { code: 'usher-check', redirectUri, pkceVerifier: 'usher-check'.padEnd(43, '-'), signal }
    await exchangeCode(providers.fetch, provider, {
      ...grant,
      connection: row,
      secret: connection.secret ?? undefined,
    })
  }
  await withinTime(ask).catch((error) => {
    if (!(error instanceof ProviderError)) throw error
    if (error.code !== 'code_invalid')
      throw new Problem('connection_invalid', { detail: `${error.message}.`, cause: error })
  })
}
