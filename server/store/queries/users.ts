import type { User } from '../generated/client.js'
import type { Queries } from '../store.js'
import type { Tenancy } from './user-tenants.js'

// Statements of requests do not use Prisma: its client takes five round trips for a sign-up instead of one, and its raw
// queries add a third to the CPU time of a read (measured by npm run bench). Each statement names database_id, always
// as $1, for every table, so that a distributed store sends it to one shard.

export type UserWithoutPassword = Pick<
  User,
  'id' | 'email' | 'disabledAt' | 'emailVerifiedAt' | 'createdAt' | 'needsSecondStep'
> &
  Tenancy & {
    generation: number
  }

export type UserWithPassword = UserWithoutPassword & Pick<User, 'passwordHash'>

export const userColumns = `
  u.id, u.email, u.generation, u.tenants_version AS "tenantsVersion",
  u.email_verified_at AS "emailVerifiedAt", u.created_at AS "createdAt",
  u.needs_second_step AS "needsSecondStep"`

/** Replaces the password hash of a user, unless it has been replaced since the user was read. */
export const replacePasswordHash = (
  store: Queries,
  { databaseId, id, passwordHash }: Pick<User, 'databaseId' | 'id'> & { passwordHash: string },
  newHash: string,
) => store.query(replacePasswordHashStatement, [databaseId, id, passwordHash, newHash])

const replacePasswordHashStatement = `
  UPDATE usher."user" SET password_hash = $4
  WHERE database_id = $1::uuid AND id = $2::uuid AND password_hash = $3`

/** Returns whether a user exists whose address is verified. */
export async function hasVerifiedAddress(
  { query }: Queries,
  { databaseId, userId }: { databaseId: string; userId: string },
) {
  return (await query(hasVerifiedAddressStatement, [databaseId, userId])).length > 0
}

const hasVerifiedAddressStatement = `
  SELECT 1 FROM usher."user"
  WHERE database_id = $1::uuid AND id = $2::uuid AND email_verified_at IS NOT NULL`

/** Returns whether a user exists who has a password. */
export async function hasPassword({ query }: Queries, { databaseId, id }: Pick<User, 'databaseId' | 'id'>) {
  return (await query(hasPasswordStatement, [databaseId, id])).length > 0
}

const hasPasswordStatement = `
  SELECT 1 FROM usher."user" WHERE database_id = $1::uuid AND id = $2::uuid AND password_hash IS NOT NULL`
