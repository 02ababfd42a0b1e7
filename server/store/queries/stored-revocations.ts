import { v7 as uuidv7 } from 'uuid'
import type { Queries } from '../store.js'

// A revocation tells backends that verify tokens by themselves which tokens to reject, or which of their claims have changed.
// The functions of this folder that revoke something store it in the transaction of the change, so that a killed server stores
// both or neither.

/** A revocation as it is listed. */
export type RevocationPayload =
  /** Tokens of the user with an earlier generation, or without one, are refused. */
  | { type: 'tokens-revoked'; userId: string; generation: number }
  /** Tokens of the session, and the token of the login that opened it, are refused. */
  | { type: 'session-revoked'; userId: string; sessionId: string }
  /** The user of tokens with an earlier `tenants_version`, or without one, has this role in the tenant. Null: left it. */
  | { type: 'token-claims-change'; userId: string; version: number; tenantId: string; role: string | null }
  /** No token has the tenant any more. */
  | { type: 'tenant-deleted'; tenantId: string }
  /** Tokens of the key are refused. */
  | { type: 'key-retired'; kid: string }

/** When and in which database something is revoked. */
export interface RevocationOrigin {
  databaseId: string
  now: Date
  /** The user whose share of the list it takes: who ended a session, or changed a tenant as a member. */
  actorId?: string | undefined
}

/** Stores a revocation, in the transaction of its change. */
export const storeRevocation = (
  { query }: Queries,
  { databaseId, now, actorId }: RevocationOrigin,
  payload: RevocationPayload,
) => query(storeStatement, [databaseId, uuidv7(), JSON.stringify(payload), now, actorId ?? null])

const storeStatement = `
  INSERT INTO usher.revocation (database_id, id, payload, created_at, actor_id)
  VALUES ($1::uuid, $2::uuid, $3::jsonb, $4::timestamptz, $5::uuid)`

/**
 * Number of ended sessions and changes of tenants that are listed for one user within the time that revocations are kept.
 * Without the limit, one user could fill the memory of backends that follow revocations.
 */
const shareOfUser = 1_000

/** Returns whether a user's share of the list is taken. Exact if the caller has locked the user. */
export async function isShareTaken(
  { query }: Queries,
  { databaseId, actorId }: { databaseId: string; actorId: string },
) {
  const rows = await query(findLastOfActorStatement, [databaseId, actorId, shareOfUser - 1])
  return rows.length > 0
}

const findLastOfActorStatement = `
  SELECT 1 FROM usher.revocation WHERE database_id = $1::uuid AND actor_id = $2::uuid OFFSET $3::int LIMIT 1`

/**
 * Runs a statement that revokes the tokens of a user, and stores the revocation. Returns its rows, of which the first has the
 * user's new generation.
 *
 * @param values the database, the user, and what else the statement needs
 */
export async function revokeBy<Row extends { generation: number }>(
  { query }: Queries,
  { text, values, now }: { text: string; values: [string, string, ...unknown[]]; now: Date },
) {
  const [databaseId, userId] = values
  const rows = await query<Row>(text, values)
  for (const { generation } of rows.slice(0, 1))
    await storeTokensRevoked({ query }, { databaseId, now }, { userId, generation })
  return rows
}

/** Stores that the tokens of a user with an earlier generation are revoked. */
export const storeTokensRevoked = (
  transaction: Queries,
  origin: RevocationOrigin,
  { userId, generation }: { userId: string; generation: number },
) => storeRevocation(transaction, origin, { type: 'tokens-revoked', userId, generation })
