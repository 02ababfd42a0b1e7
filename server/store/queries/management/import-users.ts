import type { Factor, Identity, Membership, Tenant, User } from '../../generated/client.js'
import type { Queries } from '../../store.js'
import type { ProductFields } from '../user-fields.js'
import { listOf, type UserFields, userFields } from '../user-fields.js'
import { createChoice } from './addable-users.js'

// Rows are sent as one JSON parameter, so that a statement has the same text for any number of rows. Each statement names
// database_id.

/** A user to add, with the user's tenants, identities and second factors. */
export interface UserWithTenants {
  user: Omit<
    User,
    'databaseId' | 'generation' | 'tenantsVersion' | 'reservedFor' | 'reservedUntil' | keyof UserFields
  > &
    UserFields & { generation: number }
  tenants: (Pick<Tenant, 'id' | 'name' | 'createdAt'> &
    ProductFields &
    Pick<Membership, 'joinedAt' | 'role'> & {
      seats: number | null
      /** False: the id is a new one, unless a tenant has the external id. */
      isIdGiven: boolean
    })[]
  identities: Omit<Identity, 'databaseId' | 'userId'>[]
  passkeys: ImportedPasskey[]
  factors: (Pick<Factor, 'id' | 'name' | 'createdAt'> & { sealedSecret: Uint8Array })[]
}

/** A passkey to add. Bytes are base64url. */
export interface ImportedPasskey extends Pick<Factor, 'id' | 'name' | 'createdAt'> {
  credentialId: string
  publicKey: string
  userHandle: string
  domain: string
  transports: string[]
  signCount: number
  isSynced: boolean
  logsIn: boolean
}

export interface AddedUsers {
  added: ReadonlySet<UserWithTenants>
  /** Users whose canonical email exists, with the id of the existing user. Null if the address is only reserved. */
  existing: ReadonlyMap<UserWithTenants, string | null>
  /** Users who are left out, with the path of the field that belongs to another user or tenant. */
  conflicts: ReadonlyMap<UserWithTenants, string>
}

/**
 * Adds users with their tenants and memberships, apart from those that {@link createChoice} leaves out. Does not change tenants
 * whose id exists.
 *
 * Works in rounds. A round inserts those that {@link createChoice} chooses. If another transaction has taken the address
 * or id of one meanwhile, later users may be addable instead, and another round inserts them. No round repeats a user, so there
 * are at most as many rounds as users.
 */
export async function addUsers(
  transaction: Queries,
  databaseId: string,
  users: readonly UserWithTenants[],
): Promise<AddedUsers> {
  const added = new Set<UserWithTenants>()
  const tried = new Set<UserWithTenants>()
  for (;;) {
    const others = users.filter((each) => !added.has(each))
    const { addable, ...left } = await createChoice()(transaction, databaseId, others)
    const untried = addable.filter((each) => !tried.has(each))
    const emails = await insertUsers(transaction, databaseId, untried)
    const inserted = untried.filter(({ user }) => emails.has(user.canonicalEmail))
    await insertTenants(transaction, databaseId, inserted)
    await insertWaysIn(transaction, databaseId, inserted)
    for (const each of untried) tried.add(each)
    for (const each of inserted) added.add(each)
    if (inserted.length === untried.length) return { added, ...left }
  }
}

/** Returns a function that returns what {@link addUsers} would, and adds nothing. It remembers earlier calls. */
export function createDryRun() {
  const choose = createChoice()
  return async (
    store: Queries,
    databaseId: string,
    users: readonly UserWithTenants[],
  ): Promise<AddedUsers> => {
    const { addable, ...left } = await choose(store, databaseId, users)
    return { added: new Set(addable), ...left }
  }
}

async function insertUsers({ query }: Queries, databaseId: string, users: readonly UserWithTenants[]) {
  // In one order, so that two imports of the same users do not deadlock.
  const rows = users
    .map(({ user }) => user)
    .sort((one, other) => (one.canonicalEmail < other.canonicalEmail ? -1 : 1))
  const inserted = await query<{ canonicalEmail: string }>(insertUsersStatement, [
    databaseId,
    JSON.stringify(rows),
  ])
  return new Set(inserted.map(({ canonicalEmail }) => canonicalEmail))
}

const insertUsersStatement = `
    INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, email_verified_at, disabled_at,
      needs_second_step, generation, tenants_version, created_at, ${listOf(userFields, ({ column }) => column)})
    SELECT $1::uuid, id, email, "canonicalEmail", "passwordHash", "emailVerifiedAt", "disabledAt",
      "needsSecondStep", generation, generation, "createdAt", ${listOf(userFields, ({ name }) => `"${name}"`)}
    FROM json_to_recordset($2::json) AS new_user (
      id uuid, email text, "canonicalEmail" text, "passwordHash" text, "emailVerifiedAt" timestamptz,
      "disabledAt" timestamptz, "needsSecondStep" boolean, generation bigint, "createdAt" timestamptz,
      ${listOf(userFields, ({ name, type }) => `"${name}" ${type}`)})
    ON CONFLICT DO NOTHING
    RETURNING email_key AS "canonicalEmail"`

async function insertTenants(transaction: Queries, databaseId: string, users: readonly UserWithTenants[]) {
  const tenants = users
    .flatMap(({ user, tenants }) => tenants.map((each) => ({ ...each, userId: user.id })))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
  if (tenants.length === 0) return
  const values = [databaseId, JSON.stringify(tenants)]
  await transaction.query(insertTenantsStatement, values)
  await transaction.query(insertMembersStatement, values)
}

const insertTenantsStatement = `
  INSERT INTO usher.tenant (database_id, id, name, created_at, external_id, metadata, private_metadata, seats)
  SELECT $1::uuid, id, name, "createdAt", "externalId", metadata, "privateMetadata", seats
  FROM json_to_recordset($2::json) AS new_tenant (id uuid, name text, "createdAt" timestamptz,
    "externalId" text, metadata json, "privateMetadata" json, seats int)
  ON CONFLICT DO NOTHING`

const insertMembersStatement = `
  INSERT INTO usher.membership (database_id, user_id, tenant_id, joined_at, role)
  SELECT $1::uuid, "userId", id, "joinedAt", role
  FROM json_to_recordset($2::json) AS new_member ("userId" uuid, id uuid, "joinedAt" timestamptz, role text)
  ON CONFLICT DO NOTHING`

/**
 * Adds the identities and second factors of new users.
 *
 * @throws a unique violation (SQLSTATE 23505) if another transaction has linked an identity since the users were chosen
 */
async function insertWaysIn({ query }: Queries, databaseId: string, users: readonly UserWithTenants[]) {
  const rowsOf = <Row extends object>(of: (each: UserWithTenants) => readonly Row[]) =>
    users.flatMap((each) => of(each).map((row) => ({ ...row, userId: each.user.id })))
  const identities = rowsOf(({ identities }) => identities)
  const factors = rowsOf(({ factors }) => factors)
  const passkeys = rowsOf(({ passkeys }) => passkeys).map((each) => ({
    ...each,
    credentialId: hexOf(each.credentialId),
    publicKey: hexOf(each.publicKey),
    userHandle: hexOf(each.userHandle),
  }))
  if (passkeys.length > 0) await query(insertPasskeysStatement, [databaseId, JSON.stringify(passkeys)])
  if (identities.length > 0) await query(insertIdentitiesStatement, [databaseId, JSON.stringify(identities)])
  if (factors.length === 0) return
  const rows = factors.map((each) => ({
    ...each,
    sealedSecret: Buffer.from(each.sealedSecret).toString('hex'),
  }))
  await query(insertFactorsStatement, [databaseId, JSON.stringify(rows)])
}

const hexOf = (text: string) => Buffer.from(text, 'base64url').toString('hex')

const insertPasskeysStatement = `
  INSERT INTO usher.factor (database_id, id, user_id, kind, name, created_at, credential_id, public_key, user_handle, domain,
    transports, sign_count, is_synced, logs_in)
  SELECT $1::uuid, id, "userId", 'passkey', name, "createdAt", decode("credentialId", 'hex'), decode("publicKey", 'hex'),
    decode("userHandle", 'hex'), domain, transports, "signCount", "isSynced", "logsIn"
  FROM json_to_recordset($2::json) AS new_passkey (id uuid, "userId" uuid, name text, "createdAt" timestamptz,
    "credentialId" text, "publicKey" text, "userHandle" text, domain text, transports text[], "signCount" bigint,
    "isSynced" boolean, "logsIn" boolean)`

const insertIdentitiesStatement = `
  INSERT INTO usher.identity (database_id, id, connection, issuer, subject, user_id, email, is_proven, linked_at)
  SELECT $1::uuid, id, connection, issuer, subject, "userId", email, "isProven", "linkedAt"
  FROM json_to_recordset($2::json) AS new_identity (id uuid, connection text, issuer text, subject text,
    "userId" uuid, email text, "isProven" boolean, "linkedAt" timestamptz)`

const insertFactorsStatement = `
  INSERT INTO usher.factor (database_id, id, user_id, kind, name, sealed_secret, last_step, created_at)
  SELECT $1::uuid, id, "userId", 'totp', name, decode("sealedSecret", 'hex'), 0, "createdAt"
  FROM json_to_recordset($2::json) AS new_factor (id uuid, "userId" uuid, name text, "sealedSecret" text,
    "createdAt" timestamptz)`
