import { isDomain } from '@usher/contract/settings'
import { findMailSettings } from '../../store/queries/mail-settings.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { RuleDatabase } from './find-database.js'

type PasskeyDatabase = Pick<RuleDatabase, 'passkeyDomain' | 'passkeyOrigins' | 'appUrl'>

/** Where the passkeys of a database work. */
export interface RelyingParty {
  /** The RP ID (WebAuthn, section 4). */
  domain: string
  /** The exact origins at which a passkey signs. */
  origins: readonly string[]
}

/** Returns where the passkeys of a database work. Undefined if neither a domain nor an app URL with one is set. */
export function relyingPartyOf({
  passkeyDomain,
  passkeyOrigins,
  appUrl,
}: PasskeyDatabase): RelyingParty | undefined {
  const app = appUrl === null ? undefined : new URL(appUrl)
  const domain = passkeyDomain ?? app?.hostname
  if (domain === undefined || !isDomain(domain)) return undefined
  if (passkeyOrigins.length > 0) return { domain, origins: passkeyOrigins }
  return { domain, origins: [app && isAtDomain(app.hostname, domain) ? app.origin : `https://${domain}`] }
}

/** Returns where the passkeys of a database work. @throws {Problem} `route_not_found` if nowhere */
export function requireRelyingParty(database: PasskeyDatabase): RelyingParty {
  const rp = relyingPartyOf(database)
  if (!rp) throw new Problem('route_not_found')
  return rp
}

/** Returns whether the users of a database can have passkeys. */
export const hasPasskeys = (database: PasskeyDatabase & Pick<RuleDatabase, 'secondFactor'>) =>
  database.secondFactor !== 'off' && relyingPartyOf(database) !== undefined

const isAtDomain = (hostname: string, domain: string) =>
  hostname === domain || hostname.endsWith(`.${domain}`)

/**
 * Returns what the domain must serve at `/.well-known/webauthn`, so that browsers use its passkeys at other domains, too (WebAuthn,
 * section 5.11). Undefined if no origin needs it.
 */
export function relatedOrigins({ domain, origins }: RelyingParty) {
  const related = origins.filter(
    (origin) => origin.startsWith('https:') && !isAtDomain(new URL(origin).hostname, domain),
  )
  return related.length > 0 ? { origins: related } : undefined
}

/** Returns the name of the app, as authenticators list it. */
export async function appNameOf(
  { store }: Pick<AppContext, 'store'>,
  { id, appUrl, databaseName }: Pick<RuleDatabase, 'id' | 'appUrl' | 'databaseName'>,
) {
  const { appName } = (await findMailSettings(store, id)) ?? {}
  return appName ?? (appUrl ? new URL(appUrl).hostname : databaseName)
}
