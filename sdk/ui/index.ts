import { define, type StartOptions, shared } from './element.js'
import { UsherSignIn } from './sign-in-element.js'
import { en } from './texts/en.js'

export type { Classes, Part } from './dom.js'
export type { Languages, StartOptions } from './element.js'
export type { ScreenName, SignUpField } from './flow.js'
export type { SubmitEventDetail } from './sign-in-element.js'
export { UsherSignIn } from './sign-in-element.js'
export type { Text, TextKey, Texts } from './texts/en.js'

/**
 * Defines `<usher-sign-in>` for the page. Call it once in the browser.
 *
 * @example
 * ```ts
 * import { createSessionClient } from '@usher/sdk/session'
 * import { start } from '@usher/sdk/ui'
 * import '@usher/sdk/ui.css'
 *
 * const client = createSessionClient({ baseUrl: 'http://localhost:3000', workspace: 'demo', database: 'app' })
 * start({ client })
 * ```
 */
export function start(options: StartOptions = {}) {
  Object.assign(shared, options, { english: { ...shared.english, ...en } })
  define('usher-sign-in', UsherSignIn)
}
