import type { Tenant, TenantEntry, User } from '../generated/client.js'
import type { Queries } from '../store.js'
import { isAccount } from './reserved-addresses.js'
import { after } from './revocations.js'
import type { SsoProofs } from './sessions.js'
import { unindexed } from './unindexed.js'
import { membershipsOf, type Tenancy } from './user-tenants.js'

// What logins by single sign-on of a tenant read and write.

/** A person whom the provider of a tenant has named. */
export interface NamedPerson {
  databaseId: string
  connectionId: string
  issuer: string
  subject: string
  /** Empty: the provider has returned no address. */
  canonicalEmail: string
  /** Who wants to be linked to the person. By default, the account of the address. */
  userId?: string
}

/** The account that a login would open. */
export type SsoHolder = Pick<
  User,
  'id' | 'email' | 'emailVerifiedAt' | 'disabledAt' | 'createdAt' | 'needsSecondStep'
> & { generation: number; tenantsVersion: number }

/** The entry that a user has in a tenant. */
interface OwnEntry extends Pick<TenantEntry, 'id'> {
  /** Whether the connection still exists and has the issuer: else the person matches again. */
  isCurrent: boolean
}

/** What decides a login by single sign-on. Final if the user and the tenant are locked. */
export interface SsoFacts extends Pick<Tenant, 'ssoAcr' | 'ssoTrustAmr' | 'ssoJit' | 'ssoRole'> {
  tenantId: string
  isEnabled: boolean
  testedAt: Date | null
  /** Whether the tenant has as many members as seats. */
  isFull: boolean
  /** Whether the domain of the address belongs to the tenant. */
  isOfDomain: boolean
  /** The entry of the subject. */
  entryId: string | null
  /** The user of the entry, or else the account of the address. */
  user: SsoHolder | null
  /** The role of that user. Null: not a member. */
  role: string | null
  hasOtherTenants: boolean
  /** The entry that the user has in the tenant. */
  ownEntry: OwnEntry | null
  /** The invitation of the address to the tenant. */
  invitationCodeId: string | null
}

/** Returns what decides a login. Undefined if the connection is removed, or has another issuer now. */
export async function findSsoFacts({ query }: Queries, person: NamedPerson, now: Date) {
  const { databaseId, connectionId, issuer, subject, canonicalEmail, userId = null } = person
  const domain = canonicalEmail.slice(canonicalEmail.lastIndexOf('@') + 1)
  const values = [databaseId, connectionId, issuer, subject, canonicalEmail, domain, now, userId]
  const [row] = await query<SsoFacts>(findFactsStatement, values)
  if (!row?.user) return row
  const { createdAt, emailVerifiedAt, disabledAt, ...user } = row.user
  const dateOf = (text: unknown) => (text === null ? null : new Date(text as string))
  return {
    ...row,
    user: {
      ...user,
      createdAt: new Date(createdAt),
      emailVerifiedAt: dateOf(emailVerifiedAt),
      disabledAt: dateOf(disabledAt),
    },
  }
}

const findFactsStatement = `
  SELECT c.tenant_id AS "tenantId", c.is_enabled AS "isEnabled", c.tested_at AS "testedAt",
    t.sso_acr AS "ssoAcr", t.sso_trust_amr AS "ssoTrustAmr", t.sso_jit AS "ssoJit", t.sso_role AS "ssoRole",
    CASE WHEN t.seats IS NULL THEN false ELSE (
      SELECT count(*) FROM usher.membership AS m WHERE m.database_id = $1::uuid AND m.tenant_id = t.id
    ) >= t.seats END AS "isFull",
    EXISTS (
      SELECT 1 FROM usher.tenant_domain AS d
      WHERE d.database_id = $1::uuid AND d.tenant_id = t.id AND d.domain = $6 AND d.state IN ('proven', 'missing')
    ) AS "isOfDomain",
    e.id AS "entryId",
    CASE WHEN u.id IS NOT NULL THEN json_build_object('id', u.id, 'email', u.email, 'generation', u.generation,
      'emailVerifiedAt', u.email_verified_at, 'disabledAt', u.disabled_at, 'createdAt', u.created_at,
      'needsSecondStep', u.needs_second_step, 'tenantsVersion', u.tenants_version) END AS "user",
    (
      SELECT m.role FROM usher.membership AS m
      WHERE m.database_id = $1::uuid AND m.tenant_id = t.id AND m.user_id = u.id
    ) AS role,
    EXISTS (
      SELECT 1 FROM usher.membership AS m
      WHERE m.database_id = $1::uuid AND m.user_id = u.id AND m.tenant_id <> t.id
    ) AS "hasOtherTenants",
    (
      SELECT json_build_object('id', own.id, 'isCurrent', EXISTS (
        SELECT 1 FROM usher.tenant_connection AS its
        WHERE its.database_id = $1::uuid AND its.id = own.connection_id AND its.issuer = own.issuer
      ))
      FROM usher.tenant_entry AS own
      WHERE own.database_id = $1::uuid AND own.tenant_id = t.id AND own.user_id = u.id
    ) AS "ownEntry",
    (
      SELECT i.code_id FROM usher.invitation AS i
      WHERE i.database_id = $1::uuid AND i.tenant_id = t.id AND i.email_key = $5
        AND ${unindexed('i.expires_at > $7::timestamptz')}
    ) AS "invitationCodeId"
  FROM usher.tenant_connection AS c
  JOIN usher.tenant AS t ON t.database_id = $1::uuid AND t.id = c.tenant_id
  LEFT JOIN usher.tenant_entry AS e ON e.database_id = $1::uuid AND e.connection_id = c.id AND e.issuer = $3
    AND e.subject = $4
  LEFT JOIN LATERAL (
    SELECT * FROM usher."user" AS u WHERE u.database_id = $1::uuid AND u.id = e.user_id
    UNION ALL
    SELECT * FROM usher."user" AS u
    WHERE u.database_id = $1::uuid AND u.email_key = $5 AND e.id IS NULL AND $8::uuid IS NULL AND ${isAccount('u')}
    UNION ALL
    SELECT * FROM usher."user" AS u WHERE u.database_id = $1::uuid AND u.id = $8::uuid AND e.id IS NULL
  ) AS u ON true
  WHERE c.database_id = $1::uuid AND c.id = $2::uuid AND c.issuer = $3`

/** A login whose user is known. */
interface KnownLogin extends NamedPerson {
  attemptId: string
  user: { id: string; generation: number }
  /** Since when the connection was not tested again, so that a login records that it works. */
  testedBefore: Date
  now: Date
}

/**
 * Records that a member has logged in with an attempt, unless the attempt was used, its connection is disabled or has another issuer,
 * the user has changed or is no member any more. Returns the tenants of the user, or undefined if nothing was recorded.
 */
export async function useAttemptOfEntry({ query }: Queries, login: KnownLogin) {
  const { databaseId, connectionId, issuer, subject, attemptId, user, testedBefore, now } = login
  const values = [databaseId, attemptId, user.id, user.generation, now]
  const entry = [connectionId, issuer, subject]
  const [used] = await query<Pick<Tenancy, 'memberships'>>(useOfEntryStatement, [
    ...values,
    ...entry,
    testedBefore,
  ])
  return used?.memberships
}

const useOfEntryStatement = `
  WITH tested AS (
    UPDATE usher.tenant_connection SET tested_at = $5::timestamptz
    WHERE database_id = $1::uuid AND id = $6::uuid AND (tested_at IS NULL OR tested_at < $9::timestamptz)
  )
  UPDATE usher.login_attempt AS a SET user_id = $3::uuid, generation = $4::bigint, used_at = $5::timestamptz,
    expires_at = ${after('store.time', '30')}
  FROM (SELECT statement_timestamp() AS time) AS store
  WHERE a.database_id = $1::uuid AND a.id = $2::uuid AND a.used_at IS NULL
    AND ${unindexed('a.expires_at > $5::timestamptz')}
    AND EXISTS (
      SELECT 1 FROM usher.tenant_connection AS c
      JOIN usher.tenant_entry AS e ON e.database_id = $1::uuid AND e.connection_id = c.id AND e.issuer = $7
        AND e.subject = $8
      JOIN usher.membership AS m ON m.database_id = $1::uuid AND m.tenant_id = c.tenant_id AND m.user_id = e.user_id
      JOIN usher."user" AS u ON u.database_id = $1::uuid AND u.id = e.user_id
      WHERE c.database_id = $1::uuid AND c.id = $6::uuid AND c.issuer = $7 AND c.is_enabled AND e.user_id = $3::uuid
        AND u.disabled_at IS NULL AND u.generation = $4::bigint
    )
  RETURNING ${membershipsOf('$3::uuid', true)}`

/** A person to link to a user. */
export type NewEntry = Omit<TenantEntry, 'provesFrom'> & { now: Date }

/** Links a person to a user, or replaces the one whom the user is linked to in the tenant. */
export const storeEntry = (
  { query }: Queries,
  { databaseId, id, tenantId, connectionId, issuer, subject, userId, email, name, now }: NewEntry,
) =>
  query(storeEntryStatement, [
    databaseId,
    id,
    tenantId,
    connectionId,
    issuer,
    subject,
    userId,
    email,
    name,
    now,
  ])

// A proof is in whole seconds.
const storeEntryStatement = `
  INSERT INTO usher.tenant_entry (
    database_id, id, tenant_id, connection_id, issuer, subject, user_id, email, name, proves_from)
  VALUES ($1::uuid, $2::uuid, $3::uuid, $4::uuid, $5, $6, $7::uuid, $8, $9, date_trunc('second', $10::timestamptz))
  ON CONFLICT (database_id, tenant_id, user_id) DO UPDATE SET connection_id = EXCLUDED.connection_id,
    issuer = EXCLUDED.issuer, subject = EXCLUDED.subject, email = EXCLUDED.email, name = EXCLUDED.name,
    proves_from = EXCLUDED.proves_from`

/** Adds proofs to an open session. Returns it with all its proofs, or undefined if it is not open. */
export async function addProofs(
  { query }: Queries,
  { databaseId, id, user }: { databaseId: string; id: string; user: { id: string; generation: number } },
  { proofs, now }: { proofs: SsoProofs; now: Date },
) {
  const values = [databaseId, id, user.id, user.generation, JSON.stringify(proofs), now]
  const [session] = await query<{ id: string; expiresAt: Date; ssoProofs: SsoProofs }>(
    addProofsStatement,
    values,
  )
  return session
}

const addProofsStatement = `
  UPDATE usher.session SET sso_proofs = COALESCE(sso_proofs, '{}') || $5::jsonb
  WHERE database_id = $1::uuid AND id = $2::uuid AND user_id = $3::uuid AND generation = $4::bigint
    AND ended_at IS NULL AND ${unindexed('expires_at > $6::timestamptz')}
  RETURNING id, expires_at AS "expiresAt", sso_proofs AS "ssoProofs"`
