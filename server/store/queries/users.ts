import type { User } from '../generated/client.js'
import type { Store } from '../store.js'
import { changeWithMessages, type MessagesOf, type Transactions } from './outbox.js'
import { isUnchanged, type ReadUser } from './revocations.js'
import type { Tenancy } from './user-tenants.js'

// Statements of requests do not use Prisma: its client takes five round trips for a sign-up instead of one, and its raw
// queries add a third to the CPU time of a read (measured by npm run bench). Each statement names database_id, always
// as $1, for every table, so that a distributed store sends it to one shard.

export type UserWithoutPassword = Pick<
  User,
  'id' | 'email' | 'preferredName' | 'disabledAt' | 'emailVerifiedAt' | 'createdAt'
> &
  Tenancy & {
    generation: number
  }

export type UserWithTenants = UserWithoutPassword & Pick<User, 'passwordHash'>

export const userColumns = `
  u.id, u.email, u.preferred_name AS "preferredName",
  u.generation, u.tenants_version AS "tenantsVersion",
  u.email_verified_at AS "emailVerifiedAt", u.created_at AS "createdAt"`

/** Replaces the password hash of a user, unless it has been replaced since the user was read. */
export const replacePasswordHash = (
  store: Pick<Store, 'query'>,
  { databaseId, id, passwordHash }: Pick<User, 'databaseId' | 'id' | 'passwordHash'>,
  newHash: string,
) => store.query(replacePasswordHashStatement, [databaseId, id, passwordHash, newHash])

const replacePasswordHashStatement = `
  UPDATE usher."user" SET password_hash = $4
  WHERE database_id = $1::uuid AND id = $2::uuid AND password_hash = $3`

/** Fields that users change themselves. Undefined ones do not change. */
export interface OwnFields {
  preferredName?: string | null | undefined
  locale?: string | null | undefined
}

/** A user after a change of own fields. */
export interface ChangedFields extends Pick<User, 'preferredName' | 'locale'> {
  isChanged: boolean
}

/** Changes fields of a user. Returns undefined if the user has changed since the request read it. */
export async function updateOwnFields(
  store: Transactions,
  { databaseId, id, generation }: ReadUser & Pick<User, 'databaseId'>,
  { preferredName, locale, messages }: OwnFields & { messages: MessagesOf<ChangedFields> },
) {
  const given = [preferredName !== undefined, preferredName ?? null, locale !== undefined, locale ?? null]
  const values = [databaseId, id, generation, ...given]
  const [user] = await changeWithMessages<ChangedFields>(
    store,
    { text: updateOwnFieldsStatement, values },
    messages,
  )
  return user
}

// The user is locked first, so that `former` is the latest state of the user.
const updateOwnFieldsStatement = `
  UPDATE usher."user" AS u SET
    preferred_name = CASE WHEN $4::boolean THEN $5::text ELSE former.preferred_name END,
    locale = CASE WHEN $6::boolean THEN $7::text ELSE former.locale END
  FROM (
    SELECT id, preferred_name, locale FROM usher."user"
    WHERE database_id = $1::uuid AND id = $2::uuid FOR NO KEY UPDATE
  ) AS former
  WHERE u.database_id = $1::uuid AND u.id = former.id AND ${isUnchanged('$3')}
  RETURNING u.preferred_name AS "preferredName", u.locale,
    (u.preferred_name, u.locale) IS DISTINCT FROM (former.preferred_name, former.locale) AS "isChanged"`

/** Returns whether a user exists whose address is verified. */
export async function hasVerifiedAddress(
  { query }: Pick<Store, 'query'>,
  { databaseId, userId }: { databaseId: string; userId: string },
) {
  return (await query(hasVerifiedAddressStatement, [databaseId, userId])).length > 0
}

const hasVerifiedAddressStatement = `
  SELECT 1 FROM usher."user"
  WHERE database_id = $1::uuid AND id = $2::uuid AND email_verified_at IS NOT NULL`
