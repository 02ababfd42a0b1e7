import type { Tenant, User } from '../generated/client.js'
import type { Store } from '../store.js'
import { hasOtherMember, hasOtherOwner } from './members.js'
import { insertMessages, type NewMessage, type Transactions } from './outbox.js'
import { listReserved } from './reserved-addresses.js'
import { isUnchanged, nextGeneration, type ReadUser } from './revocations.js'
import { storeRevocation, storeTokensRevoked } from './stored-revocations.js'

/** What a deletion of a user does to tenants, whose ids it has, or why nothing is deleted. */
export type Deletion = { deleted: string[] } | { ownerless: string[] } | { undoableUntil: Date }

/**
 * Deletes a user, and the user's tenants that have no other user. Deletes nothing while a change of the address can be undone.
 *
 * @param options.mayLeaveOwnerless false to delete nothing if a tenant with other users would have no owner
 * @returns the ids of the deleted tenants, or of those that would have no owner, or when the undo ends, or undefined if the
 * user has changed since the request read it
 */
export const deleteUserAndTenants = (
  store: Transactions,
  { databaseId, id, generation }: ReadUser & { databaseId: string },
  {
    now,
    mayLeaveOwnerless,
    messagesOf,
  }: { now: Date; mayLeaveOwnerless: boolean; messagesOf: (deleted: string[]) => readonly NewMessage[] },
): Promise<Deletion | undefined> =>
  store.transaction(databaseId, async (query) => {
    // Separate statements, because only a later one sees the changes of the transactions that a lock waited for: the
    // user may have joined a tenant, and its members may have changed.
    const locked = await query(lockUserStatement, [databaseId, id, generation])
    if (locked.length === 0) return undefined
    const former = (await listReserved({ query }, { databaseId, userId: id })).at(-1)
    if (former && former.until > now) return { undoableUntil: former.until }
    await query(lockTenantsStatement, [databaseId, id])
    const owned = mayLeaveOwnerless ? [] : await query<TenantId>(findOwnerlessStatement, [databaseId, id])
    if (owned.length > 0) return { ownerless: owned.map((tenant) => tenant.id) }
    const rows = await query<DeletedUser>(deleteUserStatement, [databaseId, id, now.getTime()])
    const deleted = rows.flatMap(({ tenantId }) => tenantId ?? [])
    const origin = { databaseId, now }
    for (const { generation } of rows.slice(0, 1))
      await storeTokensRevoked({ query }, origin, { userId: id, generation })
    for (const tenantId of deleted)
      await storeRevocation({ query }, origin, { type: 'tenant-deleted', tenantId })
    await insertMessages({ query }, messagesOf(deleted))
    return { deleted }
  })

type TenantId = Pick<Tenant, 'id'>

/** A deleted user with one of the tenants that were deleted, or with none. */
interface DeletedUser {
  /** That which a revocation would have given to the user. */
  generation: number
  tenantId: string | null
}

/** Finds the tenants with other users that would have no owner without a user. */
const findOwnerlessStatement = `
  SELECT own.tenant_id AS id FROM usher.membership AS own
  WHERE own.database_id = $1::uuid AND own.user_id = $2::uuid AND own.role = 'owner'
    AND NOT ${hasOtherOwner('own.tenant_id', '$2')} AND ${hasOtherMember('own.tenant_id', '$2')}
  ORDER BY own.tenant_id`

const lockUserStatement = `
  SELECT 1 FROM usher."user" AS u
  WHERE u.database_id = $1::uuid AND u.id = $2::uuid AND ${isUnchanged('$3')} FOR UPDATE`

const lockTenantsStatement = `
  SELECT FROM usher.tenant
  WHERE database_id = $1::uuid AND id IN (
    SELECT tenant_id FROM usher.membership WHERE database_id = $1::uuid AND user_id = $2::uuid
  )
  ORDER BY id FOR UPDATE`

// Postgres locks the tables of a new statement in the order of the text, and those of a prepared one from the outer
// to the inner parts. So parts that lock tables must be on one level, or the two orders would differ.

const deleteUserStatement = `
  WITH deleted AS (
    DELETE FROM usher."user" WHERE database_id = $1::uuid AND id = $2::uuid
    RETURNING ${nextGeneration('generation', '$3')} AS generation
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

/** Deletes a user and, by ON DELETE CASCADE, all rows that refer to the user. */
export async function deleteUserRow(
  transaction: Pick<Store, 'query'>,
  { databaseId, id }: Pick<User, 'databaseId' | 'id'>,
  now: Date,
) {
  const [deleted] = await transaction.query<{ generation: number }>(deleteRowStatement, [
    databaseId,
    id,
    now.getTime(),
  ])
  if (deleted) await storeTokensRevoked(transaction, { databaseId, now }, { userId: id, ...deleted })
}

const deleteRowStatement = `
  DELETE FROM usher."user" WHERE database_id = $1::uuid AND id = $2::uuid
  RETURNING ${nextGeneration('generation', '$3')} AS generation`
