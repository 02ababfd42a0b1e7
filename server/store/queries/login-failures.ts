import type { Store } from '../store.js'

/** Keys under which failed logins are counted: HMACs of the canonical email and of the client's network. */
export interface Attempt {
  address: Uint8Array
  network: Uint8Array
}

/** Failed logins since the last success. */
export interface Failures {
  count: number
  lastAt: Date
}

/** Failed logins of an address from one network, and over all networks. */
export interface LoginFailures {
  network: Failures | undefined
  account: Failures | undefined
}

/**
 * Counts a failed login. A count whose last failure is before `expired` restarts at 1; up to 100 such counts of
 * other addresses are deleted.
 */
export async function recordLoginFailure(
  store: Pick<Store, 'query'>,
  databaseId: string,
  attempt: Attempt,
  now: Date,
  expired: Date,
): Promise<LoginFailures> {
  const values = [databaseId, attempt.address, attempt.network, now, expired]
  const rows = await store.query<{ isNetwork: boolean; count: number }>(recordLoginFailureStatement, values)
  const failures = (isNetwork: boolean) => {
    const row = rows.find((each) => each.isNetwork === isNetwork)
    return row && { count: row.count, lastAt: now }
  }
  return { network: failures(true), account: failures(false) }
}

const recordLoginFailureStatement = `
  WITH pruned AS (
    DELETE FROM usher.login_failures
    WHERE database_id = $1::uuid AND (address, network) IN (
      SELECT address, network FROM usher.login_failures
      WHERE database_id = $1::uuid AND last_failure_at < $5::timestamptz AND address <> $2::bytea
      LIMIT 100 FOR UPDATE SKIP LOCKED
    )
  )
  INSERT INTO usher.login_failures AS present (database_id, address, network, failures, last_failure_at)
  VALUES ($1::uuid, $2::bytea, ''::bytea, 1, $4::timestamptz),
    ($1::uuid, $2::bytea, $3::bytea, 1, $4::timestamptz)
  ON CONFLICT (database_id, address, network) DO UPDATE SET
    failures = CASE WHEN present.last_failure_at < $5::timestamptz THEN 1 ELSE present.failures + 1 END,
    last_failure_at = excluded.last_failure_at
  RETURNING present.network <> ''::bytea AS "isNetwork", failures AS count`

/**
 * Deletes the failed logins of an address from a network, and those over all networks. That row is locked first,
 * as when a failure is counted, so that the two cannot deadlock.
 */
export async function clearLoginFailures(store: Pick<Store, 'query'>, databaseId: string, attempt: Attempt) {
  await store.query(clearLoginFailuresStatement, [databaseId, attempt.address, attempt.network])
}

const clearLoginFailuresStatement = `
  DELETE FROM usher.login_failures
  WHERE database_id = $1::uuid AND (address, network) IN (
    SELECT address, network FROM usher.login_failures
    WHERE database_id = $1::uuid AND address = $2::bytea AND network IN ($3::bytea, ''::bytea)
    ORDER BY network FOR UPDATE
  )`
