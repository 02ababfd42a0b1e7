import type { Tenant, User } from '../../generated/client.js'
import type { UserWithTenants } from './import-users.js'
import type { TypedQueries } from './typed-queries.js'

/** Which of some users can be added. */
interface Choice {
  addable: UserWithTenants[]
  /** Users whose canonical email exists, with the id of the existing user. Null if the address is only reserved. */
  existing: Map<UserWithTenants, string | null>
}

/**
 * Returns a function that chooses the users that can be added: those whose canonical email, id and external id no other user
 * has, without a tenant that has the external id of another one. Of users that exclude each other, the first can be added. A
 * user who cannot be added excludes none. It remembers earlier calls.
 */
export function createChoice() {
  const emails = new Map<string, string | null>()
  const ids = new Set<string>()
  const externalIds = new Set<string>()
  /** The ids of tenants by external id. */
  const tenantIds = new Map<string, string>()

  function take({ users, tenants }: { users: readonly TakenUser[]; tenants: readonly TakenTenant[] }) {
    for (const { canonicalEmail, id, externalId, reservedFor } of users) {
      emails.set(canonicalEmail, reservedFor ? null : id)
      ids.add(id)
      if (externalId !== null) externalIds.add(externalId)
    }
    for (const { id, externalId } of tenants) if (externalId !== null) tenantIds.set(externalId, id)
  }

  const areIdsFree = ({ user: { id, externalId }, tenants }: UserWithTenants) =>
    !ids.has(id) &&
    !(externalId !== null && externalIds.has(externalId)) &&
    tenants.every(({ id, externalId }) => externalId === null || (tenantIds.get(externalId) ?? id) === id)

  return async (store: TypedQueries, databaseId: string, users: readonly UserWithTenants[]) => {
    take(await findTaken(store, databaseId, users))
    const choice: Choice = { addable: [], existing: new Map() }
    for (const each of users) {
      const { user, tenants } = each
      const id = emails.get(user.canonicalEmail)
      if (id !== undefined) choice.existing.set(each, id)
      else if (areIdsFree(each)) {
        choice.addable.push(each)
        take({ users: [user], tenants })
      }
    }
    return choice
  }
}

type TakenUser = Pick<User, 'canonicalEmail' | 'id' | 'externalId'> & Partial<Pick<User, 'reservedFor'>>
type TakenTenant = Pick<Tenant, 'id' | 'externalId'>

/** Returns the stored users and tenants that may exclude some users. */
async function findTaken({ query }: TypedQueries, databaseId: string, users: readonly UserWithTenants[]) {
  const keys = users.map(({ user: { canonicalEmail, id, externalId } }) => ({
    canonicalEmail,
    id,
    externalId,
  }))
  const externalIds = users
    .flatMap(({ tenants }) => tenants)
    .flatMap(({ externalId }) => (externalId === null ? [] : { externalId }))
  return {
    users: await query<TakenUser>(findUsersStatement, [databaseId, JSON.stringify(keys)]),
    tenants:
      externalIds.length === 0
        ? []
        : await query<TakenTenant>(findTenantsStatement, [databaseId, JSON.stringify(externalIds)]),
  }
}

// OFFSET 0 keeps the look-ups of each key separate. With a list of keys, Postgres reads all users of a database whose statistics
// are older than the import.

const userBy = (condition: string) => `
    SELECT id, email_key AS "canonicalEmail", external_id AS "externalId", reserved_for AS "reservedFor"
    FROM usher."user" WHERE database_id = $1::uuid AND ${condition}`

const findUsersStatement = `
  SELECT found.*
  FROM json_to_recordset($2::json) AS wanted ("canonicalEmail" text, id uuid, "externalId" text)
  CROSS JOIN LATERAL (${userBy('email_key = wanted."canonicalEmail"')}
    UNION ALL${userBy('id = wanted.id')}
    UNION ALL${userBy('external_id = wanted."externalId"')} OFFSET 0
  ) AS found`

const findTenantsStatement = `
  SELECT found.* FROM json_to_recordset($2::json) AS wanted ("externalId" text)
  CROSS JOIN LATERAL (
    SELECT id, external_id AS "externalId" FROM usher.tenant
    WHERE database_id = $1::uuid AND external_id = wanted."externalId" OFFSET 0
  ) AS found`
