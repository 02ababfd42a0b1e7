import { define, type StartOptions, shared } from './element.js'
import { UsherSsoSetup } from './sso/element.js'
import { en } from './texts/en.js'
import { enAccount } from './texts/en-account.js'

export { UsherSsoSetup } from './sso/element.js'

/**
 * Defines `<usher-sso-setup>` for the page. Call it once in the browser. Shares its options with `start` of `@usher/sdk/ui`.
 *
 * @example
 * ```ts
 * import { startSsoSetup } from '@usher/sdk/ui/sso'
 * import '@usher/sdk/ui.css'
 *
 * startSsoSetup({ client })
 * ```
 */
export function startSsoSetup(options: StartOptions = {}) {
  Object.assign(shared, options, { english: { ...en, ...enAccount } })
  define('usher-sso-setup', UsherSsoSetup)
}
