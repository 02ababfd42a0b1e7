import type { Client } from '../client.js'
import { UsherElement } from './element.js'
import { createSignInFlow, type ScreenName, type SignInFlow, type SignUpField } from './flow.js'

/** What `usher-submit` has in its `detail`. */
export interface SubmitEventDetail {
  screen: string
  values: Readonly<Record<string, string>>
  /**
   * Lets the form wait. A rejection is shown in the form: its `fields` have texts by the names of fields, such as
   * `{ fields: { company: 'There is no such company.' } }`. That of an error without `fields` is its `message`.
   */
  wait(promise: Promise<unknown>): void
}

/**
 * `<usher-sign-in>`: everything from the login form to a user who is logged in.
 *
 * Attributes: `screen` (the first one), `redirect-to` (a path of this origin, to which a login leads), `hide` (`sign-up`, `passkeys`,
 * `mail-login`, `providers`), `tenant="choose"`, `lang`, `theme` (`light` or `dark`), `unstyled`. Events: `usher-submit` (before a sign-up),
 * `usher-signed-in` (cancelable), `usher-tenant` (`detail.tenantId`), `usher-screen` (`detail.screen`).
 */
export class UsherSignIn extends UsherElement {
  #flow: SignInFlow | undefined
  #signUpFields: readonly SignUpField[] = []
  /** The link that has led here, which the flow removes from the address. A framework may draw the element twice. */
  #link: string | undefined

  /** Fields that a sign-up has in addition. */
  get signUpFields() {
    return this.#signUpFields
  }
  set signUpFields(fields) {
    this.#signUpFields = fields
    this.connectedCallback()
  }

  /** Shows another screen. */
  go(screen: ScreenName) {
    this.#flow?.go(screen)
  }

  protected override begin(client: Client) {
    const isLinked = () => /[#&](code|error)=/.test(location.hash)
    if (isLinked()) this.#link = location.hash
    // The link of another mail was opened here.
    const follow = () => isLinked() && this.connectedCallback()
    addEventListener('hashchange', follow)
    this.onEnd(() => removeEventListener('hashchange', follow))
    const flow = createSignInFlow(client, {
      link: this.#link,
      screen: (this.getAttribute('screen') as ScreenName | null) ?? undefined,
      hide: this.getAttribute('hide')?.split(/\s+/),
      tenant: this.getAttribute('tenant') === 'choose' ? 'choose' : undefined,
      signUpFields: this.signUpFields,
      onSubmit: (detail) => this.#ask(detail),
      onSignedIn: () => {
        this.#link = undefined
        const path = this.getAttribute('redirect-to')
        if (this.send('usher-signed-in') && path) location.assign(pathOf(path))
      },
      onTenant: (tenantId) => this.send('usher-tenant', { tenantId }),
    })
    this.#flow = flow
    let { name } = flow.screen
    this.onEnd(
      flow.subscribe(() => {
        if (flow.screen.name === name) return
        name = flow.screen.name
        // Its code is used up, or the user has gone elsewhere: another drawing must not begin with it.
        if (name === 'expired-link' || name === 'sign-up') this.#link = undefined
        this.send('usher-screen', { screen: name })
      }),
    )
    this.onEnd(flow.stop)
  }

  protected override paint() {
    // A change of the history lets password managers save a password that was accepted.
    const left = () => history.replaceState(history.state, '', location.href)
    if (this.#flow) this.paintFlows([this.#flow], 'h1', left)
  }

  /** Asks the page about a form. */
  async #ask(detail: Omit<SubmitEventDetail, 'wait'>) {
    const waits: Promise<unknown>[] = []
    const goesOn = this.send('usher-submit', {
      ...detail,
      wait: (promise: Promise<unknown>) => waits.push(promise),
    })
    if (!goesOn) return {}
    try {
      await Promise.all(waits)
      return undefined
    } catch (error) {
      const { fields, message } = error as Partial<Error> & { fields?: Record<string, string> }
      return fields ?? { '': message ?? String(error) }
    }
  }
}

/** Returns a path of this origin. Another origin must not get a user who has just logged in. */
function pathOf(path: string) {
  const { origin, pathname, search, hash } = new URL(path, location.href)
  return origin === location.origin ? pathname + search + hash : '/'
}
