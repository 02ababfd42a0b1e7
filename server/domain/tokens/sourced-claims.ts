import { type ClaimSource, maxClaimBytes } from '@usher/contract/settings'
import { findClaimValues } from '../../store/queries/claim-values.js'
import type { TenantRole } from '../../store/queries/user-tenants.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { RuleDatabase } from '../databases/find-database.js'
import type { DatabaseRequest } from '../request.js'
import { openTenants, type Shown } from './open-tenants.js'

/** The token for which claims are read. */
interface TokenOfUser extends Shown {
  user: { id: string; memberships: readonly TenantRole[] }
}

const none = {}

/**
 * Returns the claims of a token that the settings take from its user, and from its tenant if it has exactly one. They are read for
 * each token, because a change must be in the next one. Audits claims that are left out because all of them are too long.
 */
export async function sourcedClaims(
  { store }: Pick<AppContext, 'store'>,
  { database, caller }: Pick<DatabaseRequest, 'database' | 'caller'>,
  { user, ...shown }: TokenOfUser,
): Promise<object> {
  // Most databases have none, and then there is nothing to read.
  if (database.claimSources.length === 0) return none
  const tenants = openTenants(database, user.memberships, shown)
  const tenantId = tenants.length === 1 ? tenants[0]?.id : undefined
  // Whoever runs the identity provider of a tenant can get a token of each member, which shows nothing else of the user.
  const has = { user: !shown.isTenantOnly, tenant: tenantId !== undefined }
  const sources = database.claimSources.filter(({ of }) => has[of])
  if (sources.length === 0) return none
  const ids = { databaseId: database.id, userId: user.id }
  const values = await findClaimValues(store, { ...ids, tenantId, sources })
  const { claims, leftOut } = fitting(database, sources, values)
  if (leftOut.length > 0) audit(caller.log, 'token.claims_left_out', { ...ids, claims: leftOut })
  return claims
}

/** Returns the claims that fit, in the order of the setting, and the names of the others. */
function fitting(
  { claims: fixed }: Pick<RuleDatabase, 'claims'>,
  sources: readonly ClaimSource[],
  values: readonly unknown[],
) {
  const fits = (claims: object) => Buffer.byteLength(JSON.stringify({ ...fixed, ...claims })) <= maxClaimBytes
  const all: Record<string, unknown> = {}
  sources.forEach(({ claim }, index) => {
    const value = values[index]
    // A fixed claim may have been added at the same time.
    if (isClaimValue(value) && !Object.hasOwn(fixed, claim)) all[claim] = value
  })
  const leftOut: string[] = []
  if (fits(all)) return { claims: all, leftOut }
  const claims: Record<string, unknown> = {}
  for (const [claim, value] of Object.entries(all)) {
    if (fits({ ...claims, [claim]: value })) claims[claim] = value
    else leftOut.push(claim)
  }
  return { claims, leftOut }
}

const maxTexts = 20

const isClaimValue = (value: unknown) =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  Number.isFinite(value) ||
  (Array.isArray(value) && value.length <= maxTexts && value.every((each) => typeof each === 'string'))
