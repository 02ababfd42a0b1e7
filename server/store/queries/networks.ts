import type { Queries } from '../store.js'

/** A failure of a client network, and the limits of its timestamp. */
export interface NetworkFailure {
  now: Date
  /** Time by which one failure delays the full allowance. */
  milliseconds: number
  /** The latest possible time of a full allowance. */
  latest: Date
  /** A later stored time is ignored, because it was written before the clock was set back. */
  impossible: Date
}

/**
 * Counts a failure of a client network over all accounts, and deletes up to 100 networks whose allowance is full.
 *
 * @returns when the network's allowance will be full again
 */
export async function recordNetworkFailure(
  store: Queries,
  { databaseId, network }: { databaseId: string; network: Uint8Array },
  { now, milliseconds, latest, impossible }: NetworkFailure,
): Promise<Date> {
  const first = new Date(now.getTime() + milliseconds)
  const values = [databaseId, network, now, first, milliseconds, latest, impossible]
  const [row] = await store.query<{ fullAt: Date }>(recordStatement, values)
  return row?.fullAt ?? now
}

// Citus accepts only immutable functions here. Adding an interval is immutable in a fixed time zone.
const recordStatement = `
  WITH pruned AS (
    DELETE FROM usher.network_failures
    WHERE database_id = $1::uuid AND network IN (
      SELECT network FROM usher.network_failures
      WHERE database_id = $1::uuid AND full_at < $3::timestamptz AND network <> $2::bytea
      ORDER BY full_at LIMIT 100 FOR UPDATE SKIP LOCKED
    )
  )
  INSERT INTO usher.network_failures AS present (database_id, network, full_at)
  VALUES ($1::uuid, $2::bytea, $4::timestamptz)
  ON CONFLICT (database_id, network) DO UPDATE SET
    full_at = CASE WHEN present.full_at > $7::timestamptz THEN $4::timestamptz ELSE LEAST($6::timestamptz,
      (GREATEST(present.full_at, $3::timestamptz) AT TIME ZONE 'UTC' + $5::int * interval '1 millisecond')
        AT TIME ZONE 'UTC') END
  RETURNING full_at AS "fullAt"`

/** Returns whether a user has logged in from another network. */
export async function hasOtherNetwork(
  store: Queries,
  { databaseId, userId, network }: { databaseId: string; userId: string; network: Uint8Array },
) {
  return (await store.query(otherNetworkStatement, [databaseId, userId, network])).length > 0
}

const otherNetworkStatement = `
  SELECT 1 FROM usher.known_network
  WHERE database_id = $1::uuid AND user_id = $2::uuid AND network <> $3::bytea LIMIT 1`

/** Records that a user has logged in from a network. */
export async function rememberNetwork(
  store: Queries,
  { databaseId, userId, network }: { databaseId: string; userId: string; network: Uint8Array },
  now: Date,
) {
  await store.query(rememberStatement, [databaseId, userId, network, now])
}

const rememberStatement = `
  INSERT INTO usher.known_network (database_id, user_id, network, last_login_at)
  VALUES ($1::uuid, $2::uuid, $3::bytea, $4::timestamptz)
  ON CONFLICT (database_id, user_id, network) DO UPDATE SET last_login_at = excluded.last_login_at`

/** Deletes the networks from which a user has logged in. */
export const forgetNetworks = (
  { query }: Queries,
  { databaseId, userId }: { databaseId: string; userId: string },
) => query(forgetStatement, [databaseId, userId])

const forgetStatement = 'DELETE FROM usher.known_network WHERE database_id = $1::uuid AND user_id = $2::uuid'
