import type { SsoPortal } from '../generated/client.js'
import type { Queries } from '../store.js'

type PortalKey = Pick<SsoPortal, 'databaseId' | 'id'>

/** What a portal allows in which tenant. */
export type FoundPortal = Pick<SsoPortal, 'id' | 'tenantId' | 'tokenHash' | 'mayRequire' | 'expiresAt'>

const columns = `id, tenant_id AS "tenantId", token_hash AS "tokenHash", may_require AS "mayRequire", expires_at AS "expiresAt"`

/** Adds the portal of a tenant, in place of a former one. */
export async function replacePortal({ query }: Queries, portal: Omit<SsoPortal, 'tokenHash'>) {
  await query(deleteStatement, [portal.databaseId, portal.tenantId])
  const { databaseId, id, tenantId, mayRequire, createdAt, expiresAt } = portal
  await query(insertStatement, [databaseId, id, tenantId, mayRequire, createdAt, expiresAt])
}

const deleteStatement = 'DELETE FROM usher.sso_portal WHERE database_id = $1::uuid AND tenant_id = $2::uuid'

const insertStatement = `
  INSERT INTO usher.sso_portal (database_id, id, tenant_id, may_require, created_at, expires_at)
  VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5::timestamptz, $6::timestamptz)`

/** Returns a portal, or undefined. */
export async function findPortal({ query }: Queries, { databaseId, id }: PortalKey) {
  const [portal] = await query<FoundPortal>(findStatement, [databaseId, id])
  return portal
}

const findStatement = `
  SELECT ${columns} FROM usher.sso_portal WHERE database_id = $1::uuid AND id = $2::uuid`

/** Stores the token of the first browser that opens a portal. Returns undefined if it was opened, or has expired. */
export async function openPortal(
  { query }: Queries,
  { databaseId, id }: PortalKey,
  opened: { tokenHash: Uint8Array; now: Date },
) {
  const [portal] = await query<FoundPortal>(openStatement, [databaseId, id, opened.tokenHash, opened.now])
  return portal
}

const openStatement = `
  UPDATE usher.sso_portal SET token_hash = $3::bytea
  WHERE database_id = $1::uuid AND id = $2::uuid AND token_hash IS NULL AND expires_at > $4::timestamptz
  RETURNING ${columns}`
