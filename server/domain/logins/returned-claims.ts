import type { ProviderClaims } from '../providers/identify.js'

/** How long a login that has returned can be finished. */
const finishMilliseconds = 600_000

/** Returns what is stored of the claims of a login that has returned. */
export const returnedClaims = (claims: ProviderClaims, now: number) => ({
  claims,
  expiresAt: new Date(now + finishMilliseconds),
})
