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
