import { hasPasskeysOf } from '../../store/queries/passkeys.js'
import type { Change } from '../change.js'
import { Problem } from '../problem.js'
import { relyingPartyOf } from './relying-party.js'

/** @throws {Problem} if users have passkeys of the domain, and it changes */
export async function requireSameDomain(
  { query, database }: Change,
  former: PasskeyDatabase,
  next: PasskeyDatabase,
) {
  const domain = relyingPartyOf(former)?.domain
  const nextDomain = relyingPartyOf(next)?.domain
  if (domain === undefined || domain === nextDomain || !(await hasPasskeysOf({ query }, database.id, domain)))
    return
  const works = nextDomain ? `only at ${nextDomain}` : 'nowhere'
  throw new Problem('passkeys_in_use', {
    detail: `Users have passkeys of ${domain}, and passkeys would work ${works}. Keep the domain with --passkey-domain ${domain}, or add --force.`,
  })
}

type PasskeyDatabase = Parameters<typeof relyingPartyOf>[0]
