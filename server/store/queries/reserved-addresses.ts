import type { User } from '../generated/client.js'
import type { Queries } from '../store.js'

// A former address stays taken while its user can undo the change: a row of "user" that is not an account holds it in the same
// unique index. Callers that add or delete such a row have locked the user for whom it is reserved.

type UserKey = Pick<User, 'databaseId'> & { userId: string }

/** Returns the condition that row `u` of "user" is an account. */
export const isAccount = (u: string) => `${u}.reserved_for IS NULL`

/** A former address of a user. */
export interface ReservedAddress extends Pick<User, 'id' | 'email' | 'canonicalEmail'> {
  /** Position among the reserved addresses of the user, in the order of the changes. */
  number: number
  until: Date
}

const reservedColumns = `id, email, email_key AS "canonicalEmail", generation AS number, reserved_until AS until`

/** Returns the reserved addresses of a user, in the order of the changes. */
export const listReserved = ({ query }: Queries, { databaseId, userId }: UserKey) =>
  query<ReservedAddress>(listStatement, [databaseId, userId])

const listStatement = `
  SELECT ${reservedColumns} FROM usher."user"
  WHERE database_id = $1::uuid AND reserved_for = $2::uuid ORDER BY generation`

/** Returns a reserved address with its user, or undefined if it is not reserved any more. */
export async function findReserved(store: Queries, { databaseId, id }: Pick<User, 'databaseId' | 'id'>) {
  type Found = ReservedAddress & { userId: string }
  const [found] = await store.query<Found>(findStatement, [databaseId, id])
  return found
}

const findStatement = `
  SELECT ${reservedColumns}, reserved_for AS "userId" FROM usher."user"
  WHERE database_id = $1::uuid AND id = $2::uuid AND reserved_for IS NOT NULL`

/** Frees the reserved addresses of a user from a position on. Returns a row for each. */
export const freeReserved = ({ query }: Queries, { databaseId, userId }: UserKey, number: number) =>
  query(freeStatement, [databaseId, userId, number])

const freeStatement = `
  DELETE FROM usher."user"
  WHERE database_id = $1::uuid AND reserved_for = $2::uuid AND generation >= $3::bigint
  RETURNING 1`

/** Returns the holder of an address: an account, or a user for whom it is reserved. Returns undefined if it is free. */
export async function findHolder({ query }: Queries, databaseId: string, canonicalEmail: string) {
  const [holder] = await query<{ isReserved: boolean }>(holderStatement, [databaseId, canonicalEmail])
  return holder
}

const holderStatement = `
  SELECT reserved_for IS NOT NULL AS "isReserved" FROM usher."user" WHERE database_id = $1::uuid AND email_key = $2`

/** An address to reserve. */
export interface NewReservation extends ReservedAddress, UserKey {
  now: Date
}

/** Reserves the former address of a user, after the user has got another one. */
export const reserveAddress = (
  { query }: Queries,
  { databaseId, userId, id, email, canonicalEmail, number, until, now }: NewReservation,
) => query(reserveStatement, [databaseId, id, email, canonicalEmail, now, number, userId, until])

const reserveStatement = `
  INSERT INTO usher."user" (database_id, id, email, email_key, created_at, disabled_at, generation, reserved_for,
    reserved_until)
  VALUES ($1::uuid, $2::uuid, $3, $4, $5::timestamptz, $5::timestamptz, $6::bigint, $7::uuid, $8::timestamptz)`
