import { UsherAccount, UsherTenant, UsherUserMenu } from './account/elements.js'
import { define, type StartOptions, shared } from './element.js'
import { en } from './texts/en.js'
import { enAccount } from './texts/en-account.js'

export { type SectionName, UsherAccount, UsherTenant, UsherUserMenu } from './account/elements.js'

/**
 * Defines `<usher-account>`, `<usher-tenant>` and `<usher-user-menu>` for the page. Call it once in the browser. Shares its options with
 * `start` of `@usher/sdk/ui`.
 *
 * @example
 * ```ts
 * import { startAccount } from '@usher/sdk/ui/account'
 * import '@usher/sdk/ui.css'
 *
 * startAccount({ client })
 * ```
 */
export function startAccount(options: StartOptions = {}) {
  Object.assign(shared, options, { english: { ...en, ...enAccount } })
  define('usher-account', UsherAccount)
  define('usher-tenant', UsherTenant)
  define('usher-user-menu', UsherUserMenu)
}
