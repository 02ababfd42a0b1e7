import type { User } from '../generated/client.js'
import type { Queries } from '../store.js'
import type { ProductFields } from './product-fields.js'

/** A user whom an operator or a backend adds. */
export type NewAccount = ProductFields &
  Pick<
    User,
    | 'databaseId'
    | 'id'
    | 'email'
    | 'canonicalEmail'
    | 'passwordHash'
    | 'preferredName'
    | 'locale'
    | 'emailVerifiedAt'
    | 'createdAt'
  >

/** Inserts a user. Returns false if the email or the external id is taken. */
export async function insertAccount({ query }: Queries, user: NewAccount) {
  const { databaseId, id, email, canonicalEmail, passwordHash, preferredName, emailVerifiedAt } = user
  const { locale, externalId, metadata, privateMetadata, createdAt } = user
  const inserted = await query(insertStatement, [
    ...[databaseId, id, email, canonicalEmail, passwordHash, preferredName, emailVerifiedAt, externalId],
    metadata && JSON.stringify(metadata),
    privateMetadata && JSON.stringify(privateMetadata),
    createdAt,
    createdAt.getTime(),
    locale,
  ])
  return inserted.length > 0
}

const insertStatement = `
  INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, preferred_name, email_verified_at,
    external_id, metadata, private_metadata, created_at, generation, locale)
  VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6, $7::timestamptz, $8, $9::json, $10::json, $11::timestamptz, $12::bigint, $13)
  ON CONFLICT DO NOTHING RETURNING 1`
