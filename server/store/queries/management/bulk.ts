import type { Membership, Tenant, User } from '../../generated/client.js'
import type { Store } from '../../store.js'
import type { Page } from './typed-queries.js'
import { inTransaction, type TypedQueries } from './typed-queries.js'

// Import and export. Rows are sent as one JSON parameter, so that a statement has the same text for any number of rows.
// Each statement names database_id.

/** A user to add, with the user's tenants. */
export interface NewUser {
  user: Omit<User, 'databaseId' | 'generation'> & { generation: number }
  tenants: (Omit<Tenant, 'databaseId'> & Pick<Membership, 'joinedAt'>)[]
}

/** Time limit of one batch. */
const timeoutMilliseconds = 60_000

/**
 * Adds users with their tenants and memberships in one transaction. Users whose canonical email or id exists are
 * left out, with their tenants. Tenants whose id exists do not change.
 *
 * @param users with distinct canonical emails
 * @returns the canonical emails of the added users, and of the existing ones
 */
export function addUsers(store: Store, databaseId: string, users: readonly NewUser[]) {
  return inTransaction(
    store,
    async (transaction) => {
      const { user } = await transaction.loadPrisma()
      const added = await insertUsers(transaction, databaseId, users)
      const isAdded = ({ user }: NewUser) => added.has(user.canonicalEmail)
      await insertTenants(transaction, databaseId, users.filter(isAdded))
      const leftOut = users.filter((each) => !isAdded(each)).map(({ user }) => user.canonicalEmail)
      const existing = await user.findMany({
        where: { databaseId, canonicalEmail: { in: leftOut } },
        select: { canonicalEmail: true },
      })
      return { added, existing: new Set(existing.map(({ canonicalEmail }) => canonicalEmail)) }
    },
    { timeout: timeoutMilliseconds },
  )
}

/** Returns a function that returns what {@link addUsers} would, and adds nothing. It remembers earlier calls. */
export function createDryRun() {
  const emails = new Set<string>()
  const ids = new Set<string>()
  return async (store: Store, databaseId: string, users: readonly NewUser[]) => {
    const { user } = await store.loadPrisma()
    const stored = await user.findMany({
      where: {
        databaseId,
        OR: [
          { canonicalEmail: { in: users.map(({ user }) => user.canonicalEmail) } },
          { id: { in: users.map(({ user }) => user.id) } },
        ],
      },
      select: { id: true, canonicalEmail: true },
    })
    for (const { id, canonicalEmail } of stored) {
      emails.add(canonicalEmail)
      ids.add(id)
    }
    const added = new Set<string>()
    const existing = new Set<string>()
    for (const { id, canonicalEmail } of users.map(({ user }) => user)) {
      if (emails.has(canonicalEmail)) existing.add(canonicalEmail)
      else if (!ids.has(id)) {
        added.add(canonicalEmail)
        emails.add(canonicalEmail)
        ids.add(id)
      }
    }
    return { added, existing }
  }
}

async function insertUsers(transaction: TypedQueries, databaseId: string, users: readonly NewUser[]) {
  const prisma = await transaction.loadPrisma()
  const inserted = await prisma.$queryRaw<{ canonicalEmail: string }[]>`
    INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, preferred_name,
      email_verified_at, disabled_at, generation, tokens_valid_after, created_at)
    SELECT ${databaseId}::uuid, id, email, "canonicalEmail", "passwordHash", "preferredName",
      "emailVerifiedAt", "disabledAt", generation, "tokensValidAfter", "createdAt"
    FROM json_to_recordset(${JSON.stringify(users.map(({ user }) => user))}::json) AS new_user (
      id uuid, email text, "canonicalEmail" text, "passwordHash" text, "preferredName" text,
      "emailVerifiedAt" timestamptz, "disabledAt" timestamptz, generation bigint,
      "tokensValidAfter" timestamptz, "createdAt" timestamptz)
    ON CONFLICT DO NOTHING
    RETURNING email_key AS "canonicalEmail"`
  return new Set(inserted.map(({ canonicalEmail }) => canonicalEmail))
}

async function insertTenants(transaction: TypedQueries, databaseId: string, users: readonly NewUser[]) {
  const tenants = users.flatMap(({ user, tenants }) => tenants.map((each) => ({ ...each, userId: user.id })))
  if (tenants.length === 0) return
  const rows = JSON.stringify(tenants)
  const prisma = await transaction.loadPrisma()
  await prisma.$executeRaw`
    INSERT INTO usher.tenant (database_id, id, name, created_at)
    SELECT ${databaseId}::uuid, id, name, "createdAt"
    FROM json_to_recordset(${rows}::json) AS new_tenant (id uuid, name text, "createdAt" timestamptz)
    ON CONFLICT DO NOTHING`
  await prisma.$executeRaw`
    INSERT INTO usher.membership (database_id, user_id, tenant_id, joined_at)
    SELECT ${databaseId}::uuid, "userId", id, "joinedAt"
    FROM json_to_recordset(${rows}::json) AS new_member ("userId" uuid, id uuid, "joinedAt" timestamptz)
    ON CONFLICT DO NOTHING`
}

/** A user with all tenants in the order of joining. The times of tenants are text, as Postgres writes it in JSON. */
export type UserToExport = Omit<User, 'databaseId' | 'canonicalEmail' | 'generation'> & {
  tenants: { id: string; name: string; createdAt: string; joinedAt: string }[]
}

const beforeAll = '00000000-0000-0000-0000-000000000000'

/** Returns users of a database ordered by id. */
export async function listUsersToExport(
  store: TypedQueries,
  databaseId: string,
  { limit, after = beforeAll }: Page<string>,
) {
  const prisma = await store.loadPrisma()
  return prisma.$queryRaw<UserToExport[]>`
    SELECT u.id, u.email, u.password_hash AS "passwordHash", u.preferred_name AS "preferredName",
      u.email_verified_at AS "emailVerifiedAt", u.disabled_at AS "disabledAt",
      u.tokens_valid_after AS "tokensValidAfter", u.created_at AS "createdAt",
      COALESCE((
        SELECT json_agg(json_build_object('id', tenant.id, 'name', tenant.name,
          'createdAt', tenant.created_at, 'joinedAt', membership.joined_at)
          ORDER BY membership.joined_at, membership.tenant_id)
        FROM usher.membership
        JOIN usher.tenant ON tenant.database_id = ${databaseId}::uuid AND tenant.id = membership.tenant_id
        WHERE membership.database_id = ${databaseId}::uuid AND membership.user_id = u.id
      ), '[]') AS tenants
    FROM usher."user" AS u
    WHERE u.database_id = ${databaseId}::uuid AND u.id > ${after}::uuid
    ORDER BY u.id LIMIT ${limit}`
}
