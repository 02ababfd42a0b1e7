/** Returns a column with the ids of a user's tenants, in the order of joining. */
export const tenantsOf = (userId: string) => `ARRAY(
    SELECT membership.tenant_id FROM usher.membership
    WHERE membership.database_id = $1::uuid AND membership.user_id = ${userId}
    ORDER BY membership.joined_at, membership.tenant_id
  ) AS tenants`
