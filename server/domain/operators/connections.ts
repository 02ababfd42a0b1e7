import {
  type AddConnectionBody,
  type ChangeConnectionBody,
  type ConnectionDetails,
  type ConnectionDetailsList,
  connectionFields,
} from '@usher/contract/operator'
import { runChange } from '../change.js'
import { type Connection, callbackUrl, describeConnection } from '../connections/connection.js'
import { presets } from '../connections/presets.js'
import type { AppContext } from '../context.js'
import {
  addConnection,
  findConnection,
  findWithSecret,
  listConnectionRows,
  removeConnection,
  setConnection,
} from '../management/connections.js'
import { etagOf, requireMatch } from '../management/etag.js'
import { unless } from '../problem.js'
import { checkConnection } from '../providers/exchange-code.js'
import { type InDatabase, type OperatorRequest, requestInDatabase } from './operator-request.js'

type Request<Body = unknown> = OperatorRequest<Body> & InDatabase
type OnConnection<Body = unknown> = Request<Body> & { params: { connection: string } }

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
  request: Request,
): Promise<ConnectionDetailsList> {
  const { database } = await requestInDatabase(context, request)
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
export async function getConnection(context: AppContext, request: OnConnection): Promise<ConnectionDetails> {
  const { database } = await requestInDatabase(context, request)
  const connection = await findConnection(context.store, database, request.params.connection)
  return detailsOf(connection, database.issuer)
}

/** Adds a connection, if the provider knows the client. */
export async function addDatabaseConnection(
  context: AppContext,
  request: Request<AddConnectionBody>,
): Promise<ConnectionDetails> {
  const connection = describeConnection(request.body)
  const change = await requestInDatabase(context, request)
  const { issuer: url } = change.database
  return detailsOf(await addConnection(context, change, { connection, url }), url)
}

type ChangeRequest = OnConnection<ChangeConnectionBody> & { headers: { 'if-match'?: string | undefined } }

/** Changes a connection. @throws {Problem} `connection_not_found`; `validation_failed`; `precondition_failed` */
export async function changeDatabaseConnection(
  context: AppContext,
  request: ChangeRequest,
): Promise<ConnectionDetails> {
  const { params, body, headers } = request
  const wanted = {
    name: params.connection,
    changes: body,
    require: (former: Connection) =>
      requireMatch(headers['if-match'], etagOf(settingsOf(former), connectionFields)),
  }
  const change = await requestInDatabase(context, request)
  const changed = await runChange(context, change, (inChange) =>
    setConnection(inChange, context.store, wanted),
  )
  return detailsOf(changed, change.database.issuer)
}

/** Removes a connection. Does nothing if there is none. */
export async function removeDatabaseConnection(context: AppContext, request: OnConnection) {
  const change = await requestInDatabase(context, request)
  const remove = runChange(context, change, (inChange) =>
    removeConnection(inChange, request.params.connection),
  )
  await remove.catch(unless('connection_not_found'))
}

/** Asks the provider of a connection whether it knows the client. */
export async function checkDatabaseConnection(context: AppContext, request: OnConnection) {
  const { database } = await requestInDatabase(context, request)
  const connection = await findWithSecret(context.store, database, request.params.connection)
  await checkConnection(context.providers, { database, url: database.issuer }, connection)
}
