import type { Tenant } from '../../generated/client.js'
import type { Queries } from '../../store.js'

export type NamedTenant = Pick<Tenant, 'id' | 'externalId' | 'name'>

/** Returns the existing tenants among some, by id or external id, and whether each has an owner. */
export const findTenantOwners = (
  { query }: Queries,
  databaseId: string,
  tenants: readonly Pick<Tenant, 'id' | 'externalId'>[],
) => query<NamedTenant & { hasOwner: boolean }>(findOwnersStatement, [databaseId, JSON.stringify(tenants)])

const tenantBy = (condition: string) => `
    SELECT id, external_id, name FROM usher.tenant WHERE database_id = $1::uuid AND ${condition}`

// OFFSET 0 and LIMIT keep the look-ups of each tenant separate, so that Postgres does not read all tenants or owners.
const findOwnersStatement = `
  SELECT found.id, found.external_id AS "externalId", found.name, (
    SELECT user_id FROM usher.membership
    WHERE database_id = $1::uuid AND role = 'owner' AND tenant_id = found.id ORDER BY user_id LIMIT 1
  ) IS NOT NULL AS "hasOwner"
  FROM json_to_recordset($2::json) AS wanted (id uuid, "externalId" text)
  CROSS JOIN LATERAL (${tenantBy('id = wanted.id')}
    UNION${tenantBy('external_id = wanted."externalId"')} OFFSET 0
  ) AS found`
