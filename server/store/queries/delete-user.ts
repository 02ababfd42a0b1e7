import type { Tenant } from '../generated/client.js'
import { insertMessages, type NewMessage, type Transactions } from './outbox.js'
import { isUnchanged, type ReadUser } from './revocations.js'

/**
 * Deletes a user, and the user's tenants that have no other user.
 *
 * @returns the ids of these tenants, or undefined if the user has changed since the request read it
 */
export const deleteUserAndTenants = (
  store: Transactions,
  { databaseId, id, generation, tokensValidAfter }: ReadUser & { databaseId: string },
  messages: readonly NewMessage[],
) =>
  store.transaction(databaseId, async (query) => {
    // A separate statement, because only a later one sees the changes of the transactions that the lock waited for.
    const locked = await query(lockTenantsStatement, [databaseId, id, generation, tokensValidAfter])
    if (locked.length === 0) return undefined
    const tenants = await query<Pick<Tenant, 'id'>>(deleteUserStatement, [databaseId, id])
    await insertMessages({ query }, messages)
    return tenants.map((tenant) => tenant.id)
  })

// Postgres locks the tables of a new statement in the order of the text, and those of a prepared one from the outer
// to the inner parts. So parts that lock tables must be on one level, or the two orders would differ.

const lockTenantsStatement = `
  WITH leaving AS (
    SELECT u.id FROM usher."user" AS u
    WHERE u.database_id = $1::uuid AND u.id = $2::uuid AND ${isUnchanged('$3', '$4')} FOR UPDATE
  ), locked AS (
    SELECT FROM usher.tenant
    WHERE database_id = $1::uuid AND id IN (
      SELECT tenant_id FROM usher.membership
      WHERE database_id = $1::uuid AND user_id IN (SELECT id FROM leaving)
    )
    ORDER BY id FOR UPDATE
  )
  SELECT leaving.id FROM leaving, (SELECT count(*) FROM locked) AS tenants`

const deleteUserStatement = `
  WITH deleted AS (
    DELETE FROM usher."user" WHERE database_id = $1::uuid AND id = $2::uuid
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
  SELECT id FROM deserted`
