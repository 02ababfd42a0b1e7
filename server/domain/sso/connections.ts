import type { AddSsoConnectionBody, ChangeSsoConnectionBody, SsoConnection } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import type { TenantConnection as Row } from '../../store/generated/client.js'
import {
  deleteTenantConnection,
  findConnectionsOfTenant,
  findTenantConnection,
  insertTenantConnection,
  updateTenantConnection,
} from '../../store/queries/sso-connections.js'
import { endProofs, findTenantOfEntries } from '../../store/queries/sso-entries.js'
import { findSsoSettings } from '../../store/queries/sso-settings.js'
import type { MasterKeys, Queries } from '../../store/store.js'
import { type Change, type Outcome, runChange } from '../change.js'
import { callbackUrl } from '../connections/connection.js'
import {
  loginConnection,
  type TenantConnectionRow,
  tenantConnectionOf,
  tenantPresets,
} from '../connections/tenant-connection.js'
import type { AppContext } from '../context.js'
import { lockSealingKey } from '../keys/database-secrets.js'
import { openConnectionSecret, sealConnectionSecret } from '../keys/master-key.js'
import { invalidField, Problem, validationFailed } from '../problem.js'
import { checkConnection as requireKnownClient } from '../providers/exchange-code.js'
import { type DescribedConnection, describeTenantConnection } from './describe.js'
import { revokeTokens } from './entries.js'
import {
  createBySetup,
  lockSetup,
  mailingOwners,
  requireConfirmedSetup,
  requireSetup,
  type SetupRequest,
} from './setup.js'

/** Connections that a tenant may have. */
export const maxConnections = 5

type OfConnection<Body = unknown> = SetupRequest<Body, { connectionId: string }>

/** Returns the body of a connection. @param url that of the database */
export const connectionBody = (connection: TenantConnectionRow, url: string): SsoConnection => ({
  id: connection.id,
  title: connection.options.title ?? tenantPresets[connection.preset].title,
  preset: connection.preset,
  issuer: connection.issuer,
  clientId: connection.clientId,
  hd: connection.options.hd ?? null,
  scopes: connection.options.scopes ?? [],
  isEnabled: connection.isEnabled,
  hasSecret: connection.sealedSecret !== null,
  callbackUrl: callbackUrl(url, connection.id),
  createdAt: connection.createdAt.toISOString(),
  testedAt: connection.testedAt?.toISOString() ?? null,
})

/** Returns the connections of a tenant that this version knows. */
export const listConnectionsOfTenant = async (store: Queries, key: Pick<Row, 'databaseId' | 'tenantId'>) =>
  (await findConnectionsOfTenant(store, key)).flatMap((row) => tenantConnectionOf(row) ?? [])

/** Returns a connection of a tenant. @throws {Problem} `connection_not_found`, also for one of another tenant */
async function requireConnection(
  store: Queries,
  { database, params }: Pick<OfConnection, 'database' | 'params'>,
) {
  const row = await findTenantConnection(store, { databaseId: database.id, id: params.connectionId })
  const connection = row?.tenantId === params.tenantId ? tenantConnectionOf(row) : undefined
  if (connection) return connection
  throw new Problem('connection_not_found', {
    detail: `Tenant ${params.tenantId} has no connection ${params.connectionId}.`,
  })
}

/** Asks the provider whether it knows a client. @throws {Problem} `connection_invalid` with what to correct */
function requireClient(
  { providers }: AppContext,
  { database }: SetupRequest,
  { secret, ...connection }: TenantConnectionRow & { secret: string | null },
) {
  const redirectUri = callbackUrl(database.issuer, connection.id)
  return requireKnownClient(providers, { database, redirectUri }, { ...loginConnection(connection), secret })
}

const outcomeOf = <Result>({
  result,
  ...fact
}: {
  type: 'sso.connection_added' | 'sso.connection_set' | 'sso.connection_removed'
  tenantId: string
  connection: string
  result: Result
}): Outcome<Result> => ({
  result,
  facts: [fact],
  events: [{ type: 'sso.changed', tenantId: fact.tenantId }],
})

async function sealSecret(
  change: Change,
  masterKeys: MasterKeys,
  { id, secret }: { id: string; secret: string | null },
) {
  if (secret === null) return null
  const databaseId = change.database.id
  const masterKey = await lockSealingKey(change, masterKeys, databaseId)
  return sealConnectionSecret(masterKey, secret, { databaseId, name: id })
}

/**
 * Asks the provider whether it knows the client, and adds the connection. Servers offer it within 5 s.
 *
 * @throws {Problem} `connection_invalid`; `issuer_shared`; `sso_full`; `validation_failed` if the given id is in use
 */
export async function addSsoConnection(
  context: AppContext,
  request: SetupRequest<AddSsoConnectionBody>,
): Promise<SsoConnection> {
  await requireConfirmedSetup(context, request)
  const { database, params, body } = request
  const { id = uuidv7(), secret = null, ...given } = body
  const connection: TenantConnectionRow = {
    ...describeTenantConnection(given),
    databaseId: database.id,
    id,
    tenantId: params.tenantId,
    sealedSecret: null,
    isEnabled: true,
    createdAt: new Date(context.now()),
    testedAt: null,
  }
  return mailingOwners(context, request, (mailed) =>
    createBySetup(context, request, {
      operation: 'addSsoConnection',
      async prepare() {
        await requireClient(context, request, { ...connection, secret })
        return mailed((change) => storeConnection(change, context.store, { ...connection, secret }))
      },
      responseOf: (added: TenantConnectionRow) => connectionBody(added, database.issuer),
    }),
  )
}

async function storeConnection(
  change: Change,
  masterKeys: MasterKeys,
  { secret, ...connection }: TenantConnectionRow & { secret: string | null },
) {
  const { tenantId, id } = connection
  await lockSetup(change, tenantId)
  if ((await findConnectionsOfTenant(change, connection)).length >= maxConnections)
    throw new Problem('sso_full', { detail: `Tenant ${tenantId} already has ${maxConnections} connections.` })
  const sealedSecret = await sealSecret(change, masterKeys, { id, secret })
  const result = { ...connection, sealedSecret }
  const isAdded = await insertTenantConnection(change, result as Row)
  // A removed connection leaves its people, so that its tenant can add it again.
  const named = isAdded ? await findTenantOfEntries(change, connection) : undefined
  if (!isAdded || (named && named !== tenantId))
    throw validationFailed([invalidField('id', 'is already in use')])
  return outcomeOf({ type: 'sso.connection_added', tenantId, connection: id, result })
}

/** Returns a connection with what changes. A login has to succeed again with another issuer or client. */
function changed(former: TenantConnectionRow, body: ChangeSsoConnectionBody): TenantConnectionRow {
  const { isEnabled = former.isEnabled, secret: _, ...given } = body
  const { preset, issuer, clientId, options } = former
  const isElsewhere = given.issuer !== undefined || given.tid !== undefined
  const described: DescribedConnection = describeTenantConnection({
    // The kind follows from another issuer.
    ...(!isElsewhere && { preset }),
    ...{ issuer, clientId, ...options },
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  })
  const isSame = described.issuer === issuer && described.clientId === clientId
  return { ...former, ...described, isEnabled, testedAt: isSame ? former.testedAt : null }
}

/** Changes a connection, after the provider has accepted its client. @throws {Problem} `connection_not_found`, `connection_needed`, and those of {@link addSsoConnection} */
export async function changeSsoConnection(
  context: AppContext,
  request: OfConnection<ChangeSsoConnectionBody>,
): Promise<SsoConnection> {
  await requireConfirmedSetup(context, request)
  const { store } = context
  const { params, body, database } = request
  const { isEnabled: _, title: _title, ...client } = body
  const wanted = changed(await requireConnection(store, request), body)
  if (Object.keys(client).length > 0)
    await requireClient(context, request, { ...wanted, secret: secretOf(store, wanted, body) })
  let hasEnded = false
  const set = async (change: Change) => {
    await lockSetup(change, params.tenantId)
    const former = await requireConnection(change, request)
    const connection = changed(former, body)
    if (!connection.isEnabled) await requireOther(change, former)
    const { id, tenantId, databaseId } = connection
    hasEnded = former.issuer !== connection.issuer
    if (hasEnded) await endProofs(change, { databaseId, tenantId, connectionId: id }, change.now)
    if (body.secret !== undefined)
      connection.sealedSecret = await sealSecret(change, store, { id, secret: body.secret })
    await updateTenantConnection(change, connection as Row)
    return outcomeOf({ type: 'sso.connection_set', tenantId, connection: id, result: connection })
  }
  const result = await mailingOwners(context, request, (mailed) => runChange(context, request, mailed(set)))
  if (hasEnded) await revokeTokens(context, request, params.tenantId)
  return connectionBody(result, database.issuer)
}

/** Returns the secret of a client, or the one that replaces it. */
const secretOf = (
  masterKeys: MasterKeys,
  { databaseId, id, sealedSecret }: TenantConnectionRow,
  { secret }: Pick<ChangeSsoConnectionBody, 'secret'> = {},
) => {
  if (secret !== undefined) return secret
  return sealedSecret && openConnectionSecret(masterKeys, sealedSecret, { databaseId, name: id })
}

/** @throws {Problem} `connection_needed` if a tenant that requires single sign-on has no other connection. The tenant is locked. */
async function requireOther(
  change: Change,
  key: Pick<TenantConnectionRow, 'databaseId' | 'tenantId' | 'id'>,
) {
  const settings = await findSsoSettings(change, key)
  if (!settings?.ssoRequiredAt) return
  const usable = (await listConnectionsOfTenant(change, key)).filter(({ isEnabled }) => isEnabled)
  if (usable.length === 1 && usable[0]?.id === key.id)
    throw new Problem('connection_needed', {
      detail: `Tenant ${key.tenantId} requires single sign-on and has no other enabled connection.`,
    })
}

/** Removes a connection. Does nothing if there is none. @throws {Problem} `connection_needed` */
export async function removeSsoConnection(context: AppContext, request: OfConnection) {
  await requireConfirmedSetup(context, request)
  const { tenantId, connectionId: id } = request.params
  const remove = async (change: Change) => {
    await lockSetup(change, tenantId)
    const key = { databaseId: change.database.id, tenantId, id }
    await requireOther(change, key)
    const isRemoved = await deleteTenantConnection(change, key)
    if (!isRemoved) return { result: undefined, facts: [] }
    return outcomeOf({ type: 'sso.connection_removed', tenantId, connection: id, result: undefined })
  }
  await mailingOwners(context, request, (mailed) => runChange(context, request, mailed(remove)))
}

/** Asks the provider of a connection whether it knows the client. @throws {Problem} `connection_invalid`; `connection_not_found` */
export async function checkSsoConnection(context: AppContext, request: OfConnection) {
  await requireSetup(context, request)
  const connection = await requireConnection(context.store, request)
  await requireClient(context, request, { ...connection, secret: secretOf(context.store, connection) })
}
