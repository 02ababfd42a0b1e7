import { NIL } from 'uuid'
import type { TenantEntry } from '../generated/client.js'
import type { Queries } from '../store.js'
import type { Page } from './page.js'

type OfTenant = Pick<TenantEntry, 'databaseId' | 'tenantId'>

/** Returns the people whom the provider of a tenant has named, ordered by id. */
export const listEntryRows = (
  { query }: Queries,
  { databaseId, tenantId }: OfTenant,
  { limit, after = NIL }: Page<string>,
) => query<TenantEntry>(listStatement, [databaseId, tenantId, after, limit])

// With `tenant_id = $2`, Postgres may read the people of all tenants by the index on ids instead.
const listStatement = `
  SELECT database_id AS "databaseId", id, tenant_id AS "tenantId", connection_id AS "connectionId", issuer, subject,
    user_id AS "userId", email, name, proves_from AS "provesFrom"
  FROM usher.tenant_entry
  WHERE database_id = $1::uuid AND (tenant_id, id) > ($2::uuid, $3::uuid) AND tenant_id <= $2::uuid
  ORDER BY tenant_id, id LIMIT $4::int`

/** Returns the user of an entry of a tenant, or undefined. */
export async function findEntryUser(
  { query }: Queries,
  { databaseId, tenantId, id }: OfTenant & Pick<TenantEntry, 'id'>,
) {
  const [entry] = await query<Pick<TenantEntry, 'userId'>>(findUserStatement, [databaseId, tenantId, id])
  return entry?.userId
}

const findUserStatement = `
  SELECT user_id AS "userId" FROM usher.tenant_entry
  WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND id = $3::uuid`

/** Returns the tenant whose people a connection has named, which can have been removed since, or undefined. */
export async function findTenantOfEntries(
  { query }: Queries,
  { databaseId, id }: { databaseId: string; id: string },
) {
  const [entry] = await query<OfTenant>(findTenantStatement, [databaseId, id])
  return entry?.tenantId
}

const findTenantStatement = `
  SELECT tenant_id AS "tenantId" FROM usher.tenant_entry
  WHERE database_id = $1::uuid AND connection_id = $2::uuid ORDER BY issuer, subject LIMIT 1`

/** Ends the proofs of the people whom a tenant, or one connection of it, has named until now. Proofs are in whole seconds. */
export const endProofs = (
  { query }: Queries,
  { databaseId, tenantId, connectionId = null }: OfTenant & { connectionId?: string | null },
  now: Date,
) => query(endProofsStatement, [databaseId, tenantId, connectionId, nextSecond(now)])

const nextSecond = (now: Date) => new Date((Math.floor(now.getTime() / 1000) + 1) * 1000)

const endProofsStatement = `
  UPDATE usher.tenant_entry SET proves_from = $4::timestamptz
  WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND ($3::uuid IS NULL OR connection_id = $3::uuid)`

/** Removes an entry of a tenant. Returns its user, or undefined if there is none. */
export async function deleteEntry(
  { query }: Queries,
  { databaseId, tenantId, id }: OfTenant & Pick<TenantEntry, 'id'>,
) {
  const [entry] = await query<Pick<TenantEntry, 'userId'>>(deleteStatement, [databaseId, tenantId, id])
  return entry
}

const deleteStatement = `
  DELETE FROM usher.tenant_entry
  WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND id = $3::uuid RETURNING user_id AS "userId"`
