import type { DailyStatistics } from '../generated/client.js'
import type { Queries } from '../store.js'

/** What is counted of a database on a day. */
export type DayCounts = Pick<
  DailyStatistics,
  'signUps' | 'logins' | 'failures' | 'throttled' | 'mails' | 'mailsFailed'
>

/** Adds counts to those of a day. */
export const addCounts = (
  { query }: Queries,
  { databaseId, day, ...counts }: DayCounts & { databaseId: string; day: string },
) =>
  query(
    `INSERT INTO usher.daily_statistics AS known
      (database_id, day, sign_ups, logins, failures, throttled, mails, mails_failed)
    VALUES ($1::uuid, $2::date, $3::int, $4::int, $5::int, $6::int, $7::int, $8::int)
    ON CONFLICT (database_id, day) DO UPDATE SET sign_ups = known.sign_ups + excluded.sign_ups,
      logins = known.logins + excluded.logins, failures = known.failures + excluded.failures,
      throttled = known.throttled + excluded.throttled, mails = known.mails + excluded.mails,
      mails_failed = known.mails_failed + excluded.mails_failed`,
    [
      databaseId,
      day,
      counts.signUps,
      counts.logins,
      counts.failures,
      counts.throttled,
      counts.mails,
      counts.mailsFailed,
    ],
  )

/** Returns the days of a database from one on, the oldest first. */
export const findDays = ({ query }: Queries, databaseId: string, from: string) =>
  query<DayCounts & { day: string }>(
    `SELECT day::text AS day, sign_ups AS "signUps", logins, failures, throttled, mails, mails_failed AS "mailsFailed"
    FROM usher.daily_statistics WHERE database_id = $1::uuid AND day >= $2::date ORDER BY day`,
    [databaseId, from],
  )

/** Up to this number, users of a database in a list are counted when they are read. A sweep counts more. */
const exactUsers = 100
/** The same for one database: an index has them side by side. A sweep counts more, which takes longer than a request may. */
const exactUsersOfOne = 5_000

const sweptUsers = (databaseId: string) => `(SELECT users FROM usher.sweep WHERE database_id = ${databaseId})`

/** The number of users, or one more than `exact` if there are more than that and no sweep has counted them yet. */
const usersOf = (databaseId: string, exact = exactUsers) => `
  (CASE WHEN ${sweptUsers(databaseId)} > ${exact} THEN ${sweptUsers(databaseId)} ELSE (
    SELECT count(*) FROM (
      SELECT FROM usher."user" WHERE database_id = ${databaseId} AND reserved_for IS NULL
      ORDER BY created_at, id LIMIT ${exact + 1}
    ) AS first_users
  ) END)::float8`

/** What a list shows of a database. */
export interface DatabaseNumbers {
  users: number
  /** From a day on. */
  logins: number
}

const numbersOf = (databaseId: string) => `
  SELECT ${usersOf(databaseId)} AS users, COALESCE(sum(logins), 0)::float8 AS logins
  FROM usher.daily_statistics WHERE database_id = ${databaseId} AND day >= $2::date`

/** Returns the numbers of each database. On Citus, finds those of one database. */
export async function findNumbers(
  { query }: Queries,
  databaseIds: readonly string[],
  from: string,
): Promise<DatabaseNumbers[]> {
  const [databaseId] = databaseIds
  if (databaseIds.length === 1) return query(numbersOf('$1::uuid'), [databaseId, from])
  return query(
    `SELECT numbers.* FROM unnest((SELECT $1::uuid[])::uuid[]) WITH ORDINALITY AS wanted (id, place)
    CROSS JOIN LATERAL (${numbersOf('wanted.id')}) AS numbers ORDER BY wanted.place`,
    [databaseIds, from],
  )
}

/**
 * Returns the number of users, when a sweep has counted them, if it has counted more than `exactUsersOfOne`, and whether there are
 * more, which no sweep has counted yet.
 */
export async function findUserCount({ query }: Queries, databaseId: string) {
  const [row] = await query<{ users: number; countedAt: Date | null }>(
    `SELECT ${usersOf('$1::uuid', exactUsersOfOne)} AS users,
      (SELECT counted_at FROM usher.sweep WHERE database_id = $1::uuid AND users > ${exactUsersOfOne}) AS "countedAt"`,
    [databaseId],
  )
  const { users, countedAt } = row ?? { users: 0, countedAt: null }
  const hasMore = !countedAt && users > exactUsersOfOne
  return { users: hasMore ? exactUsersOfOne : users, countedAt, hasMore }
}

/** Users that one statement counts. */
const countedRows = 5_000

/** Counts the users of a database whose ids follow one. Returns their number, and the last id, or null if no user is left. */
export async function countUsersAfter({ query }: Queries, databaseId: string, after: string) {
  const [row] = await query<{ users: number; last: string | null }>(
    `SELECT count(*) FILTER (WHERE reserved_for IS NULL)::int AS users,
      CASE WHEN count(*) = ${countedRows} THEN (array_agg(id ORDER BY id DESC))[1] END AS last
    FROM (
      SELECT id, reserved_for FROM usher."user" WHERE database_id = $1::uuid AND id > $2::uuid
      ORDER BY id LIMIT ${countedRows}
    ) AS counted`,
    [databaseId, after],
  )
  return row ?? { users: 0, last: null }
}

/** Stores the number of users of a database that is being swept. */
export const storeUserCount = (
  { query }: Queries,
  databaseId: string,
  { users, countedAt }: { users: number; countedAt: Date },
) =>
  query(
    `UPDATE usher.sweep SET users = $2::bigint, counted_at = $3::timestamptz WHERE database_id = $1::uuid`,
    [databaseId, users, countedAt],
  )
