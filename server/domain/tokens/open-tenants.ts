import type { SsoProofs } from '../../store/queries/sessions.js'
import type { SsoRule, TenantRole } from '../../store/queries/user-tenants.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { acrOf, type Proven } from './authentication.js'

// Which tenants a session opens. Tokens, refreshes, `me`, and the rules of tenants all ask here, so that no token and no request
// reaches a tenant without the proof that it needs.

/** What a session has shown. */
export interface Shown {
  proven: Pick<Proven, 'amr' | 'tenants'>
  /** Whether single sign-on of a tenant has opened it: then it is no session of the account. */
  isTenantOnly: boolean
  /** In milliseconds since the epoch. */
  now: number
}

const longestProofSeconds = 30 * 86_400

/** Returns the tenants that a session opens. */
export const openTenants = <Membership extends TenantRole>(
  database: Pick<RuleDatabase, 'singleSignOn'>,
  memberships: readonly Membership[],
  shown: Shown,
): readonly Membership[] =>
  database.singleSignOn ? memberships.filter((each) => isOpen(each, shown)) : memberships

function isOpen({ id, sso }: TenantRole, shown: Shown) {
  // A statement that does not read the rules would open every tenant.
  if (sso === undefined) throw new Error(`the rule of tenant ${id} was not read`)
  const { proven, isTenantOnly, now } = shown
  if (proofEnd({ id, sso }, proven.tenants, now) !== undefined) return true
  if (isTenantOnly) return false
  return !sso || !(sso.isRequired || sso.isOnly) || (sso.isExempt && acrOf(proven) === 'aal2')
}

/** Returns when the proof of a tenant ends, in seconds since the epoch, or undefined if no proof counts. */
function proofEnd(
  { id, sso }: { id: string; sso: SsoRule | null },
  proofs: SsoProofs | undefined,
  now: number,
): number | undefined {
  const at = proofs?.[id]
  if (!sso || sso.provesFrom === null || at === undefined || at < sso.provesFrom) return undefined
  const end = at + (sso.maxAge ?? longestProofSeconds)
  return end > now / 1000 ? end : undefined
}

/**
 * Returns the claims of a token about the proofs of the tenants that it has, and when the first of them ends, in seconds since the
 * epoch. Backends may refuse a proof that is older than they want.
 */
export function proofsOf(memberships: readonly TenantRole[], { proven: { tenants }, now }: Shown) {
  const ends = memberships.flatMap(({ id, sso = null }) => {
    const end = proofEnd({ id, sso }, tenants, now)
    return end === undefined ? [] : [{ id, end }]
  })
  if (ends.length === 0) return undefined
  return {
    proofs: Object.fromEntries(ends.map(({ id }) => [id, tenants?.[id] as number])),
    endsAt: Math.min(...ends.map(({ end }) => end)),
  }
}
