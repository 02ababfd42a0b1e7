import type { Invitation } from '../generated/client.js'
import type { Queries } from '../store.js'
import { hasMember } from './invitations.js'
import { unindexed } from './unindexed.js'

/** An invitation whose code was presented. Inviting again changes its role only with its code. */
export type FoundInvitation = Pick<Invitation, 'id' | 'tenantId' | 'canonicalEmail' | 'codeId' | 'role'>

/** Returns the invitation of a code, or undefined if it cannot be accepted. */
export async function findInvitation(
  store: Queries,
  { databaseId, codeId }: Pick<Invitation, 'databaseId' | 'codeId'>,
  now: Date,
) {
  const [found] = await store.query<FoundInvitation>(findStatement, [databaseId, codeId, now])
  return found
}

const findStatement = `
  SELECT id, tenant_id AS "tenantId", email_key AS "canonicalEmail", code_id AS "codeId", role FROM usher.invitation
  WHERE database_id = $1::uuid AND code_id = $2::uuid AND ${unindexed('expires_at > $3::timestamptz')}`

/** What the acceptance of an invitation depends on. */
export interface PendingInvitation extends Pick<Invitation, 'id' | 'role'> {
  /** Role of the inviter in the tenant. Null: not a member any more, or disabled. An operator has that of an owner. */
  inviterRole: string | null
  /** Whether a member of the tenant has the address. */
  hasJoined: boolean
  /** Whether the tenant has as many members as seats. */
  isFull: boolean
}

/** Returns what the acceptance of an invitation depends on, or undefined if there is none. Final if the tenant is locked. */
export async function findPending(
  { query }: Queries,
  { databaseId, codeId }: Pick<Invitation, 'databaseId' | 'codeId'>,
  now: Date,
) {
  const [pending] = await query<PendingInvitation>(pendingStatement, [databaseId, codeId, now])
  return pending
}

const pendingStatement = `
  SELECT i.id, i.role,
    CASE WHEN i.inviter_id IS NULL THEN 'owner' ELSE (
      SELECT m.role FROM usher.membership AS m
      JOIN usher."user" AS inviter ON inviter.database_id = $1::uuid AND inviter.id = m.user_id
      WHERE m.database_id = $1::uuid AND m.user_id = i.inviter_id AND m.tenant_id = i.tenant_id
        AND inviter.disabled_at IS NULL
    ) END AS "inviterRole",
    ${hasMember('i.tenant_id', 'i.email_key')} AS "hasJoined",
    CASE WHEN t.seats IS NULL THEN false ELSE (
      SELECT count(*) FROM usher.membership AS m
      WHERE m.database_id = $1::uuid AND m.tenant_id = i.tenant_id
    ) >= t.seats END AS "isFull"
  FROM usher.invitation AS i
  JOIN usher.tenant AS t ON t.database_id = $1::uuid AND t.id = i.tenant_id
  WHERE i.database_id = $1::uuid AND i.code_id = $2::uuid AND ${unindexed('i.expires_at > $3::timestamptz')}`
