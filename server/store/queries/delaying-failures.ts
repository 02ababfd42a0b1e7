import type { Queries } from '../store.js'
import type { Failures, LoginFailures } from './login-failures.js'
import { unindexed } from './unindexed.js'

/** Counts that may delay a login. Lower or earlier ones do not. */
export interface Delaying {
  count: number
  since: Date
}

/**
 * Returns an expression for whether a login to a database may be delayed. It reads few rows, so it is also true if many
 * logins have failed recently.
 */
export const mayDelayLogins = (least: { count: string; since: string }) => `(
    SELECT count(*) = 100 OR COALESCE(bool_or(failures >= ${least.count}::int), false)
    FROM (
      SELECT failures FROM usher.login_failures
      WHERE database_id = $1::uuid AND last_failure_at > ${least.since}::timestamptz
      ORDER BY last_failure_at LIMIT 100
    ) AS recent
  )`

/**
 * Returns the counts that may delay a login, by the position of their address: those of networks, and those over all
 * networks. At most 100 of an address, the highest.
 */
export async function findDelayingFailures(
  store: Queries,
  { databaseId, addresses }: { databaseId: string; addresses: readonly Uint8Array[] },
  least: Delaying,
): Promise<({ index: number } & LoginFailures)[]> {
  const rows = await store.query<Failures & { isNetwork: boolean; place: number }>(findDelayingStatement, [
    databaseId,
    arrayOf(addresses),
    least.count,
    least.since,
  ])
  return rows.map(({ isNetwork, place, ...failures }) => ({
    index: place - 1,
    network: isNetwork ? failures : undefined,
    account: isNetwork ? undefined : failures,
  }))
}

/** Returns the literal of a Postgres array of bytes, which not every driver writes. */
const arrayOf = (items: readonly Uint8Array[]) =>
  `{${items.map((bytes) => `"\\\\x${Buffer.from(bytes).toString('hex')}"`).join(',')}}`

// As for users of tokens: the addresses are hidden from the planner, and each is looked up by the key of the table.
const findDelayingStatement = `
  SELECT wanted.place::int, found.failures AS count, found.last_failure_at AS "lastAt",
    found.network <> ''::bytea AS "isNetwork"
  FROM unnest((SELECT $2::bytea[])::bytea[]) WITH ORDINALITY AS wanted (address, place)
  CROSS JOIN LATERAL (
    SELECT * FROM usher.login_failures
    WHERE database_id = $1::uuid AND address = wanted.address AND failures >= $3::int
      AND ${unindexed('last_failure_at > $4::timestamptz')}
    ORDER BY failures DESC LIMIT 100
  ) AS found`
