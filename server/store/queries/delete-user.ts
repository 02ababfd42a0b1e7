import type { User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { hasOtherMember, hasOtherOwner } from './members.js'
import { nextGeneration } from './revocations.js'
import { revokeBy, storeRevocation } from './stored-revocations.js'

type UserKey = Pick<User, 'databaseId'> & { userId: string }

/**
 * Locks the tenants of a locked user. A separate statement, because only a later one sees the changes of the transactions that
 * the lock of the user waited for: the user may have joined a tenant.
 */
export const lockTenantsOf = ({ query }: Queries, { databaseId, userId }: UserKey) =>
  query(lockTenantsStatement, [databaseId, userId])

/** Returns the ids of the tenants with other users that would have no owner without a user. They are locked. */
export async function findOwnerless({ query }: Queries, { databaseId, userId }: UserKey) {
  const rows = await query<{ id: string }>(findOwnerlessStatement, [databaseId, userId])
  return rows.map(({ id }) => id)
}

const findOwnerlessStatement = `
  SELECT own.tenant_id AS id FROM usher.membership AS own
  WHERE own.database_id = $1::uuid AND own.user_id = $2::uuid AND own.role = 'owner'
    AND NOT ${hasOtherOwner('own.tenant_id', '$2')} AND ${hasOtherMember('own.tenant_id', '$2')}
  ORDER BY own.tenant_id`

const lockTenantsStatement = `
  SELECT FROM usher.tenant
  WHERE database_id = $1::uuid AND id IN (
    SELECT tenant_id FROM usher.membership WHERE database_id = $1::uuid AND user_id = $2::uuid
  )
  ORDER BY id FOR UPDATE`

/** A deleted user with one of the tenants that were deleted. */
interface DeletedUser {
  /** That which a revocation would have given to the user. */
  generation: number
  tenantId?: string | null
}

/**
 * Deletes a locked user and, by ON DELETE CASCADE, all rows that refer to the user. Stores the revocations.
 *
 * @param deletion.withTenants whether to also delete the user's tenants that have no other user. They are locked
 * @returns the ids of the deleted tenants
 */
export async function deleteUserRow(
  transaction: Queries,
  { databaseId, userId }: UserKey,
  { now, withTenants }: { now: Date; withTenants: boolean },
) {
  const text = withTenants ? deleteWithTenantsStatement : deleteStatement
  const values: [string, string, number] = [databaseId, userId, now.getTime()]
  const rows = await revokeBy<DeletedUser>(transaction, { text, values, now })
  const tenants = rows.flatMap(({ tenantId }) => tenantId ?? [])
  for (const tenantId of tenants)
    await storeRevocation(transaction, { databaseId, now }, { type: 'tenant-deleted', tenantId })
  return tenants
}

const deleteStatement = `
    DELETE FROM usher."user" WHERE database_id = $1::uuid AND id = $2::uuid
    RETURNING ${nextGeneration('generation', '$3')} AS generation`

// Postgres locks the tables of a new statement in the order of the text, and those of a prepared one from the outer
// to the inner parts. So parts that lock tables must be on one level, or the two orders would differ.

const deleteWithTenantsStatement = `
  WITH deleted AS (${deleteStatement}
  ), deserted AS (
    DELETE FROM usher.tenant AS t
    WHERE t.database_id = $1::uuid AND t.id IN (
      SELECT own.tenant_id FROM usher.membership AS own
      WHERE own.database_id = $1::uuid AND own.user_id = $2::uuid AND NOT EXISTS (
        SELECT 1 FROM usher.membership AS other
        WHERE other.database_id = $1::uuid AND other.tenant_id = own.tenant_id AND other.user_id <> $2::uuid
      )
    )
    RETURNING t.id
  )
  SELECT deleted.generation, deserted.id AS "tenantId" FROM deleted LEFT JOIN deserted ON true`
