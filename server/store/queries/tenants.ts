import type { Membership, Tenant } from '../generated/client.js'
import type { Store } from '../store.js'
import { insertMessages, type NewMessage } from './outbox.js'

/** Returns a column with the ids of a user's tenants, in the order of joining. */
export const tenantsOf = (userId: string) => `ARRAY(
    SELECT membership.tenant_id FROM usher.membership
    WHERE membership.database_id = $1::uuid AND membership.user_id = ${userId}
    ORDER BY membership.joined_at, membership.tenant_id
  ) AS tenants`

/** A tenant may have many users, each of whom causes a message. */
const timeoutMilliseconds = 60_000

/**
 * Deletes a tenant and its memberships in one transaction, with the messages of each membership.
 *
 * @returns the number of memberships; undefined if there is no such tenant
 */
export function deleteTenantRow(
  store: Store,
  { databaseId, id }: Pick<Tenant, 'databaseId' | 'id'>,
  messagesOf: (membership: Pick<Membership, 'userId'>) => readonly NewMessage[],
) {
  return store.prisma.$transaction(
    async (transaction) => {
      // From here on, no user can be added: a membership locks its tenant.
      await transaction.$queryRaw`
        SELECT FROM usher.tenant WHERE database_id = ${databaseId}::uuid AND id = ${id}::uuid FOR UPDATE`
      const memberships = await transaction.$queryRaw<Pick<Membership, 'userId'>[]>`
        DELETE FROM usher.membership WHERE database_id = ${databaseId}::uuid AND tenant_id = ${id}::uuid
        RETURNING user_id AS "userId"`
      const { count } = await transaction.tenant.deleteMany({ where: { databaseId, id } })
      if (count === 0) return undefined
      await insertMessages(transaction, memberships.flatMap(messagesOf))
      return memberships.length
    },
    { timeout: timeoutMilliseconds },
  )
}
