import type { User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { listOf, parametersOf, type UserFields, userFields } from './user-fields.js'

/** A user whom an operator or a backend adds. */
export type NewAccount = UserFields &
  Pick<
    User,
    'databaseId' | 'id' | 'email' | 'canonicalEmail' | 'passwordHash' | 'emailVerifiedAt' | 'createdAt'
  >

/** Inserts a user. Returns false if the email or the external id is taken. */
export async function insertAccount({ query }: Queries, user: NewAccount) {
  const { databaseId, id, email, canonicalEmail, passwordHash, emailVerifiedAt, createdAt } = user
  const inserted = await query(insertStatement, [
    ...[databaseId, id, email, canonicalEmail, passwordHash, emailVerifiedAt, createdAt],
    createdAt.getTime(),
    ...parametersOf(user),
  ])
  return inserted.length > 0
}

const insertStatement = `
  INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, email_verified_at,
    created_at, generation, ${listOf(userFields, ({ column }) => column)})
  VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6::timestamptz, $7::timestamptz, $8::bigint,
    ${listOf(userFields, ({ type, index }) => `$${index + 9}::${type}`)})
  ON CONFLICT DO NOTHING RETURNING 1`
