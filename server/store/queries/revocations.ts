import type { User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { revokeBy } from './stored-revocations.js'
import { unindexed } from './unindexed.js'

// The user's generation decides whether tokens and sessions are revoked. It is a number that each revocation raises
// in its own statement. A login reads it, and its token and session carry it. They are accepted only while the user
// still has the same number. A timestamp cannot decide this, because it is taken before the commit, and clocks
// differ.

/** A user at the time when a request read it. */
export interface ReadUser extends Pick<User, 'id'> {
  generation: number
}

/** The generation of a user after a revocation, for the next token. */
export type Revoked = Pick<ReadUser, 'generation'>

/** Returns an expression for the instant some seconds after another, with functions that Citus regards as immutable. */
export const after = (instant: string, seconds: string) =>
  `(${instant} AT TIME ZONE 'UTC' + ${seconds}::int * interval '1 second') AT TIME ZONE 'UTC'`

/** Returns the condition that session `s` of user `u` has not ended. */
export const isOpen = (now: string) =>
  `${unindexed(`s.expires_at > ${now}::timestamptz`)} AND ${isNotRevoked}`

/** The condition that session `s` of user `u` was not ended before it expired. */
export const isNotRevoked = `s.ended_at IS NULL AND s.generation = u.generation`

/** Returns the condition that user `u` is enabled and was not revoked since the request read it. */
export const isUnchanged = (generation: string) =>
  `u.disabled_at IS NULL AND u.generation = ${generation}::bigint`

/**
 * Returns the expression for the generation after a revocation. It follows the milliseconds, so that a user who is restored
 * from a backup does not get a generation of the tokens that were issued after the backup.
 */
export const nextGeneration = (generation: string, milliseconds: string) =>
  `GREATEST(${generation} + 1, ${milliseconds}::bigint)`

/**
 * Returns an assignment that revokes the tokens and sessions of user `u`.
 *
 * @param milliseconds since the epoch, by the clock of the server
 */
export const revoking = (milliseconds: string) =>
  `generation = ${nextGeneration('u.generation', milliseconds)}`

/**
 * Returns parts of a statement that delete a user's codes to reset the password or to change the address, and the
 * waiting mails with such codes. The statement does not see a code that is stored meanwhile, but that code has the
 * previous generation.
 */
export const withoutResetCodes = (changed: string) => `code AS (
    DELETE FROM usher.code USING ${changed}
    WHERE code.database_id = $1::uuid AND code.user_id = ${changed}.id
      AND code.purpose IN ('password_reset', 'email_change')
  ), message AS (
    DELETE FROM usher.outbox AS message USING ${changed}
    WHERE message.database_id = $1::uuid AND message.user_id = ${changed}.id
      AND message.kind = 'mail' AND message.payload->>'type' IN ('password_reset', 'email_change')
  )`

/** Returns a statement that changes user `u`, and deletes the user's codes to reset the password or to change the address. */
export const change = (assignments: string, condition: string) => `
  WITH changed AS (
    UPDATE usher."user" AS u SET ${assignments}
    WHERE u.database_id = $1::uuid AND u.id = $2::uuid AND ${condition}
    RETURNING u.id, u.generation
  ), ${withoutResetCodes('changed')}
  SELECT generation FROM changed`

type UserKey = Pick<User, 'databaseId' | 'id'>

/**
 * Revokes the tokens and sessions of a user. Returns undefined if there is no such user.
 *
 * @param change.passwordHash replaces the password hash
 */
export async function revokeUserTokens(
  transaction: Queries,
  { databaseId, id }: UserKey,
  { now, passwordHash = null }: { now: Date; passwordHash?: string | null | undefined },
) {
  const values: [string, string, ...unknown[]] = [databaseId, id, now.getTime(), passwordHash]
  const [revoked] = await revokeBy<Revoked>(transaction, { text: revokeStatement, values, now })
  return revoked
}

const revokeStatement = change(`${revoking('$3')}, password_hash = COALESCE($4, u.password_hash)`, 'true')

/** Disables a user and revokes the user's tokens and sessions. */
export const disableUser = (transaction: Queries, { databaseId, id }: UserKey, now: Date) =>
  revokeBy(transaction, { text: disableStatement, values: [databaseId, id, now.getTime(), now], now })

const disableStatement = change(`${revoking('$3')}, disabled_at = $4::timestamptz`, 'u.disabled_at IS NULL')

/** Enables a user. Earlier tokens and sessions stay revoked. */
export const enableUser = ({ query }: Queries, { databaseId, id }: UserKey) =>
  query(enableStatement, [databaseId, id])

const enableStatement = `
  UPDATE usher."user" AS u SET disabled_at = NULL
  WHERE u.database_id = $1::uuid AND u.id = $2::uuid AND u.disabled_at IS NOT NULL`
