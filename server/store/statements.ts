import { Prisma, type PrismaClient, type User } from './generated/client.js'

// The statements of the three operations, in SQL: Prisma's own API takes five round trips for a sign-up where
// this takes one, and a third of the speed for a read. Each names database_id on every table, so that on a
// distributed store it goes to one shard.

/** A user as login and me read it. */
export type UserWithTenants = Pick<
  User,
  'id' | 'email' | 'passwordHash' | 'preferredName' | 'disabledAt' | 'tokensValidAfter' | 'createdAt'
> & {
  /** In the order of joining. */
  tenants: string[]
}

/** A sign-up's Idempotency-Key and what else it must come with again. */
export interface Idempotency {
  /** SHA-256 of the header. */
  key: Uint8Array
  tenantName: string | null
}

/**
 * Writes a user, a tenant with the user's membership, and the request's Idempotency-Key: all of it or nothing.
 *
 * @returns false where the database has a user of that email key already; nothing is written then
 * @throws a unique violation (SQLSTATE 23505) where the Idempotency-Key is there already
 */
export async function insertUser(
  prisma: PrismaClient,
  user: Omit<User, 'disabledAt' | 'tokensValidAfter'>,
  tenant: { id: string; name: string } | undefined,
  idempotencyKey: Uint8Array | undefined,
): Promise<boolean> {
  const inserted = await prisma.$queryRaw<unknown[]>`
    WITH new_user AS (
      INSERT INTO usher."user"
        (database_id, id, email, email_key, password_hash, preferred_name, created_at)
      VALUES (${user.databaseId}::uuid, ${user.id}::uuid, ${user.email}, ${user.emailKey},
        ${user.passwordHash}, ${user.preferredName}, ${user.createdAt}::timestamptz)
      ON CONFLICT (database_id, email_key) DO NOTHING
      RETURNING database_id, id, email_key, created_at
    ), new_tenant AS (
      INSERT INTO usher.tenant (database_id, id, name, created_at)
      SELECT database_id, ${tenant?.id ?? null}::uuid, ${tenant?.name ?? null}, created_at
      FROM new_user WHERE ${tenant !== undefined}
      RETURNING database_id, id
    ), new_membership AS (
      INSERT INTO usher.membership (database_id, user_id, tenant_id, joined_at)
      SELECT new_user.database_id, new_user.id, new_tenant.id, new_user.created_at
      FROM new_user JOIN new_tenant USING (database_id)
    ), new_key AS (
      INSERT INTO usher.idempotency_key (database_id, key, user_id, email_key, tenant_name, created_at)
      SELECT database_id, ${idempotencyKey ?? null}::bytea, id, email_key, ${tenant?.name ?? null}, created_at
      FROM new_user WHERE ${idempotencyKey !== undefined}
    )
    SELECT id FROM new_user`
  return inserted.length === 1
}

/**
 * The sign-up that an Idempotency-Key stands for, with its user as of now, or nothing. Keys of before
 * `expired` are deleted on the way, some at a time.
 */
export async function findSignUp(prisma: PrismaClient, databaseId: string, key: Uint8Array, expired: Date) {
  const [signUp] = await prisma.$queryRaw<
    (UserWithTenants & { emailKey: string; tenantName: string | null })[]
  >`
    WITH pruned AS (
      DELETE FROM usher.idempotency_key
      WHERE database_id = ${databaseId}::uuid AND key IN (
        SELECT key FROM usher.idempotency_key
        WHERE database_id = ${databaseId}::uuid AND created_at < ${expired}::timestamptz
        ORDER BY key = ${key} DESC LIMIT 100 FOR UPDATE SKIP LOCKED
      )
    )
    SELECT ${userColumns(databaseId)}, sign_up.email_key AS "emailKey", sign_up.tenant_name AS "tenantName"
    FROM usher.idempotency_key AS sign_up
    JOIN usher."user" AS u ON u.database_id = ${databaseId}::uuid AND u.id = sign_up.user_id
    WHERE sign_up.database_id = ${databaseId}::uuid AND sign_up.key = ${key}
      AND sign_up.created_at >= ${expired}::timestamptz`
  return signUp
}

/** The user with an id, or nothing. */
export async function findUserById(prisma: PrismaClient, databaseId: string, id: string) {
  const [user] = await prisma.$queryRaw<UserWithTenants[]>`
    SELECT ${userColumns(databaseId)} FROM usher."user" AS u
    WHERE u.database_id = ${databaseId}::uuid AND u.id = ${id}::uuid`
  return user
}

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
  prisma: PrismaClient,
  databaseId: string,
  emailKey: string,
  attempt: Attempt,
) {
  type Nullable<T> = { [K in keyof T]: T[K] | null }
  const [row] = await prisma.$queryRaw<
    Nullable<
      UserWithTenants & {
        networkCount: number
        networkLastAt: Date
        accountCount: number
        accountLastAt: Date
      }
    >[]
  >`
    SELECT ${userColumns(databaseId)},
      network.failures AS "networkCount", network.last_failure_at AS "networkLastAt",
      account.failures AS "accountCount", account.last_failure_at AS "accountLastAt"
    FROM (VALUES (1)) AS always
    LEFT JOIN usher."user" AS u ON u.database_id = ${databaseId}::uuid AND u.email_key = ${emailKey}
    LEFT JOIN usher.login_failures AS network ON network.database_id = ${databaseId}::uuid
      AND network.address = ${attempt.address} AND network.network = ${attempt.network}
    LEFT JOIN usher.login_failures AS account ON account.database_id = ${databaseId}::uuid
      AND account.address = ${attempt.address} AND account.network = ''::bytea`
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

/**
 * Counts a failed login. Counts whose last failure is before `forgotten` begin anew, and those of others are
 * deleted on the way, some at a time.
 */
export async function recordLoginFailure(
  prisma: PrismaClient,
  databaseId: string,
  attempt: Attempt,
  now: Date,
  forgotten: Date,
): Promise<LoginFailures> {
  const rows = await prisma.$queryRaw<{ isNetwork: boolean; count: number }[]>`
    WITH pruned AS (
      DELETE FROM usher.login_failures
      WHERE database_id = ${databaseId}::uuid AND (address, network) IN (
        SELECT address, network FROM usher.login_failures
        WHERE database_id = ${databaseId}::uuid AND last_failure_at < ${forgotten}::timestamptz
          AND address <> ${attempt.address}
        LIMIT 100 FOR UPDATE SKIP LOCKED
      )
    )
    INSERT INTO usher.login_failures AS present (database_id, address, network, failures, last_failure_at)
    VALUES
      (${databaseId}::uuid, ${attempt.address}, ''::bytea, 1, ${now}::timestamptz),
      (${databaseId}::uuid, ${attempt.address}, ${attempt.network}, 1, ${now}::timestamptz)
    ON CONFLICT (database_id, address, network) DO UPDATE SET
      failures = CASE WHEN present.last_failure_at < ${forgotten}::timestamptz THEN 1
        ELSE present.failures + 1 END,
      last_failure_at = excluded.last_failure_at
    RETURNING present.network <> ''::bytea AS "isNetwork", failures AS count`
  const failures = (isNetwork: boolean) => {
    const row = rows.find((each) => each.isNetwork === isNetwork)
    return row && { count: row.count, lastAt: now }
  }
  return { network: failures(true), account: failures(false) }
}

/**
 * Forgets the failed logins of an address from a network, and those over all networks: that row is locked first,
 * as when a failure is counted, so that the two cannot wait for each other.
 */
export async function clearLoginFailures(prisma: PrismaClient, databaseId: string, attempt: Attempt) {
  await prisma.$executeRaw`
    DELETE FROM usher.login_failures
    WHERE database_id = ${databaseId}::uuid AND (address, network) IN (
      SELECT address, network FROM usher.login_failures
      WHERE database_id = ${databaseId}::uuid AND address = ${attempt.address}
        AND network IN (${attempt.network}, ''::bytea)
      ORDER BY network FOR UPDATE
    )`
}

/** What of a user `u` the operations need. */
const userColumns = (databaseId: string) => Prisma.sql`
  u.id, u.email, u.password_hash AS "passwordHash", u.preferred_name AS "preferredName",
  u.disabled_at AS "disabledAt", u.tokens_valid_after AS "tokensValidAfter", u.created_at AS "createdAt",
  ARRAY(
    SELECT membership.tenant_id FROM usher.membership
    WHERE membership.database_id = ${databaseId}::uuid AND membership.user_id = u.id
    ORDER BY membership.joined_at, membership.tenant_id
  ) AS tenants`
