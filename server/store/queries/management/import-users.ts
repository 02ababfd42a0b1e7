import type { Membership, Tenant, User } from '../../generated/client.js'
import type { Store } from '../../store.js'
import { storeFirstOwner } from '../member-changes.js'
import { lockTenant } from '../members.js'
import type { ProductFields } from '../product-fields.js'
import { withFreeTenants } from './free-tenants.js'
import { inTransaction, type TypedQueries } from './typed-queries.js'

// Rows are sent as one JSON parameter, so that a statement has the same text for any number of rows. Each statement names
// database_id.

/** A user to add, with the user's tenants. */
export interface UserWithTenants {
  user: Omit<
    User,
    'databaseId' | 'generation' | 'tenantsVersion' | 'reservedFor' | 'reservedUntil' | keyof ProductFields
  > &
    ProductFields & { generation: number }
  tenants: (Pick<Tenant, 'id' | 'name' | 'createdAt'> &
    ProductFields &
    Pick<Membership, 'joinedAt' | 'role'> & { seats: number | null })[]
}

/** The canonical emails of the added users, and of the existing ones with their ids. The id of a reserved address is null. */
export interface AddedUsers {
  added: ReadonlySet<string>
  existing: ReadonlyMap<string, string | null>
}

/** Users to add. */
export interface Addition {
  /** With distinct canonical emails. */
  users: readonly UserWithTenants[]
  /** Called before the transaction ends. */
  onAdded?: (transaction: TypedQueries, result: AddedUsers) => Promise<unknown> | undefined
}

/** Time limit of one batch. */
const timeoutMilliseconds = 60_000

/**
 * Adds users with their tenants and memberships in one transaction. Leaves out users whose canonical email, id or external id
 * exists, or who have a tenant with the external id of another one, together with their tenants. Does not change tenants whose
 * id exists.
 */
export function addUsers(
  store: Store,
  databaseId: string,
  { users, onAdded }: Addition,
): Promise<AddedUsers> {
  return inTransaction(
    store,
    async (transaction) => {
      const { user } = await transaction.loadPrisma()
      const allowed = await withFreeTenants(transaction, { databaseId }, users)
      const added = await insertUsers(transaction, databaseId, allowed)
      const isAdded = ({ user }: UserWithTenants) => added.has(user.canonicalEmail)
      await insertTenants(transaction, databaseId, users.filter(isAdded))
      const leftOut = users.filter((each) => !isAdded(each)).map(({ user }) => user.canonicalEmail)
      const existing = await user.findMany({
        where: { databaseId, canonicalEmail: { in: leftOut } },
        select: { canonicalEmail: true, id: true, reservedFor: true },
      })
      const result = {
        added,
        existing: new Map(existing.map((each) => [each.canonicalEmail, accountId(each)])),
      }
      await onAdded?.(transaction, result)
      return result
    },
    { timeout: timeoutMilliseconds },
  )
}

/** Returns the id of a row, or null if it only reserves an address. */
const accountId = ({ id, reservedFor }: Pick<User, 'id' | 'reservedFor'>) =>
  reservedFor === null ? id : null

/** Returns a function that returns what {@link addUsers} would, and adds nothing. It remembers earlier calls. */
export function createDryRun() {
  const emails = new Map<string, string | null>()
  const ids = new Set<string>()
  const externalIds = new Set<string>()
  const tenants = new Map<string, string>()
  return async (store: Store, databaseId: string, { users }: Addition): Promise<AddedUsers> => {
    const { user } = await store.loadPrisma()
    const stored = await user.findMany({
      where: {
        databaseId,
        OR: [
          { canonicalEmail: { in: users.map(({ user }) => user.canonicalEmail) } },
          { id: { in: users.map(({ user }) => user.id) } },
          { externalId: { in: users.flatMap(({ user }) => user.externalId ?? []) } },
        ],
      },
      select: { id: true, canonicalEmail: true, externalId: true, reservedFor: true },
    })
    const allowed = new Set(await withFreeTenants(store, { databaseId, ids: tenants }, users))
    for (const { id, canonicalEmail, externalId, reservedFor } of stored) {
      emails.set(canonicalEmail, accountId({ id, reservedFor }))
      ids.add(id)
      if (externalId !== null) externalIds.add(externalId)
    }
    const added = new Set<string>()
    const existing = new Map<string, string | null>()
    for (const each of users) {
      const { id, canonicalEmail, externalId } = each.user
      const isTaken = ids.has(id) || (externalId !== null && externalIds.has(externalId))
      const known = emails.get(canonicalEmail)
      if (known !== undefined) existing.set(canonicalEmail, known)
      else if (!isTaken && allowed.has(each)) {
        added.add(canonicalEmail)
        emails.set(canonicalEmail, id)
        ids.add(id)
        if (externalId !== null) externalIds.add(externalId)
      }
    }
    return { added, existing }
  }
}

async function insertUsers(transaction: TypedQueries, databaseId: string, users: readonly UserWithTenants[]) {
  const prisma = await transaction.loadPrisma()
  // In one order, so that two imports of the same users do not deadlock.
  const rows = users
    .map(({ user }) => user)
    .sort((one, other) => (one.canonicalEmail < other.canonicalEmail ? -1 : 1))
  const inserted = await prisma.$queryRaw<{ canonicalEmail: string }[]>`
    INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, preferred_name,
      email_verified_at, disabled_at, generation, tenants_version, tokens_valid_after, created_at, external_id, metadata,
      private_metadata)
    SELECT ${databaseId}::uuid, id, email, "canonicalEmail", "passwordHash", "preferredName",
      "emailVerifiedAt", "disabledAt", generation, generation, "tokensValidAfter", "createdAt", "externalId", metadata,
      "privateMetadata"
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS new_user (
      id uuid, email text, "canonicalEmail" text, "passwordHash" text, "preferredName" text,
      "emailVerifiedAt" timestamptz, "disabledAt" timestamptz, generation bigint,
      "tokensValidAfter" timestamptz, "createdAt" timestamptz, "externalId" text, metadata json,
      "privateMetadata" json)
    ON CONFLICT DO NOTHING
    RETURNING email_key AS "canonicalEmail"`
  return new Set(inserted.map(({ canonicalEmail }) => canonicalEmail))
}

async function insertTenants(
  transaction: TypedQueries,
  databaseId: string,
  users: readonly UserWithTenants[],
) {
  const tenants = users
    .flatMap(({ user, tenants }) => tenants.map((each) => ({ ...each, userId: user.id })))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
  if (tenants.length === 0) return
  const rows = JSON.stringify(tenants)
  const prisma = await transaction.loadPrisma()
  const added = await prisma.$queryRaw<Pick<Tenant, 'id'>[]>`
    INSERT INTO usher.tenant (database_id, id, name, created_at, external_id, metadata, private_metadata, seats)
    SELECT ${databaseId}::uuid, id, name, "createdAt", "externalId", metadata, "privateMetadata", seats
    FROM json_to_recordset(${rows}::json) AS new_tenant (id uuid, name text, "createdAt" timestamptz,
      "externalId" text, metadata json, "privateMetadata" json, seats int)
    ON CONFLICT DO NOTHING
    RETURNING id`
  const isNew = new Set(added.map(({ id }) => id))
  const owned = tenants.filter(({ id, role }) => role === 'owner' && !isNew.has(id)).map(({ id }) => id)
  await storeFirstOwners(transaction, databaseId, owned)
  await prisma.$executeRaw`
    INSERT INTO usher.membership (database_id, user_id, tenant_id, joined_at, role)
    SELECT ${databaseId}::uuid, "userId", id, "joinedAt", role
    FROM json_to_recordset(${rows}::json)
      AS new_member ("userId" uuid, id uuid, "joinedAt" timestamptz, role text)
    ON CONFLICT DO NOTHING`
}

/** Stores the roles of the first owners of tenants that get another owner: see {@link storeFirstOwner}. */
async function storeFirstOwners(transaction: TypedQueries, databaseId: string, tenantIds: readonly string[]) {
  if (tenantIds.length === 0) return
  const { membership } = await transaction.loadPrisma()
  const withoutRole = await membership.groupBy({
    by: 'tenantId',
    where: { databaseId, tenantId: { in: [...tenantIds] }, role: null },
    orderBy: { tenantId: 'asc' },
  })
  for (const { tenantId } of withoutRole) {
    await lockTenant(transaction, { databaseId, tenantId }, [])
    await storeFirstOwner(transaction, { databaseId, tenantId })
  }
}
