import type { User } from '../generated/client.js'
import type { Store } from '../store.js'

// The statements of the three operations, in SQL and past Prisma: its own API takes five round trips for a
// sign-up where this takes one, and its raw queries take a third of the CPU time of a read (test/bench). Each names
// database_id, always $1, on every table, so that on a distributed store it goes to one shard.

type Queries = Pick<Store, 'query'>

/** A user as me reads it. */
type UserWithoutPassword = Pick<
  User,
  'id' | 'email' | 'preferredName' | 'disabledAt' | 'tokensValidAfter' | 'createdAt'
> & {
  /** In the order of joining. */
  tenants: string[]
}

/** A user as login reads it. */
export type UserWithTenants = UserWithoutPassword & Pick<User, 'passwordHash'>

/** What of a user `u` is read, but for the password. */
const userColumns = `
  u.id, u.email, u.preferred_name AS "preferredName",
  u.disabled_at AS "disabledAt", u.tokens_valid_after AS "tokensValidAfter", u.created_at AS "createdAt",
  ARRAY(
    SELECT membership.tenant_id FROM usher.membership
    WHERE membership.database_id = $1::uuid AND membership.user_id = u.id
    ORDER BY membership.joined_at, membership.tenant_id
  ) AS tenants`

/**
 * Writes a user, a tenant with the user's membership, and the request's Idempotency-Key: all of it or nothing.
 *
 * @returns false where the database has a user of that email key already; nothing is written then
 * @throws a unique violation (SQLSTATE 23505) where the Idempotency-Key is there already
 */
export async function insertUser(
  store: Queries,
  user: Omit<User, 'disabledAt' | 'tokensValidAfter'>,
  tenant: { id: string; name: string } | undefined,
  idempotencyKey: Uint8Array | undefined,
): Promise<boolean> {
  const { databaseId, id, email, canonicalEmail, passwordHash, preferredName, createdAt } = user
  const { id: tenantId = null, name = null } = tenant ?? {}
  const values = [
    databaseId,
    id,
    email,
    canonicalEmail,
    passwordHash,
    preferredName,
    createdAt,
    tenantId,
    name,
  ]
  const inserted = idempotencyKey
    ? await store.query(insertUserWithKeyStatement, [...values, idempotencyKey])
    : await store.query(insertUserStatement, values)
  return inserted.length === 1
}

const insertUserText = (more: string) => `
  WITH new_user AS (
    INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, preferred_name, created_at)
    VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6, $7::timestamptz)
    ON CONFLICT (database_id, email_key) DO NOTHING
    RETURNING database_id, id, email_key, created_at
  ), new_tenant AS (
    INSERT INTO usher.tenant (database_id, id, name, created_at)
    SELECT database_id, $8::uuid, $9::text, created_at FROM new_user WHERE $8::uuid IS NOT NULL
    RETURNING database_id, id
  ), new_membership AS (
    INSERT INTO usher.membership (database_id, user_id, tenant_id, joined_at)
    SELECT new_user.database_id, new_user.id, new_tenant.id, new_user.created_at
    FROM new_user JOIN new_tenant USING (database_id)
  )${more}
  SELECT id FROM new_user`

const insertUserStatement = insertUserText('')

const insertUserWithKeyStatement = insertUserText(`, new_key AS (
    INSERT INTO usher.idempotency_key (database_id, key, user_id, email_key, tenant_name, created_at)
    SELECT database_id, $10::bytea, id, email_key, $9::text, created_at FROM new_user
  )`)

/**
 * The sign-up that an Idempotency-Key stands for, with its user as of now, or nothing. Keys of before
 * `expired` are deleted on the way, some at a time.
 */
export async function findSignUp(store: Queries, databaseId: string, key: Uint8Array, expired: Date) {
  type SignUp = UserWithTenants & { canonicalEmail: string; tenantName: string | null }
  const [signUp] = await store.query<SignUp>(findSignUpStatement, [databaseId, key, expired])
  return signUp
}

const findSignUpStatement = `
  WITH pruned AS (
    DELETE FROM usher.idempotency_key
    WHERE database_id = $1::uuid AND key IN (
      SELECT key FROM usher.idempotency_key
      WHERE database_id = $1::uuid AND created_at < $3::timestamptz
      ORDER BY key = $2::bytea DESC LIMIT 100 FOR UPDATE SKIP LOCKED
    )
  )
  SELECT ${userColumns}, u.password_hash AS "passwordHash", sign_up.email_key AS "canonicalEmail", sign_up.tenant_name AS "tenantName"
  FROM usher.idempotency_key AS sign_up
  JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = sign_up.user_id
  WHERE sign_up.database_id = $1::uuid AND sign_up.key = $2::bytea
    AND sign_up.created_at >= $3::timestamptz`

/** The user with an id, or nothing. */
export async function findUserById(store: Queries, databaseId: string, id: string) {
  const [user] = await store.query<UserWithoutPassword>(findUserByIdStatement, [databaseId, id])
  return user
}

const findUserByIdStatement = `
  SELECT ${userColumns} FROM usher."user" AS u WHERE u.database_id = $1::uuid AND u.id = $2::uuid`

/** Whose failed logins are counted: HMACs of the address and of the client's network. */
export interface Attempt {
  address: Uint8Array
  network: Uint8Array
}

/** Failed logins since the last success: the count and the time of the last. */
export interface Failures {
  count: number
  lastAt: Date
}

/** Failed logins of an address from one network, and from all networks together. */
export interface LoginFailures {
  network: Failures | undefined
  account: Failures | undefined
}

/** The user with an email key, or nothing, and the failed logins that count against this attempt: one read. */
export async function findLogin(
  store: Queries,
  databaseId: string,
  canonicalEmail: string,
  attempt: Attempt,
) {
  type Row = UserWithTenants & {
    networkCount: number
    networkLastAt: Date
    accountCount: number
    accountLastAt: Date
  }
  const values = [databaseId, canonicalEmail, attempt.address, attempt.network]
  const [row] = await store.query<{ [K in keyof Row]: Row[K] | null }>(findLoginStatement, values)
  const failures = (count?: number | null, lastAt?: Date | null) =>
    count && lastAt ? { count, lastAt } : undefined
  return {
    user: row?.id ? (row as UserWithTenants) : undefined,
    failures: {
      network: failures(row?.networkCount, row?.networkLastAt),
      account: failures(row?.accountCount, row?.accountLastAt),
    },
  }
}

const findLoginStatement = `
  SELECT ${userColumns}, u.password_hash AS "passwordHash",
    network.failures AS "networkCount", network.last_failure_at AS "networkLastAt",
    account.failures AS "accountCount", account.last_failure_at AS "accountLastAt"
  FROM (VALUES (1)) AS always
  LEFT JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.email_key = $2
  LEFT JOIN usher.login_failures AS network ON network.database_id = $1::uuid
    AND network.address = $3::bytea AND network.network = $4::bytea
  LEFT JOIN usher.login_failures AS account ON account.database_id = $1::uuid
    AND account.address = $3::bytea AND account.network = ''::bytea`

/**
 * Counts a failed login. Counts whose last failure is before `forgotten` begin anew, and those of others are
 * deleted on the way, some at a time.
 */
export async function recordLoginFailure(
  store: Queries,
  databaseId: string,
  attempt: Attempt,
  now: Date,
  forgotten: Date,
): Promise<LoginFailures> {
  const values = [databaseId, attempt.address, attempt.network, now, forgotten]
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
 * Forgets the failed logins of an address from a network, and those over all networks: that row is locked first,
 * as when a failure is counted, so that the two cannot wait for each other.
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
