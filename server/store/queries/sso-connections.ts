import type { TenantConnection } from '../generated/client.js'
import type { Queries } from '../store.js'

// The connections of tenants to their identity providers.

type ConnectionKey = Pick<TenantConnection, 'databaseId' | 'id'>

const columns = `database_id AS "databaseId", id, tenant_id AS "tenantId", preset, issuer, client_id AS "clientId",
    sealed_secret AS "sealedSecret", options, is_enabled AS "isEnabled", created_at AS "createdAt", tested_at AS "testedAt"`

/** Returns a connection of any tenant of a database. */
export async function findTenantConnection({ query }: Queries, { databaseId, id }: ConnectionKey) {
  const [row] = await query<TenantConnection>(findStatement, [databaseId, id])
  return row
}

const findStatement = `
  SELECT ${columns} FROM usher.tenant_connection WHERE database_id = $1::uuid AND id = $2::uuid`

/** Returns the connections of a tenant, in the order in which they were added. */
export const findConnectionsOfTenant = (
  { query }: Queries,
  { databaseId, tenantId }: Pick<TenantConnection, 'databaseId' | 'tenantId'>,
) => query<TenantConnection>(findOfTenantStatement, [databaseId, tenantId])

const findOfTenantStatement = `
  SELECT ${columns} FROM usher.tenant_connection
  WHERE database_id = $1::uuid AND tenant_id = $2::uuid ORDER BY created_at, id`

/** Notes that a login through a connection has succeeded. */
export const storeTested = ({ query }: Queries, { databaseId, id }: ConnectionKey, now: Date) =>
  query(testedStatement, [databaseId, id, now])

const testedStatement = `
  UPDATE usher.tenant_connection SET tested_at = $3::timestamptz WHERE database_id = $1::uuid AND id = $2::uuid`

const valuesOf = (connection: TenantConnection) => [
  connection.databaseId,
  connection.id,
  connection.preset,
  connection.issuer,
  connection.clientId,
  connection.sealedSecret,
  JSON.stringify(connection.options),
  connection.isEnabled,
]

/** Adds a connection. The tenant is locked. Returns false if a connection of the database has its id. */
export const insertTenantConnection = async ({ query }: Queries, connection: TenantConnection) =>
  (await query<object>(insertStatement, [...valuesOf(connection), connection.tenantId, connection.createdAt]))
    .length > 0

const insertStatement = `
  INSERT INTO usher.tenant_connection
    (database_id, id, preset, issuer, client_id, sealed_secret, options, is_enabled, tenant_id, created_at)
  VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6::bytea, $7::jsonb, $8, $9::uuid, $10::timestamptz)
  ON CONFLICT (database_id, id) DO NOTHING RETURNING 1`

/** Replaces what can be changed of a connection. A login with another issuer or client has to succeed again. */
export const updateTenantConnection = ({ query }: Queries, connection: TenantConnection) =>
  query(updateStatement, [...valuesOf(connection), connection.testedAt])

const updateStatement = `
  UPDATE usher.tenant_connection SET preset = $3, issuer = $4, client_id = $5, sealed_secret = $6::bytea, options = $7::jsonb,
    is_enabled = $8, tested_at = $9::timestamptz
  WHERE database_id = $1::uuid AND id = $2::uuid`

/** Removes a connection of a tenant. Returns whether there was one. */
export const deleteTenantConnection = async (
  { query }: Queries,
  { databaseId, tenantId, id }: ConnectionKey & Pick<TenantConnection, 'tenantId'>,
) => (await query<object>(deleteStatement, [databaseId, tenantId, id])).length > 0

const deleteStatement = `
  DELETE FROM usher.tenant_connection
  WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND id = $3::uuid RETURNING 1`

/** Returns the secrets of the connections of all tenants of a database. */
export const findSealedOfTenants = ({ query }: Queries, databaseId: string) =>
  query<ConnectionKey & { sealedSecret: Uint8Array }>(findSealedStatement, [databaseId])

const findSealedStatement = `
  SELECT database_id AS "databaseId", id, sealed_secret AS "sealedSecret" FROM usher.tenant_connection
  WHERE database_id = $1::uuid AND sealed_secret IS NOT NULL ORDER BY id`

/** Replaces the encrypted secret of a connection, unless it was changed since it was read. */
export const resealTenantConnection = (
  { query }: Queries,
  { databaseId, id, sealedSecret }: ConnectionKey & { sealedSecret: Uint8Array },
  resealed: Uint8Array,
) => query(resealStatement, [databaseId, id, sealedSecret, resealed])

const resealStatement = `
  UPDATE usher.tenant_connection SET sealed_secret = $4::bytea
  WHERE database_id = $1::uuid AND id = $2::uuid AND sealed_secret = $3::bytea`
