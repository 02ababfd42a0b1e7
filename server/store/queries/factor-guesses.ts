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

/** The time step of a right code, and the app that shows it. */
export interface RightCode {
  factorId: string
  step: number
}

/**
 * Counts a wrong code, or accepts a right one, in one statement: so only as many answers are given as the allowance permits, however
 * many tries arrive together. A right code also ends the rows of wrong codes of the user.
 *
 * @returns the wrong codes in a row including this one, and whether the code was accepted: once for each step of an app. Undefined if
 * the allowance is used up
 */
export async function tryCode(
  { query }: Queries,
  { databaseId, userId, isKnown }: GuessKey,
  { right, now, seconds, latest, mostFailures }: GuessLimits & { right: RightCode | undefined },
) {
  const limits = [now, seconds, latest, mostFailures]
  const values = [databaseId, userId, isKnown, ...limits, right?.factorId ?? null, right?.step ?? null]
  const [row] = await query<{ failures: number; isAccepted: boolean }>(tryStatement, values)
  return row
}

const later = (instant: string) =>
  `(${instant} AT TIME ZONE 'UTC' + $5::int * interval '1 second') AT TIME ZONE 'UTC'`

const tryStatement = `
  WITH counted AS (
    INSERT INTO usher.factor_guess AS present (database_id, user_id, is_known, full_at, failures)
    VALUES ($1::uuid, $2::uuid, $3::boolean,
      CASE WHEN $8::uuid IS NULL THEN ${later('$4::timestamptz')} ELSE $4::timestamptz END,
      CASE WHEN $8::uuid IS NULL THEN 1 ELSE 0 END)
    ON CONFLICT (database_id, user_id, is_known) DO UPDATE SET
      full_at = CASE WHEN $8::uuid IS NULL THEN ${later('GREATEST(present.full_at, $4::timestamptz)')}
        ELSE present.full_at END,
      failures = CASE WHEN $8::uuid IS NULL THEN present.failures + 1 ELSE 0 END
    WHERE present.full_at <= $6::timestamptz AND present.failures < $7::int
    RETURNING failures
  ), accepted AS (
    UPDATE usher.factor
    SET last_step = $9::bigint, last_used_on = ($4::timestamptz AT TIME ZONE 'UTC')::date
    WHERE database_id = $1::uuid AND id = $8::uuid AND last_step < $9::bigint AND EXISTS (SELECT FROM counted)
    RETURNING 1
  ), ended AS (
    UPDATE usher.factor_guess SET failures = 0
    WHERE database_id = $1::uuid AND user_id = $2::uuid AND is_known <> $3::boolean AND failures > 0
      AND EXISTS (SELECT FROM accepted)
  )
  SELECT failures, EXISTS (SELECT FROM accepted) AS "isAccepted" FROM counted`

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
