import { failed } from '../../started-logins.js'
import { action } from '../actions.js'
import { define } from '../element.js'
import { line } from '../view.js'
import type { Section } from './section.js'

/** The user of a session of a tenant, whose account needs a login of its own. */
export const tenantLogin: Section = ({ client, user, signedOut }) => ({
  name: 'tenant-login',
  title: { text: user.preferredName ?? user.email },
  lines: [
    ...(user.preferredName === null ? [] : [{ text: user.email }]),
    ...user.memberships.map(({ name }) => ({ text: name })),
    line('ownLogin'),
  ],
  actions: [
    action('logOut', 'secondary', async () => {
      await client.signOut()
      signedOut()
      return { isSame: true }
    }),
  ],
})

/** The way of an owner to the set-up of single sign-on, whose element is loaded when it is opened. */
export const setupOf =
  (show: (setup: HTMLElement) => void): Section =>
  () => ({
    name: 'tenant-sso',
    title: line('singleSignOn'),
    actions: [
      action('openSso', 'secondary', async () => {
        const parts = await import('../sso/element.js').catch(() => undefined)
        if (!parts) return failed('no_answer', 'The set-up could not be loaded', 'Try again.')
        define('usher-sso-setup', parts.UsherSsoSetup)
        show(document.createElement('usher-sso-setup'))
        return { isSame: true }
      }),
    ],
  })
