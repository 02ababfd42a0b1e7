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
import * as rules from '../management/connections.js'
import { etagOf, requireMatch } from '../management/etag.js'
import { unless } from '../problem.js'
import { checkConnection as requireKnownClient } from '../providers/exchange-code.js'
import type { OperatorDatabaseRequest } from './operator-request.js'

type OnConnection<Body = unknown> = OperatorDatabaseRequest<Body> & { params: { connection: string } }

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
  { database }: OperatorDatabaseRequest,
): Promise<ConnectionDetailsList> {
  const connections = await rules.listConnectionRows(context.store, database)
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
  return detailsOf(await rules.findConnection(store, database, params.connection), database.issuer)
}

/** Adds a connection, if the provider knows the client. */
export async function addConnection(
  context: AppContext,
  request: OperatorDatabaseRequest<AddConnectionBody>,
): Promise<ConnectionDetails> {
  const connection = describeConnection(request.body)
  const { issuer: url } = request.database
  return detailsOf(await rules.addConnection(context, request, { connection, url }), url)
}

type ChangeRequest = OnConnection<ChangeConnectionBody> & { headers: { 'if-match'?: string | undefined } }

/** Changes a connection. @throws {Problem} `connection_not_found`; `validation_failed`; `precondition_failed` */
export async function changeConnection(
  context: AppContext,
  request: ChangeRequest,
): Promise<ConnectionDetails> {
  const { database, params, body, headers } = request
  const wanted = {
    name: params.connection,
    changes: body,
    require: (former: Connection) =>
      requireMatch(headers['if-match'], etagOf(settingsOf(former), connectionFields)),
  }
  const changed = await runChange(context, request, (change) =>
    rules.setConnection(change, context.store, wanted),
  )
  return detailsOf(changed, database.issuer)
}

/** Removes a connection. Does nothing if there is none. */
export const removeConnection = (context: AppContext, request: OnConnection) =>
  runChange(context, request, (change) => rules.removeConnection(change, request.params.connection)).catch(
    unless('connection_not_found'),
  )

/** Asks the provider of a connection whether it knows the client. */
export async function checkConnection(context: AppContext, { database, params }: OnConnection) {
  const connection = await rules.findWithSecret(context.store, database, params.connection)
  await requireKnownClient(context.providers, { database, url: database.issuer }, connection)
}
