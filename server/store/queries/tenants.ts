import type { Tenant } from '../generated/client.js'
import type { Store } from '../store.js'
import { insertMessages, type NewMessage, type Transactions } from './outbox.js'
import type { ProductObject } from './product-fields.js'
import { isUnchanged, type ReadUser } from './revocations.js'

type Queries = Pick<Store, 'query'>
type TenantKey = Pick<Tenant, 'databaseId' | 'id'>

/** A tenant as its members see it. */
export type FoundTenant = Pick<Tenant, 'id' | 'name' | 'seats' | 'createdAt'> & {
  metadata: ProductObject | null
}

/** Returns a tenant, or undefined. */
export async function findTenant({ query }: Queries, { databaseId, id }: TenantKey) {
  const [tenant] = await query<FoundTenant>(findStatement, [databaseId, id])
  return tenant
}

const findStatement = `
  SELECT id, name, seats, metadata, created_at AS "createdAt" FROM usher.tenant
  WHERE database_id = $1::uuid AND id = $2::uuid`

/** Stores the name of a tenant that is locked. */
export const storeName = ({ query }: Queries, { databaseId, id }: TenantKey, name: string) =>
  query(storeNameStatement, [databaseId, id, name])

const storeNameStatement = `
  UPDATE usher.tenant SET name = $3::text WHERE database_id = $1::uuid AND id = $2::uuid`

/** A tenant that a user creates. */
export interface NewTenant extends Pick<Tenant, 'databaseId' | 'id' | 'name' | 'createdAt'> {
  creator: ReadUser
}

/**
 * Inserts a tenant with its creator as owner.
 *
 * @param limits.tenants how many existing tenants a user may have created
 * @returns false if the user has created that many, and undefined if the user has changed since the request read it
 */
export const insertOwnTenant = (
  store: Transactions,
  { databaseId, id, name, createdAt, creator }: NewTenant,
  { tenants, messages }: { tenants: number; messages: readonly NewMessage[] },
): Promise<boolean | undefined> =>
  store.transaction(databaseId, async (query) => {
    const { generation, tokensValidAfter } = creator
    const locked = await query(lockCreatorStatement, [databaseId, creator.id, generation, tokensValidAfter])
    if (locked.length === 0) return undefined
    // A separate statement, because only a later one sees the changes of the transactions that the lock waited for.
    const [row] = await query<{ count: number }>(countStatement, [databaseId, creator.id, tenants])
    if (row?.count === tenants) return false
    await query(insertStatement, [databaseId, id, name, createdAt, creator.id])
    await insertMessages({ query }, messages)
    return true
  })

const lockCreatorStatement = `
  SELECT 1 FROM usher."user" AS u
  WHERE u.database_id = $1::uuid AND u.id = $2::uuid AND ${isUnchanged('$3', '$4')} FOR NO KEY UPDATE`

const countStatement = `
  SELECT count(*)::int AS count FROM (
    SELECT 1 FROM usher.tenant WHERE database_id = $1::uuid AND creator_id = $2::uuid LIMIT $3::int
  ) AS created`

const insertStatement = `
  WITH tenant AS (
    INSERT INTO usher.tenant (database_id, id, name, created_at, creator_id)
    VALUES ($1::uuid, $2::uuid, $3::text, $4::timestamptz, $5::uuid)
  )
  INSERT INTO usher.membership (database_id, user_id, tenant_id, joined_at, role)
  VALUES ($1::uuid, $5::uuid, $2::uuid, $4::timestamptz, 'owner')`
