import {
  action,
  emailField,
  newPasswordField,
  outcomeOf,
  passwordField,
  submit,
  unavailableScreen,
} from '../actions.js'
import { type Action, type Field, line, type Outcome, type Screen, type Values } from '../view.js'
import { isRefusal } from './mails.js'
import type { SignIn, SignUpField } from './sign-in.js'

const hides = ({ options }: SignIn, name: string) => options.hide?.includes(name) ?? false

const maySignUp = (signIn: SignIn) =>
  !hides(signIn, 'sign-up') && (signIn.features.signUp || signIn.invitation !== undefined)

/** Returns an action that goes to a screen with the address that was typed. */
const goTo = (signIn: SignIn, id: Parameters<typeof action>[0], name: Parameters<SignIn['to']>[0]) =>
  action(id, 'link', ({ email = signIn.email }) => {
    signIn.email = email
    return signIn.to(name)
  })

/** Logs in by password, passkey, mail, or at a provider. */
export function logIn(signIn: SignIn): Screen {
  const { usher, features } = signIn
  return {
    name: 'log-in',
    title: line('logIn'),
    lines: signIn.invitation ? [line('invitedHint')] : [],
    fields: [emailField('username webauthn', signIn.email), passwordField()],
    actions: [
      ...waysWithoutPassword(signIn),
      submit('logIn', ({ email = '', password = '' }) => {
        signIn.email = email
        return outcomeOf(usher.login({ email, password }), signIn.signedIn)
      }),
      ...(features.accountOperations ? [goTo(signIn, 'forgotPassword', 'forgot-password')] : []),
      ...(maySignUp(signIn) ? [goTo(signIn, 'noAccount', 'sign-up')] : []),
    ],
    ...(features.passkeys &&
      !hides(signIn, 'passkeys') && {
        async start(signal) {
          const result = await signIn.passkeys.autofill({ signal })
          if (!result || signal.aborted) return undefined
          return outcomeOf(result, signIn.signedIn)
        },
      }),
  }
}

function waysWithoutPassword(signIn: SignIn): Action[] {
  const { connections, external, features, passkeys } = signIn
  const providers = connections.map(({ name, title, preset }) => ({
    ...action('logInAt', 'provider', () => outcomeOf(external.start({ connection: name }), () => undefined)),
    id: `provider-${name}`,
    label: line('logInAt', { title }),
    mark: preset,
  }))
  const passkey = action('logInWithPasskey', 'provider', () => outcomeOf(passkeys.login(), signIn.signedIn))
  const mail = { ...goTo(signIn, 'mailLogin', 'mail-login'), kind: 'provider' as const }
  return [
    ...(hides(signIn, 'providers') ? [] : providers),
    ...(features.passkeys && !hides(signIn, 'passkeys') ? [passkey] : []),
    ...(features.loginMail !== 'off' && !hides(signIn, 'mail-login') ? [mail] : []),
  ]
}

/** Signs up with a password. */
export function signUp(signIn: SignIn): Screen {
  const { usher, features, options } = signIn
  if (!maySignUp(signIn)) return closed(signIn)
  const added = options.signUpFields ?? []
  return {
    name: 'sign-up',
    title: line('signUp'),
    fields: [
      emailField('username', signIn.email),
      {
        name: 'preferredName',
        label: line('preferredName'),
        type: 'text',
        autocomplete: 'name',
        isOptional: true,
      },
      newPasswordField('password', features.password.min),
      ...added.map(fieldOf),
    ],
    actions: [
      ...waysWithoutPassword(signIn).filter(({ id }) => id.startsWith('provider-')),
      submit('signUp', async (values) => {
        const { email = '', password = '', preferredName } = values
        signIn.email = email
        const refused = missingOf(added, values) ?? (await refusedBy(options, values))
        if (refused) return refused
        const { invitation } = signIn
        const create = (invitationCode?: string) =>
          usher.createUser({ email, password, preferredName: preferredName || undefined, invitationCode })
        let result = await create(invitation)
        if (invitation && features.signUp && isRefusal(result.error?.code)) {
          // An earlier page of this tab has left the invitation, or the user goes on after its error.
          if (invitation !== signIn.code) {
            signIn.invitation = undefined
            result = await create()
          }
          signIn.code = ''
        }
        return outcomeOf(result, () => {
          // The sign-up has accepted it.
          signIn.invitation = undefined
          return signIn.signedIn()
        })
      }),
      goTo(signIn, 'hasAccount', 'log-in'),
    ],
  }
}

const fieldOf = ({ name, label, type = 'text', required = false, options }: SignUpField): Field => ({
  name,
  label: { text: label },
  type,
  autocomplete: 'on',
  isOptional: !required,
  ...(options && { options: options.map((each) => ({ value: each.value, label: { text: each.label } })) }),
})

/** Says which fields of the app have no value, or returns undefined. */
function missingOf(fields: readonly SignUpField[], values: Values): Outcome | undefined {
  const missing = fields.filter(({ name, required }) => required && !values[name])
  if (missing.length === 0) return undefined
  return { fieldErrors: Object.fromEntries(missing.map(({ name }) => [name, line('required')])) }
}

/** Asks the app. */
async function refusedBy({ onSubmit }: SignIn['options'], values: Values): Promise<Outcome | undefined> {
  const texts = await onSubmit?.({ screen: 'sign-up', values })
  if (!texts) return undefined
  return { fieldErrors: Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { text }])) }
}

/** Says that nobody can sign up. */
export const closed = (signIn: SignIn): Screen => ({
  name: 'closed',
  title: line('closedTitle'),
  lines: [line('closedHint')],
  actions: [goTo(signIn, 'back', 'log-in')],
})

/** Says that the service is not available. */
export const unavailable = (signIn: SignIn): Screen =>
  unavailableScreen('unavailable', line('unavailable'), () => signIn.to('log-in'))
