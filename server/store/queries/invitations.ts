import { NIL } from 'uuid'
import type { Invitation, Tenant } from '../generated/client.js'
import type { Queries } from '../store.js'
import type { Page } from './page.js'
import { unindexed } from './unindexed.js'

// Callers that change an invitation have locked its tenant (members.ts). So what a statement reads is still true for the next
// one: the rights of the inviter, the number of invitations and the number of members.

type TenantKey = Pick<Invitation, 'databaseId' | 'tenantId'>

/** An invitation that can be accepted, as lists show it. */
export type ListedInvitation = Pick<
  Invitation,
  'id' | 'email' | 'role' | 'inviterId' | 'createdAt' | 'expiresAt'
>

const listedColumns = `
  i.id, i.email, i.role, i.inviter_id AS "inviterId", i.created_at AS "createdAt", i.expires_at AS "expiresAt"`

/** Returns the invitations of a tenant that have not expired, ordered by id. */
export const listInvitationRows = (
  store: Queries,
  { databaseId, tenantId, now }: TenantKey & { now: Date },
  { limit, after = NIL }: Page<string>,
) => store.query<ListedInvitation>(listStatement, [databaseId, tenantId, now, after, limit])

// The invitations of the tenant are a separate subquery, so that Postgres does not read the index on ids instead.
const listStatement = `
  SELECT ${listedColumns} FROM (
    SELECT * FROM usher.invitation WHERE database_id = $1::uuid AND tenant_id = $2::uuid OFFSET 0
  ) AS i
  WHERE i.expires_at > $3::timestamptz AND i.id > $4::uuid
  ORDER BY i.id LIMIT $5::int`

/** What an invitation depends on. */
export interface Invitee {
  /** Whether a member of the tenant has the address. */
  isMember: boolean
  /** Role of the invitation of the address that has not expired. Null: there is none. */
  pendingRole: string | null
  /** Number of invitations of the tenant that have not expired. */
  pending: number
}

/** Returns what an invitation of an address depends on. It is the same statement whether or not an account has it. */
export async function findInvitee(
  { query }: Queries,
  { databaseId, tenantId, canonicalEmail }: Pick<Invitation, 'databaseId' | 'tenantId' | 'canonicalEmail'>,
  now: Date,
) {
  const [invitee] = await query<Invitee>(inviteeStatement, [databaseId, tenantId, canonicalEmail, now])
  return invitee as Invitee
}

/** Returns the condition that a member of a tenant has an address. */
export const hasMember = (tenantId: string, canonicalEmail: string) => `EXISTS (
    SELECT 1 FROM usher."user" AS u
    JOIN usher.membership AS joined
      ON joined.database_id = $1::uuid AND joined.user_id = u.id AND joined.tenant_id = ${tenantId}
    WHERE u.database_id = $1::uuid AND u.email_key = ${canonicalEmail})`

const inviteeStatement = `
  SELECT ${hasMember('$2::uuid', '$3::text')} AS "isMember",
    (SELECT role FROM usher.invitation
     WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND email_key = $3::text
       AND ${unindexed('expires_at > $4::timestamptz')}) AS "pendingRole",
    (SELECT count(*)::int FROM usher.invitation
     WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND ${unindexed('expires_at > $4::timestamptz')}) AS pending`

/** Stores an invitation. It replaces that of the same address, and keeps its id. Returns the id. */
export async function storeInvitation({ query }: Queries, invitation: Invitation) {
  const { databaseId, id, tenantId, email, canonicalEmail, role, inviterId, codeId, createdAt, expiresAt } =
    invitation
  const values = [databaseId, id, tenantId, email, canonicalEmail, role, inviterId, codeId]
  const [row] = await query<Pick<Invitation, 'id'>>(storeStatement, [...values, createdAt, expiresAt])
  return row?.id ?? id
}

const storeStatement = `
  INSERT INTO usher.invitation
    (database_id, id, tenant_id, email, email_key, role, inviter_id, code_id, created_at, expires_at)
  VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5, $6, $7::uuid, $8::uuid, $9::timestamptz, $10::timestamptz)
  ON CONFLICT (database_id, tenant_id, email_key) DO UPDATE SET
    email = excluded.email, role = excluded.role, inviter_id = excluded.inviter_id, code_id = excluded.code_id,
    created_at = excluded.created_at, expires_at = excluded.expires_at
  RETURNING id`

/** Identifies an invitation of a tenant. */
export type InvitationKey = Pick<Invitation, 'databaseId' | 'tenantId' | 'id'>

/** Returns the role of an invitation, or undefined if there is no such invitation. */
export async function findInvitedRole({ query }: Queries, { databaseId, tenantId, id }: InvitationKey) {
  const [row] = await query<Pick<Invitation, 'role'>>(invitedRoleStatement, [databaseId, tenantId, id])
  return row?.role
}

const invitedRoleStatement = `
  SELECT role FROM usher.invitation WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND id = $3::uuid`

/** Deletes an invitation that is accepted or revoked. */
export const deleteInvitation = ({ query }: Queries, { databaseId, tenantId, id }: InvitationKey) =>
  query(deleteStatement, [databaseId, tenantId, id])

const deleteStatement = `
  DELETE FROM usher.invitation WHERE database_id = $1::uuid AND tenant_id = $2::uuid AND id = $3::uuid`

/** What the mail of an invitation says. */
export interface InvitationMail extends Pick<Invitation, 'email' | 'canonicalEmail' | 'expiresAt'> {
  tenantName: Tenant['name']
  /** Preferred name of the inviter, or null. */
  inviterName: string | null
  /** Of the user with the address, or else of the inviter. */
  locale: string | null
}

/** Returns what the mail with a code says, or undefined if its invitation was accepted, revoked or sent again. */
export async function findInvitationMail(
  store: Queries,
  { databaseId, codeId }: Pick<Invitation, 'databaseId' | 'codeId'>,
) {
  const [mail] = await store.query<InvitationMail>(mailStatement, [databaseId, codeId])
  return mail
}

const mailStatement = `
  SELECT i.email, i.email_key AS "canonicalEmail", i.expires_at AS "expiresAt", t.name AS "tenantName",
    inviter.preferred_name AS "inviterName", COALESCE(invitee.locale, inviter.locale) AS locale
  FROM usher.invitation AS i
  JOIN usher.tenant AS t ON t.database_id = $1::uuid AND t.id = i.tenant_id
  LEFT JOIN usher."user" AS inviter ON inviter.database_id = $1::uuid AND inviter.id = i.inviter_id
  LEFT JOIN usher."user" AS invitee ON invitee.database_id = $1::uuid AND invitee.email_key = i.email_key
  WHERE i.database_id = $1::uuid AND i.code_id = $2::uuid`
