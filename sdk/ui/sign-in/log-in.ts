import { action, emailField, outcomeOf, passwordField, submit, unavailableScreen } from '../actions.js'
import { type Action, line, type Outcome, type Screen } from '../view.js'
import type { SignIn } from './sign-in.js'

const hides = ({ options }: SignIn, name: string) => options.hide?.includes(name) ?? false

export const maySignUp = (signIn: SignIn) =>
  !hides(signIn, 'sign-up') && (signIn.features.signUp || signIn.invitation !== undefined)

const hasPasskeys = (signIn: SignIn) => signIn.features.passkeys && !hides(signIn, 'passkeys')

export const hasLoginMail = (signIn: SignIn) =>
  signIn.features.loginMail !== 'off' && !hides(signIn, 'mail-login')

/** Returns an action that goes to a screen with the address that was typed. */
export const goTo = (
  signIn: SignIn,
  id: Parameters<typeof action>[0],
  name: Parameters<SignIn['to']>[0],
): Action =>
  action(id, 'link', ({ email = signIn.email }) => {
    signIn.email = email
    return signIn.to(name)
  })

/** Logs in by password, passkey, mail, or at a provider. If there are other ways than a password, the address comes first. */
export function logIn(signIn: SignIn): Screen {
  const ways = [...providersOf(signIn), ...passkeyOf(signIn)]
  const isOneStep = ways.length === 0 && !hasLoginMail(signIn) && !signIn.features.ssoRouting
  return {
    name: 'log-in',
    title: line('logIn'),
    lines: invitedHint(signIn),
    fields: [emailField('username webauthn', signIn.email), ...(isOneStep ? [passwordField()] : [])],
    actions: [
      isOneStep
        ? logInByPassword(signIn)
        : submit('next', ({ email = '' }) => {
            signIn.email = email
            return wrongAddress(email) ?? afterAddress(signIn)
          }),
      ...ways,
      ...(isOneStep ? forgotten(signIn) : []),
      ...(maySignUp(signIn) ? [goTo(signIn, 'noAccount', 'sign-up')] : []),
    ],
    ...(hasPasskeys(signIn) && {
      async start(signal) {
        const result = await signIn.passkeys.autofill({ signal })
        if (!result || signal.aborted) return undefined
        return outcomeOf(result, signIn.signedIn)
      },
    }),
  }
}

/** How long the single sign-on of an address may take to find. */
const routeMilliseconds = 3_000

/** Returns what follows an address. It depends on the domain only, so it does not reveal who has an account. */
export async function afterAddress(signIn: SignIn) {
  const { usher, email, features } = signIn
  const signal = AbortSignal.timeout(routeMilliseconds)
  const { data } = features.ssoRouting ? await usher.routeLogin({ email }, { signal }) : {}
  signIn.route = data?.connection
  return signIn.to(signIn.route ? 'single-sign-on' : 'password')
}

/** Says that an address is missing or none: no request would say it. */
function wrongAddress(email: string): Outcome | undefined {
  if (/^[^@]+@[^@]+$/.test(email)) return undefined
  return { fieldErrors: { email: line(email ? 'emailInvalid' : 'required') } }
}

export const invitedHint = (signIn: SignIn) => (signIn.invitation ? [line('invitedHint')] : [])

export const logInByPassword = (signIn: SignIn) =>
  submit('logIn', ({ email = signIn.email, password = '' }) => {
    signIn.email = email
    return outcomeOf(signIn.usher.login({ email, password }), signIn.signedIn)
  })

export const forgotten = (signIn: SignIn) =>
  signIn.features.accountOperations ? [goTo(signIn, 'forgotPassword', 'forgot-password')] : []

/** Returns the buttons that log in at a provider. */
export const providersOf = (signIn: SignIn): Action[] =>
  (hides(signIn, 'providers') ? [] : signIn.connections).map(({ name, title, preset }) => ({
    ...action('logInAt', 'provider', () =>
      outcomeOf(signIn.external.start({ connection: name }), () => undefined),
    ),
    id: `provider-${name}`,
    label: line('logInAt', { title }),
    mark: preset,
  }))

export const passkeyOf = (signIn: SignIn): Action[] =>
  hasPasskeys(signIn)
    ? [action('logInWithPasskey', 'provider', () => outcomeOf(signIn.passkeys.login(), signIn.signedIn))]
    : []

/** Says that the service is not available. */
export const unavailable = (signIn: SignIn): Screen =>
  unavailableScreen('unavailable', line('unavailable'), () => signIn.to('log-in'))
