import type { Queries } from '../store.js'

/** Keys by which failed logins are counted: HMACs of the canonical email and of the client's network. */
export interface Attempt {
  address: Uint8Array
  network: Uint8Array
}

/** Failed logins since the last success. */
export interface Failures {
  count: number
  lastAt: Date
}

export interface LoginFailures {
  network: Failures | undefined
  /** Undefined also for a known network, because failures of other networks do not delay its logins. */
  account: Failures | undefined
}

/** How a failure is counted: with `account`, also over all networks. */
export interface CountedFailure {
  attempt: Attempt
  now: Date
  /** A count whose last failure is earlier restarts at 1. */
  expired: Date
  account: boolean
}

const counted = (account: boolean) => `
  INSERT INTO usher.login_failures AS present (database_id, address, network, failures, last_failure_at)
  VALUES ${account ? "($1::uuid, $2::bytea, ''::bytea, 1, $4::timestamptz)," : ''}
    ($1::uuid, $2::bytea, $3::bytea, 1, $4::timestamptz)
  ON CONFLICT (database_id, address, network) DO UPDATE SET
    failures = CASE WHEN present.last_failure_at < $5::timestamptz THEN 1 ELSE present.failures + 1 END,
    last_failure_at = excluded.last_failure_at`

/** Counts a failed login, and deletes up to 100 expired counts of other addresses. */
export async function recordLoginFailure(store: Queries, databaseId: string, count: CountedFailure) {
  const { attempt, now, expired, account } = count
  await store.query(recordStatements[account ? 'account' : 'network'], [
    databaseId,
    attempt.address,
    attempt.network,
    now,
    expired,
  ])
}

const recordStatement = (account: boolean) => `
  WITH pruned AS (
    DELETE FROM usher.login_failures
    WHERE database_id = $1::uuid AND (address, network) IN (
      SELECT address, network FROM usher.login_failures
      WHERE database_id = $1::uuid AND last_failure_at < $5::timestamptz AND address <> $2::bytea
      ORDER BY last_failure_at LIMIT 100 FOR UPDATE SKIP LOCKED
    )
  )${counted(account)}`

const recordStatements = { account: recordStatement(true), network: recordStatement(false) }

/**
 * Counts an attempt before it is verified, if the counts are below their limits or have not changed since the caller
 * read them. Of concurrent attempts, when only one is due, only one is counted.
 *
 * @returns whether the attempt was counted; if not, nothing has changed
 */
export async function reserveAttempt(
  store: Queries,
  { databaseId, attempt, now, expired, account }: CountedFailure & { databaseId: string },
  { decidedOn, limits }: { decidedOn: LoginFailures; limits: { network: number; account: number } },
): Promise<boolean> {
  const { address, network } = attempt
  const kind = account ? 'account' : 'network'
  const values: unknown[] = [databaseId, address, network, now, expired, limits.network]
  values.push(decidedOn.network?.count ?? null, decidedOn.network?.lastAt ?? null)
  if (account) {
    values.push(limits.account, decidedOn.account?.count ?? null, decidedOn.account?.lastAt ?? null)
  }
  const rows = await store.query<{ network: Uint8Array }>(reserveStatements[kind], values)
  if (rows.length === (account ? 2 : 1)) return true
  for (const row of rows) await releaseAttempt(store, databaseId, { address, network: row.network })
  return false
}

const reserveStatement = (account: boolean) => `${counted(account)}
  WHERE (present.network = $3::bytea AND (present.failures < $6::int
      OR (present.failures = $7::int AND present.last_failure_at = $8::timestamptz)))
    ${
      account
        ? `OR (present.network = ''::bytea AND (present.failures < $9::int
      OR (present.failures = $10::int AND present.last_failure_at = $11::timestamptz)))`
        : ''
    }
  RETURNING present.network`

const reserveStatements = { account: reserveStatement(true), network: reserveStatement(false) }

export async function releaseAttempt(store: Queries, databaseId: string, { address, network }: Attempt) {
  await store.query(
    `UPDATE usher.login_failures SET failures = failures - 1
    WHERE database_id = $1::uuid AND address = $2::bytea AND network = $3::bytea AND failures > 0`,
    [databaseId, address, network],
  )
}

export async function findLoginFailures(
  store: Queries,
  databaseId: string,
  { address, network }: Attempt,
): Promise<LoginFailures> {
  const rows = await store.query<{ isNetwork: boolean; count: number; lastAt: Date }>(
    `SELECT network <> ''::bytea AS "isNetwork", failures AS count, last_failure_at AS "lastAt"
    FROM usher.login_failures
    WHERE database_id = $1::uuid AND address = $2::bytea AND network IN ($3::bytea, ''::bytea) AND failures > 0`,
    [databaseId, address, network],
  )
  const find = (isNetwork: boolean) => {
    const row = rows.find((each) => each.isNetwork === isNetwork)
    return row && { count: row.count, lastAt: row.lastAt }
  }
  return { network: find(true), account: find(false) }
}

/** Returns the highest count of an address: that of one network, or that over all networks. */
export async function findHighestLoginFailures(
  store: Queries,
  databaseId: string,
  address: Uint8Array,
): Promise<Failures | undefined> {
  const [highest] = await store.query<Failures>(
    `SELECT failures AS count, last_failure_at AS "lastAt" FROM usher.login_failures
    WHERE database_id = $1::uuid AND address = $2::bytea AND failures > 0
    ORDER BY failures DESC LIMIT 1`,
    [databaseId, address],
  )
  return highest
}

/**
 * Deletes the counts of an attempt. Locks the row over all networks first, as counting does, so that they cannot
 * deadlock.
 */
export async function clearLoginFailures(store: Queries, databaseId: string, attempt: Attempt) {
  await store.query(clearLoginFailuresStatement, [databaseId, attempt.address, attempt.network])
}

const clearLoginFailuresStatement = `
  DELETE FROM usher.login_failures
  WHERE database_id = $1::uuid AND (address, network) IN (
    SELECT address, network FROM usher.login_failures
    WHERE database_id = $1::uuid AND address = $2::bytea AND network IN ($3::bytea, ''::bytea)
    ORDER BY network FOR UPDATE
  )`

export async function clearLoginFailuresOfAllNetworks(
  store: Queries,
  databaseId: string,
  address: Uint8Array,
) {
  await store.query('DELETE FROM usher.login_failures WHERE database_id = $1::uuid AND address = $2::bytea', [
    databaseId,
    address,
  ])
}
