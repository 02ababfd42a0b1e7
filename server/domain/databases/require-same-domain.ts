import { findLockedSettings, type LockedSettings } from '../../store/queries/databases.js'
import { lockSigningKeys } from '../../store/queries/keys.js'
import { hasPasskeysOf } from '../../store/queries/passkeys.js'
import type { Queries } from '../../store/store.js'
import type { Change, Changes } from '../change.js'
import { Problem } from '../problem.js'
import type { RuleDatabase } from './find-database.js'
import { relyingPartyOf } from './relying-party.js'

/**
 * Checks that a change of settings keeps the domain of passkeys. Until the transaction ends, no passkey is added: see
 * `findLockedSettings`.
 *
 * @throws {Problem} if users have passkeys of the domain, and it changes
 */
export async function requireSameDomain(
  change: Queries & { database: Pick<RuleDatabase, 'id'> },
  settings: Changes<LockedSettings>,
) {
  const { passkeyDomain, passkeyOrigins, appUrl } = settings
  if (passkeyDomain === undefined && appUrl === undefined) return
  const { id } = change.database
  await lockSigningKeys(change, id)
  // Read under the lock, because another command may have changed it.
  const former = await findLockedSettings(change, id)
  const domain = former && relyingPartyOf(former)?.domain
  if (!former || domain === undefined) return
  const next = relyingPartyOf({
    passkeyDomain: passkeyDomain === undefined ? former.passkeyDomain : passkeyDomain,
    passkeyOrigins: passkeyOrigins ?? former.passkeyOrigins,
    appUrl: appUrl === undefined ? former.appUrl : appUrl,
  })
  if (next?.domain === domain || !(await hasPasskeysOf(change, id, domain))) return
  const works = next ? `only at ${next.domain}` : 'nowhere'
  throw new Problem('passkeys_in_use', {
    detail: `Users have passkeys of ${domain}, and passkeys would work ${works}. To keep them, set the passkey domain to ${domain}.`,
    about: '',
  })
}

/** Checks that a new passkey is of the domain of the database, which stays until the transaction ends. @throws {Problem} */
export async function requireDomainOf(change: Change, domain: string) {
  const settings = await findLockedSettings(change, change.database.id)
  if (settings && relyingPartyOf(settings)?.domain === domain) return
  throw new Problem('passkey_invalid', { detail: 'The passkey is of another domain.' })
}
