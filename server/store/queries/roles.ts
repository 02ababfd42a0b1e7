// The effective role of a membership. Versions without roles stored memberships without one: in a tenant that has no owner, the
// earliest of these members is the first owner, and all others have the role `member`.

/** Returns a subquery for the id of the first owner of a tenant, or null. */
export const firstOwnerOf = (tenantId: string, databaseId = '$1::uuid') => `(
    SELECT first.user_id FROM usher.membership AS first
    WHERE first.database_id = ${databaseId} AND first.tenant_id = ${tenantId} AND first.role IS NULL AND NOT EXISTS (
      SELECT 1 FROM usher.membership AS owner
      WHERE owner.database_id = ${databaseId} AND owner.role = 'owner' AND owner.tenant_id = ${tenantId}
    )
    ORDER BY first.joined_at, first.user_id LIMIT 1
  )`

/** Returns an expression for the effective role of a membership. */
export const roleOf = (
  membership: string,
  tenantId = `${membership}.tenant_id`,
  databaseId = '$1::uuid',
) => `COALESCE(
    ${membership}.role,
    CASE ${membership}.user_id WHEN ${firstOwnerOf(tenantId, databaseId)} THEN 'owner' ELSE 'member' END)`
