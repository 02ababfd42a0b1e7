import type { Client } from '../client.js'
import type { Operations } from '../endpoints.js'
import type { UsherError } from '../errors.js'
import { createExternalLogin } from '../external.js'
import { createLoginByMail } from '../login-by-mail.js'
import { createPasskeys } from '../passkeys.js'
import type { Features } from '../schemas.js'
import { removeFromAddress } from '../started-logins.js'
import { unavailableScreen } from './actions.js'
import { createFlow, type Flow } from './flow-engine.js'
import { messageOf } from './messages.js'
import { logIn, unavailable } from './sign-in/log-in.js'
import type { Draw, ScreenName, SignIn, SignInOptions } from './sign-in/sign-in.js'
import { chosen, signedInScreen } from './sign-in/signed-in.js'
import { line, type Outcome, type Screen } from './view.js'

export type { Flow } from './flow-engine.js'
export type { FieldTexts, ScreenName, SignInOptions, SignUpField, SubmitDetail } from './sign-in/sign-in.js'
export { type Language, textOf } from './text.js'
export type { Action, Feedback, Field, Item, Line, Outcome, Screen, Shown, Values } from './view.js'

/** The steps of a login. */
export interface SignInFlow extends Flow {
  /** Shows another screen. */
  go(screen: ScreenName): void
}

/** Returns what draws a screen with a part that is loaded later, because the first screen does not need it. */
function later<Part>(load: () => Promise<Part>, drawOf: (part: Part) => (signIn: SignIn) => Screen) {
  const draw = (signIn: SignIn): Promise<Screen> =>
    load().then(
      (part) => drawOf(part)(signIn),
      () => unavailableScreen('unavailable', line('noAnswer'), async () => ({ screen: await draw(signIn) })),
    )
  return draw
}

const enrolment = () => import('./sign-in/enrolment.js')
const links = () => import('./sign-in/links.js')
const mails = () => import('./sign-in/mails.js')
const passwords = () => import('./sign-in/password.js')
const signUps = () => import('./sign-in/sign-up.js')
const tenants = () => import('./sign-in/tenants.js')

const draws: Record<ScreenName, Draw> = {
  'log-in': logIn,
  password: later(passwords, (part) => part.password),
  'single-sign-on': later(passwords, (part) => part.singleSignOn),
  'sign-up': later(signUps, (part) => part.signUp),
  'forgot-password': later(mails, (part) => part.forgotPassword),
  'mail-login': later(mails, (part) => part.mailLogin),
  'mail-sent': later(mails, (part) => part.mailSent),
  'prove-email': later(mails, (part) => part.proveEmail),
  login: later(links, (part) => part.returned),
  'reset-password': later(links, (part) => part.resetPassword),
  'verify-email': later(links, (part) => part.verifyEmail),
  'change-email': later(links, (part) => part.changeEmail),
  'undo-email-change': later(links, (part) => part.undoEmailChange),
  invitation: later(
    () => import('./sign-in/invitation.js'),
    (part) => part.invitation,
  ),
  enrol: later(enrolment, (part) => part.enrol),
  'enrol-totp': later(enrolment, (part) => part.enrolTotp),
  'recovery-codes': later(enrolment, (part) => part.recoveryCodes),
  'choose-tenant': later(tenants, (part) => part.chooseTenant),
  'create-tenant': later(tenants, (part) => part.createTenant),
  'expired-link': later(links, (part) => part.expiredLink),
  closed: later(signUps, (part) => part.closed),
  unavailable,
  'signed-in': signedInScreen,
}

/** The screens to which mails and providers lead, by the last part of the path. */
const linked: readonly string[] = [
  'login',
  'reset-password',
  'verify-email',
  'change-email',
  'undo-email-change',
  'invitation',
] satisfies ScreenName[]

/** The screens that end when another tab has logged in. */
const beforeLogin = [
  'log-in',
  'password',
  'single-sign-on',
  'sign-up',
  'forgot-password',
  'mail-login',
  'mail-sent',
  'invitation',
]
/** The screens that end when another tab has logged out. */
const afterwards = ['choose-tenant', 'create-tenant', 'signed-in']

/** Until the database says what it offers. */
const unknownFeatures: Features = {
  signUp: false,
  password: { min: 8, max: 256 },
  accountOperations: false,
  tenantOperations: false,
  verifyEmailWithToken: false,
  loginMail: 'off',
  secondFactor: 'off',
  passkeys: false,
  singleSignOn: false,
  ssoRouting: false,
  roles: [],
}

interface Page {
  location?: { hash: string; pathname: string }
  sessionStorage?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
}

/**
 * Creates the steps of a login: sign-up, log-in by password, passkey, mail, or at a provider, second factor, new password, links of
 * mails, invitations, and the choice of a tenant. For pages that draw the screens themselves; `<usher-sign-in>` draws them with it.
 *
 * @example
 * ```ts
 * const flow = createSignInFlow(usher, { onSignedIn: () => location.assign('/') })
 * flow.subscribe(() => draw(flow.screen, flow.feedback))
 * form.onsubmit = () => flow.submit('logIn', { email, password })
 * ```
 */
export function createSignInFlow(client: Client, options: SignInOptions = {}): SignInFlow {
  const { location } = globalThis as unknown as Page
  const link = options.link ?? location?.hash ?? ''
  const page = options.page ?? location?.pathname.split('/').pop() ?? ''
  const [, code = ''] = /[#&]code=([^&]+)/.exec(link) ?? []
  const isLinked = linked.includes(page) && /[#&](code|error)=/.test(link)
  const first = options.screen ?? (isLinked ? (page as ScreenName) : undefined)
  let signIn: SignIn
  let wasLoggedIn = Boolean(client.token)

  const flow = createFlow(
    client,
    (usher) => {
      signIn = createSignIn(client, usher, { ...options, link })
      signIn.code = code
      return loading(signIn, first)
    },
    (error, screen) => lead(signIn, error, screen),
  )
  function go(name: ScreenName) {
    const drawn = draws[name](signIn)
    flow.show('name' in drawn ? drawn : { ...busy, start: async () => ({ screen: await drawn }) })
  }
  const { subscribe } = flow

  /** Follows a login or log-out of another tab. */
  function followTabs() {
    const isLoggedIn = Boolean(client.token)
    if (isLoggedIn === wasLoggedIn) return
    wasLoggedIn = isLoggedIn
    if (flow.feedback.isBusy) return
    const { name } = flow.screen
    if (isLoggedIn && beforeLogin.includes(name)) flow.show({ ...busy, start: signIn.signedIn })
    if (!isLoggedIn && afterwards.includes(name)) go('log-in')
  }

  return Object.assign(flow, {
    go,
    subscribe(listener: () => void) {
      const stops = [subscribe(listener), client.subscribe(followTabs)]
      return () => {
        for (const stop of stops) stop()
      }
    },
  })
}

function createSignIn(client: Client, usher: Operations, options: SignInOptions): SignIn {
  const signIn: SignIn = {
    client,
    usher,
    options,
    external: createExternalLogin(usher),
    byMail: createLoginByMail(usher),
    passkeys: createPasskeys(usher),
    features: unknownFeatures,
    connections: [],
    email: '',
    route: undefined,
    code: '',
    mail: 'login',
    get invitation() {
      return keptInvitation()
    },
    set invitation(code) {
      keepInvitation(code)
    },
    next: undefined,
    challenge: '',
    totp: undefined,
    recoveryCodes: [],
    memberships: [],
    expired: '',
    to: async (name) => ({ screen: await draws[name](signIn) }),
    signedIn: () => afterLogin(signIn),
  }
  return signIn
}

const busy: Screen = { name: 'loading', title: line('busy'), actions: [], isWaiting: true }

/** Asks what the database offers, and then shows a screen. */
const loading = (signIn: SignIn, first: ScreenName | undefined): Screen => ({
  ...busy,
  async start() {
    // A code must not stay in the history.
    removeFromAddress(signIn.code)
    const [features, connections] = await Promise.all([
      signIn.usher.features(),
      signIn.usher.listConnections(),
    ])
    if (features.error) {
      const retry = () => ({ screen: loading(signIn, first) })
      return { screen: unavailableScreen('unavailable', messageOf(features.error), retry) }
    }
    signIn.features = features.data
    signIn.connections = connections.data?.connections ?? []
    return signIn.to(first ?? (signIn.client.token ? 'signed-in' : 'log-in'))
  },
})

/** Returns what follows a login. */
async function afterLogin(signIn: SignIn): Promise<Outcome> {
  const { next, invitation: code, options, usher } = signIn
  signIn.next = undefined
  if (next) return signIn.to(next)
  if (code) {
    signIn.code = code
    return signIn.to('invitation')
  }
  if (options.tenant === 'choose') {
    const { data: user, error } = await usher.me()
    if (error) return { error }
    const [first, second] = user.memberships
    signIn.memberships = user.memberships
    if (second) return signIn.to('choose-tenant')
    if (first) return chosen(signIn, first.id)
    if (signIn.features.tenantOperations) return signIn.to('create-tenant')
  }
  options.onSignedIn?.()
  return signIn.to('signed-in')
}

/** Returns the screen to which an error leads. */
async function lead(
  signIn: SignIn,
  error: UsherError<string>,
  { name }: Screen,
): Promise<Outcome | undefined> {
  const { code, secondFactor, profile } = error
  if (code === 'enrolment_required' && secondFactor?.challenge) {
    signIn.challenge = secondFactor.challenge
    return signIn.to('enrol')
  }
  if (code === 'code_invalid' && (linked.includes(name) || name === 'sign-up')) {
    signIn.expired = name
    return signIn.to('expired-link')
  }
  if (code === 'email_not_proven') {
    signIn.email = profile?.email ?? ''
    return signIn.to('prove-email')
  }
  // Whoever proves the address by a mail is logged in, and can add the factor then.
  if (code === 'email_not_verified' && name === 'enrol')
    return {
      ...(await signIn.to(signIn.features.accountOperations ? 'forgot-password' : 'mail-login')),
      error,
    }
  if (code === 'account_missing' || code === 'sign_up_closed') return signIn.to('closed')
  const isLost = name === 'login' || code === 'challenge_invalid' || /^(token|session)_/.test(code)
  return isLost ? { ...(await signIn.to('log-in')), error } : undefined
}

const kept = 'usher.invitation'

/** Returns the invitation that the user is accepting, also after a login at a provider has left the page. */
function keptInvitation() {
  try {
    return (globalThis as Page).sessionStorage?.getItem(kept) ?? undefined
  } catch {
    return undefined
  }
}

function keepInvitation(code: string | undefined) {
  try {
    const { sessionStorage } = globalThis as Page
    if (code) sessionStorage?.setItem(kept, code)
    else sessionStorage?.removeItem(kept)
  } catch {
    // The link can be opened again after the login.
  }
}
