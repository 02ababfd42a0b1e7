import type { FoundInvitation } from '../../store/queries/acceptances.js'
import type { SsoFacts, SsoHolder } from '../../store/queries/sso-logins.js'
import { Problem } from '../problem.js'

// Whom a login by single sign-on of a tenant opens: docs/guides/single-sign-on.md has the table. The session has only that tenant, so
// the account does not matter; these rules decide who joins the tenant.

/** What a login does. */
export type Membering =
  /** The provider has named a member before. */
  | { kind: 'known'; user: SsoHolder }
  /** An account, or a new one, is linked to the person. */
  | {
      kind: 'link'
      /** Undefined: a new account. */
      user: SsoHolder | undefined
      /** Whether the person joins the tenant. */
      joins: boolean
      /** The invitation that the person accepts. */
      codeId: string | undefined
      /** Whether the account is given to the person, because its address was never verified. */
      isReclaimed: boolean
    }

/** What decides a login besides what is stored. */
export interface SsoPerson {
  canonicalEmail: string
  /** The invitation whose code is in the request: its mail has proven the address. */
  invitation: FoundInvitation | undefined
}

/**
 * Decides what a login does.
 *
 * @throws {Problem} `login_refused`; `membership_ended`; `not_member`; `account_exists`; `email_not_verified`; `seats_full`
 */
export function chooseMember(facts: SsoFacts, person: SsoPerson): Membering {
  const { user, entryId, role, tenantId } = facts
  const { canonicalEmail, invitation } = person
  if (user?.disabledAt) throw new Problem('login_refused')
  const invited =
    invitation?.tenantId === tenantId && invitation.canonicalEmail === canonicalEmail ? invitation : undefined
  if (entryId && user) {
    if (role !== null) return { kind: 'known', user }
    // A login brings nobody back whom an owner has removed.
    if (!invited) throw new Problem('membership_ended')
    return { kind: 'link', user, joins: true, codeId: invited.codeId, isReclaimed: false }
  }
  // Without a proven domain the provider says nothing about the address.
  if (!canonicalEmail || !(facts.isOfDomain || invited)) throw new Problem('not_member')
  if (facts.ownEntry?.isCurrent) throw new Problem('account_exists')
  if (facts.ownEntry && role === null && !invited) throw new Problem('membership_ended')
  const codeId = invited?.codeId ?? facts.invitationCodeId ?? undefined
  const joins = role === null
  if (joins && !codeId && facts.ssoJit === false) throw new Problem('not_member')
  if (joins && facts.isFull) throw new Problem('seats_full')
  const isReclaimed = user !== null && user.emailVerifiedAt === null
  // A stranger may have signed up with the address, and other tenants may have added the account.
  if (isReclaimed && facts.hasOtherTenants && !invited) throw new Problem('email_not_verified')
  return { kind: 'link', user: user ?? undefined, joins, codeId: joins ? codeId : undefined, isReclaimed }
}
