import type { TenantConnection, TenantDomain } from '../generated/client.js'
import type { Queries } from '../store.js'

type OfTenant = Pick<TenantDomain, 'databaseId' | 'tenantId'>
type DomainKey = OfTenant & Pick<TenantDomain, 'domain'>

/** The state of a domain: see server/domain/sso/domains.ts. */
export type DomainState = 'pending' | 'proven' | 'missing' | 'lost'

export interface DomainRow extends TenantDomain {
  state: DomainState
}

const columns = `database_id AS "databaseId", tenant_id AS "tenantId", domain, token, state, created_at AS "createdAt",
    proven_at AS "provenAt", missing_since AS "missingSince", checked_at AS "checkedAt"`

/** Returns the domains of a tenant, in alphabetical order. */
export const findDomains = ({ query }: Queries, { databaseId, tenantId }: OfTenant) =>
  query<DomainRow>(findOfTenantStatement, [databaseId, tenantId])

const findOfTenantStatement = `
  SELECT ${columns} FROM usher.tenant_domain
  WHERE database_id = $1::uuid AND tenant_id = $2::uuid ORDER BY domain COLLATE "C"`

/** Returns a domain of a tenant, or undefined. */
export async function findDomain({ query }: Queries, { databaseId, tenantId, domain }: DomainKey) {
  const [row] = await query<DomainRow>(findStatement, [databaseId, tenantId, domain])
  return row
}

const findStatement = `
  SELECT ${columns} FROM usher.tenant_domain WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND domain = $3`

/** Returns the domain of the tenant to which it belongs, and locks it. Undefined if it belongs to none. */
export async function lockHolder(
  { query }: Queries,
  { databaseId, domain }: Pick<DomainKey, 'databaseId' | 'domain'>,
) {
  const [row] = await query<DomainRow>(lockHolderStatement, [databaseId, domain])
  return row
}

const lockHolderStatement = `
  SELECT ${columns} FROM usher.tenant_domain
  WHERE database_id = $1::uuid AND domain = $2 AND state IN ('proven', 'missing') FOR UPDATE`

/** Adds a pending domain. The tenant is locked, and does not have it. */
export const insertDomain = (
  { query }: Queries,
  { databaseId, tenantId, domain, token, createdAt }: DomainRow,
) => query(insertStatement, [databaseId, tenantId, domain, token, createdAt])

const insertStatement = `
  INSERT INTO usher.tenant_domain (database_id, tenant_id, domain, token, state, created_at)
  VALUES ($1::uuid, $2::uuid, $3, $4, 'pending', $5::timestamptz)`

/**
 * Stores the state of a domain, if it is still in the former state.
 *
 * @returns whether it was
 * @throws a unique violation (SQLSTATE 23505) if the domain belongs to another tenant
 */
export const updateDomain = async ({ query }: Queries, domain: DomainRow, former: DomainState) =>
  (
    await query<object>(updateStatement, [
      domain.databaseId,
      domain.tenantId,
      domain.domain,
      former,
      domain.state,
      domain.provenAt,
      domain.missingSince,
      domain.checkedAt,
    ])
  ).length > 0

const updateStatement = `
  UPDATE usher.tenant_domain SET state = $5, proven_at = $6::timestamptz, missing_since = $7::timestamptz,
    checked_at = $8::timestamptz
  WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND domain = $3 AND state = $4 RETURNING 1`

/** Removes a domain of a tenant. Returns whether there was one. */
export const deleteDomain = async ({ query }: Queries, { databaseId, tenantId, domain }: DomainKey) =>
  (await query<object>(deleteStatement, [databaseId, tenantId, domain])).length > 0

const deleteStatement = `
  DELETE FROM usher.tenant_domain WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND domain = $3 RETURNING 1`

/** Returns domains that belong to tenants and were not looked up since a time, those first that were not for the longest time. */
export const findDomainsToCheck = (
  { query }: Queries,
  databaseId: string,
  { since, limit }: { since: Date; limit: number },
) => query<DomainRow>(findToCheckStatement, [databaseId, since, limit])

const findToCheckStatement = `
  SELECT ${columns} FROM usher.tenant_domain
  WHERE database_id = $1::uuid AND state IN ('proven', 'missing') AND checked_at < $2::timestamptz
  ORDER BY checked_at LIMIT $3::int`

/** The enabled connection that a tenant has had for the longest time. */
export type RoutedConnection = Pick<TenantConnection, 'id' | 'preset' | 'options'>

/** Returns the connection of the tenant to which a domain belongs, or undefined. */
export async function findRoute({ query }: Queries, databaseId: string, domain: string) {
  const [route] = await query<RoutedConnection>(findRouteStatement, [databaseId, domain])
  return route
}

const findRouteStatement = `
  SELECT c.id, c.preset, c.options FROM usher.tenant_connection AS c
  WHERE c.database_id = $1::uuid AND c.is_enabled AND c.tenant_id = (
    SELECT d.tenant_id FROM usher.tenant_domain AS d
    WHERE d.database_id = $1::uuid AND d.domain = $2 AND d.state IN ('proven', 'missing')
  )
  ORDER BY c.created_at, c.id LIMIT 1`
