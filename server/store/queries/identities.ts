import type { Identity, User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { isAccount } from './reserved-addresses.js'
import { change, type Revoked, revoking } from './revocations.js'
import { revokeBy } from './stored-revocations.js'

interface UserKey {
  databaseId: string
  userId: string
}

/** An identity in the list of its user. */
export type ListedIdentity = Omit<Identity, 'databaseId' | 'userId' | 'isProven'>

const listed = 'id, connection, issuer, subject, email, linked_at AS "linkedAt"'

/** Returns the identities of a user, the oldest first. */
export const findIdentities = ({ query }: Queries, { databaseId, userId }: UserKey) =>
  query<ListedIdentity>(findStatement, [databaseId, userId])

const findStatement = `
  SELECT ${listed} FROM usher.identity
  WHERE database_id = $1::uuid AND user_id = $2::uuid ORDER BY linked_at, id`

/** An account at a provider. */
export type IdentityKey = Pick<Identity, 'databaseId' | 'connection' | 'issuer' | 'subject'>

/** The user of an identity. */
export type IdentityHolder = Pick<User, 'id' | 'canonicalEmail' | 'emailVerifiedAt' | 'disabledAt'> & {
  generation: number
}

/** Locks the user of an identity until the transaction ends, and returns the user. Returns undefined if it has none. */
export async function lockIdentityHolder(
  { query }: Queries,
  { databaseId, connection, issuer, subject }: IdentityKey,
) {
  const [user] = await query<IdentityHolder>(lockHolderStatement, [databaseId, connection, issuer, subject])
  return user
}

const ofIdentity = `FROM usher.identity AS i
  JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = i.user_id
  WHERE i.database_id = $1::uuid AND i.connection = $2 AND i.issuer = $3 AND i.subject = $4`

const lockHolderStatement = `
  SELECT u.id, u.email_key AS "canonicalEmail", u.email_verified_at AS "emailVerifiedAt",
    u.disabled_at AS "disabledAt", u.generation
  ${ofIdentity} AND ${isAccount('u')} FOR NO KEY UPDATE OF u`

/** Returns the id of the user of an identity, or undefined. */
export async function findIdentityUserId(
  { query }: Queries,
  { databaseId, connection, issuer, subject }: IdentityKey,
) {
  const [user] = await query<{ id: string }>(findUserIdStatement, [databaseId, connection, issuer, subject])
  return user?.id
}

const findUserIdStatement = `SELECT u.id ${ofIdentity}`

/**
 * Links an identity to a locked user.
 *
 * @throws a unique violation (SQLSTATE 23505) if the identity is another user's, or if the user has one of the connection
 */
export const insertIdentity = ({ query }: Queries, identity: Identity) => {
  const { databaseId, id, connection, issuer, subject, userId, email, isProven, linkedAt } = identity
  const values = [databaseId, id, connection, issuer, subject, userId, email, isProven, linkedAt]
  return query(insertStatement, values)
}

const insertStatement = `
  INSERT INTO usher.identity (database_id, id, connection, issuer, subject, user_id, email, is_proven, linked_at)
  VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6::uuid, $7, $8::boolean, $9::timestamptz)`

/** Deletes an identity of a user. Returns the name of its connection, or undefined if the user has no such identity. */
export async function deleteIdentity(
  { query }: Queries,
  { databaseId, userId, id }: UserKey & { id: string },
) {
  const [deleted] = await query<Pick<Identity, 'connection'>>(deleteStatement, [databaseId, userId, id])
  return deleted?.connection
}

const deleteStatement = `
  DELETE FROM usher.identity WHERE database_id = $1::uuid AND user_id = $2::uuid AND id = $3::uuid
  RETURNING connection`

/** An identity that was deleted with others. */
export type DeletedIdentity = Pick<Identity, 'id' | 'connection'>

/** Deletes all identities of a user. */
export const deleteIdentities = ({ query }: Queries, { databaseId, userId }: UserKey) =>
  query<DeletedIdentity>(deleteAllStatement, [databaseId, userId])

const deleteAllStatement = `
  DELETE FROM usher.identity WHERE database_id = $1::uuid AND user_id = $2::uuid RETURNING id, connection`

/** Deletes the identities of a user that were linked while the address was not verified. */
export const deleteUnprovenIdentities = ({ query }: Queries, { databaseId, userId }: UserKey) =>
  query<DeletedIdentity>(deleteUnprovenStatement, [databaseId, userId])

const deleteUnprovenStatement = `
  DELETE FROM usher.identity WHERE database_id = $1::uuid AND user_id = $2::uuid AND NOT is_proven
  RETURNING id, connection`

/** Revokes the tokens and sessions of a user, of whom an identity was removed. */
export async function revokeAfterRemoval(transaction: Queries, { databaseId, userId }: UserKey, now: Date) {
  const values: [string, string, ...unknown[]] = [databaseId, userId, now.getTime()]
  const [revoked] = await revokeBy<Revoked>(transaction, { text: revokeStatement, values, now })
  return revoked
}

const revokeStatement = change(revoking('$3'), 'true')
