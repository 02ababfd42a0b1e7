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

const listStatement = `
  SELECT database_id AS "databaseId", id, tenant_id AS "tenantId", connection_id AS "connectionId", issuer, subject,
    user_id AS "userId", email, name, proves_from AS "provesFrom"
  FROM usher.tenant_entry
  WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND id > $3::uuid ORDER BY id LIMIT $4::int`

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
