import type { FactorGuess } from '../generated/client.js'
import type { Queries } from '../store.js'

type GuessKey = Pick<FactorGuess, 'databaseId' | 'userId' | 'isKnown'>

/** What a try costs, and what the allowance permits. */
export interface GuessLimits {
  now: Date
  /** Seconds by which a try delays the full allowance. */
  seconds: number
  /** The latest time of a full allowance at which another try is permitted. */
  latest: Date
  /** Wrong codes in a row after which no code is accepted. */
  mostFailures: number
}

/**
 * Counts a try before its code is compared, unless the allowance is used up.
 *
 * @returns the wrong codes in a row including this one. Undefined if it was not counted
 */
export async function reserveGuess(
  { query }: Queries,
  { databaseId, userId, isKnown }: GuessKey,
  { now, seconds, latest, mostFailures }: GuessLimits,
) {
  const values = [databaseId, userId, isKnown, now, seconds, latest, mostFailures]
  const [row] = await query<Pick<FactorGuess, 'failures'>>(reserveStatement, values)
  return row?.failures
}

const later = (instant: string, seconds: string) =>
  `(${instant} AT TIME ZONE 'UTC' + ${seconds} * interval '1 second') AT TIME ZONE 'UTC'`

const reserveStatement = `
  INSERT INTO usher.factor_guess AS present (database_id, user_id, is_known, full_at, failures)
  VALUES ($1::uuid, $2::uuid, $3::boolean, ${later('$4::timestamptz', '$5::int')}, 1)
  ON CONFLICT (database_id, user_id, is_known) DO UPDATE SET
    full_at = ${later('GREATEST(present.full_at, $4::timestamptz)', '$5::int')}, failures = present.failures + 1
  WHERE present.full_at <= $6::timestamptz AND present.failures < $7::int
  RETURNING failures`

/** Takes back the count of a try whose code was right, and ends the rows of wrong codes of the user. */
export const releaseGuess = (
  { query }: Queries,
  { databaseId, userId, isKnown }: GuessKey,
  seconds: number,
) => query(releaseStatement, [databaseId, userId, isKnown, seconds])

const releaseStatement = `
  UPDATE usher.factor_guess SET failures = 0,
    full_at = CASE WHEN is_known = $3::boolean THEN ${later('full_at', '-$4::int')} ELSE full_at END
  WHERE database_id = $1::uuid AND user_id = $2::uuid`

/** Ends the rows of wrong codes of a user, after a recovery code. */
export const forgetFailures = ({ query }: Queries, { databaseId, userId }: Omit<GuessKey, 'isKnown'>) =>
  query(forgetStatement, [databaseId, userId])

const forgetStatement = `
  UPDATE usher.factor_guess SET failures = 0 WHERE database_id = $1::uuid AND user_id = $2::uuid AND failures > 0`

/** Returns when the allowance of a user is full, and the wrong codes in a row, or undefined. */
export async function findGuesses({ query }: Queries, { databaseId, userId, isKnown }: GuessKey) {
  const [row] = await query<Pick<FactorGuess, 'fullAt' | 'failures'>>(findStatement, [
    databaseId,
    userId,
    isKnown,
  ])
  return row
}

const findStatement = `
  SELECT full_at AS "fullAt", failures FROM usher.factor_guess
  WHERE database_id = $1::uuid AND user_id = $2::uuid AND is_known = $3::boolean`
