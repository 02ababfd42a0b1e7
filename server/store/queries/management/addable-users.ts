import type { Identity, Tenant, User } from '../../generated/client.js'
import type { Queries } from '../../store.js'
import type { ImportedPasskey, UserWithTenants } from './import-users.js'

/** Which of some users can be added. */
interface Choice {
  addable: UserWithTenants[]
  /** Users whose canonical email exists, with the id of the existing user. Null if the address is only reserved. */
  existing: Map<UserWithTenants, string | null>
  /** Users that are left out, with the path of the field that belongs to another user or tenant. */
  conflicts: Map<UserWithTenants, string>
}

/**
 * Returns a function that chooses the users that can be added: those whose canonical email, id and external id no other user
 * has, without a tenant that has the external id of another one, and without an identity or a passkey of another user. A tenant without a
 * given id is the one that has its external id, whose id it gets, and must have its name. If several users conflict, it chooses
 * the first. A user who is left out conflicts with no later one. It remembers earlier calls.
 */
export function createChoice() {
  const emails = new Map<string, string | null>()
  const ids = new Set<string>()
  const externalIds = new Set<string>()
  /** Of identities and passkeys. */
  const waysIn = new Set<string>()
  const tenantIds = new Set<string>()
  const tenantsByExternalId = new Map<string, Pick<Tenant, 'id' | 'name'>>()

  function remember({ users, tenants, identities: taken, passkeys: used }: Taken) {
    for (const key of [...taken.map(keyOf), ...used.map(canonicalOf)]) waysIn.add(key)
    for (const { canonicalEmail, id, externalId, reservedFor } of users) {
      emails.set(canonicalEmail, reservedFor ? null : id)
      ids.add(id)
      if (externalId !== null) externalIds.add(externalId)
    }
    for (const { id, externalId, name } of tenants) {
      // addUsers does not change a tenant that exists or that an earlier line has, so this external id is not stored.
      if (tenantIds.has(id)) continue
      tenantIds.add(id)
      if (externalId !== null) tenantsByExternalId.set(externalId, { id, name })
    }
  }

  /** Returns the path of the field of a user that belongs to another user or tenant, or undefined. */
  function conflictOf({
    user: { id, externalId },
    tenants,
    identities: given,
    passkeys: own,
  }: UserWithTenants) {
    if (ids.has(id)) return 'id'
    if (externalId !== null && externalIds.has(externalId)) return 'externalId'
    for (const [index, { isIdGiven, id, name, externalId }] of tenants.entries()) {
      const holder = externalId !== null && tenantsByExternalId.get(externalId)
      if (!holder) continue
      const isRepeated = tenants.some((other, place) => place !== index && other.id === holder.id)
      if (isIdGiven ? holder.id !== id : isRepeated) return `tenants.${index}.externalId`
      if (!isIdGiven && holder.name !== name) return `tenants.${index}.name`
    }
    const index = given.findIndex((each) => waysIn.has(keyOf(each)))
    if (index >= 0) return `identities.${index}.subject`
    const place = own.findIndex((each) => waysIn.has(canonicalOf(each)))
    return place < 0 ? undefined : `passkeys.${place}.credentialId`
  }

  /** Gives tenants without a given id the id of the tenant that has their external id. */
  function join(tenants: UserWithTenants['tenants']) {
    for (const tenant of tenants) {
      const holder =
        !tenant.isIdGiven && tenant.externalId !== null && tenantsByExternalId.get(tenant.externalId)
      if (holder) tenant.id = holder.id
    }
  }

  return async (store: Queries, databaseId: string, users: readonly UserWithTenants[]) => {
    remember(await findTaken(store, databaseId, users))
    const choice: Choice = { addable: [], existing: new Map(), conflicts: new Map() }
    for (const each of users) {
      const { user, tenants, identities, passkeys } = each
      const id = emails.get(user.canonicalEmail)
      const conflict = conflictOf(each)
      if (id !== undefined) choice.existing.set(each, id)
      else if (conflict) choice.conflicts.set(each, conflict)
      else {
        join(tenants)
        choice.addable.push(each)
        remember({ users: [user], tenants, identities, passkeys })
      }
    }
    return choice
  }
}

type TakenUser = Pick<User, 'canonicalEmail' | 'id' | 'externalId'> & Partial<Pick<User, 'reservedFor'>>
type TakenTenant = Pick<Tenant, 'id' | 'externalId' | 'name'>
type IdentityKey = Pick<Identity, 'connection' | 'issuer' | 'subject'>

interface Taken {
  users: readonly TakenUser[]
  tenants: readonly TakenTenant[]
  identities: readonly IdentityKey[]
  passkeys: readonly PasskeyKey[]
}

type PasskeyKey = Pick<ImportedPasskey, 'credentialId'>

/** One text of bytes, which base64url can write in several ways. */
const canonicalOf = ({ credentialId }: PasskeyKey) =>
  Buffer.from(credentialId, 'base64url').toString('base64url')

const keyOf = ({ connection, issuer, subject }: IdentityKey) => JSON.stringify([connection, issuer, subject])

/** Returns the stored users, tenants and identities that may conflict with some users. */
async function findTaken(
  { query }: Queries,
  databaseId: string,
  users: readonly UserWithTenants[],
): Promise<Taken> {
  const keys = users.map(({ user: { canonicalEmail, id, externalId } }) => ({
    canonicalEmail,
    id,
    externalId,
  }))
  const tenantKeys = users
    .flatMap(({ tenants }) => tenants)
    .flatMap(({ id, externalId }) => (externalId === null ? [] : { id, externalId }))
  const identities = users.flatMap(({ identities }) => identities)
  const credentialIds = users.flatMap(({ passkeys }) =>
    passkeys.map(({ credentialId }) => Buffer.from(credentialId, 'base64url')),
  )
  return {
    users: await query<TakenUser>(findUsersStatement, [databaseId, JSON.stringify(keys)]),
    tenants:
      tenantKeys.length === 0
        ? []
        : await query<TakenTenant>(findTenantsStatement, [databaseId, JSON.stringify(tenantKeys)]),
    identities:
      identities.length === 0
        ? []
        : await query<IdentityKey>(findIdentitiesStatement, [databaseId, JSON.stringify(identities)]),
    passkeys: credentialIds.length === 0 ? [] : await findTakenPasskeys({ query }, databaseId, credentialIds),
  }
}

async function findTakenPasskeys({ query }: Queries, databaseId: string, credentialIds: Uint8Array[]) {
  const rows = await query<{ id: Uint8Array }>(findPasskeysStatement, [databaseId, credentialIds])
  return rows.map(({ id }) => ({ credentialId: Buffer.from(id).toString('base64url') }))
}

const findPasskeysStatement = `
  SELECT credential_id AS id FROM usher.factor WHERE database_id = $1::uuid AND credential_id = ANY($2::bytea[])`

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

const tenantBy = (condition: string) => `
    SELECT id, external_id AS "externalId", name FROM usher.tenant WHERE database_id = $1::uuid AND ${condition}`

const findTenantsStatement = `
  SELECT found.*
  FROM json_to_recordset($2::json) AS wanted (id uuid, "externalId" text)
  CROSS JOIN LATERAL (${tenantBy('id = wanted.id')}
    UNION ALL${tenantBy('external_id = wanted."externalId"')} OFFSET 0
  ) AS found`

const findIdentitiesStatement = `
  SELECT found.*
  FROM json_to_recordset($2::json) AS wanted (connection text, issuer text, subject text)
  CROSS JOIN LATERAL (
    SELECT connection, issuer, subject FROM usher.identity
    WHERE database_id = $1::uuid AND connection = wanted.connection AND issuer = wanted.issuer
      AND subject = wanted.subject OFFSET 0
  ) AS found`
