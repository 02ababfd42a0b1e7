import type { RuleDatabase } from '../databases/find-database.js'
import { validationFailed } from '../problem.js'

type Redirecting = Pick<RuleDatabase, 'loginRedirects' | 'appUrl'>

/** Returns the URLs to which a login at a provider may return, the default one first. */
const redirectsOf = ({ loginRedirects, appUrl }: Redirecting) =>
  loginRedirects.length > 0 || appUrl === null ? loginRedirects : [`${appUrl}/login`]

/** The addresses at which a native app listens, on a port that its system chooses (RFC 8252, section 7.3). */
const anyPort = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d{1,5}(?=\/|\?|$)/

const withoutPort = (url: string) => url.replace(anyPort, '$1')

/** Returns whether a login may return to a URL: exactly one of the list, except for the port of a loopback address. */
export const isRedirectAllowed = (database: Redirecting, url: string) =>
  redirectsOf(database).some((allowed) => withoutPort(allowed) === withoutPort(url)) && URL.canParse(url)

/** Returns the URL to which a login returns, by default the first one. @throws {Problem} `validation_failed` */
export function requireRedirect(database: Redirecting, url: string | null | undefined): string {
  const chosen = url ?? redirectsOf(database)[0]
  if (chosen !== undefined && isRedirectAllowed(database, chosen)) return chosen
  const detail =
    chosen === undefined
      ? 'is required, because the database has neither login redirects nor an app URL'
      : 'must be exactly one of the login redirects of the database'
  throw validationFailed([{ path: 'redirectUrl', code: 'invalid_type', detail }])
}
