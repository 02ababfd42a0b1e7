import { emailField, newPasswordField, outcomeOf, submit } from '../actions.js'
import { type Field, line, type Outcome, type Screen, type Values } from '../view.js'
import { goTo, maySignUp, providersOf } from './log-in.js'
import { isRefusal } from './mails.js'
import type { SignIn, SignUpField } from './sign-in.js'

/** Signs up with a password. */
export const signUp = (signIn: SignIn): Screen =>
  maySignUp(signIn)
    ? {
        name: 'sign-up',
        title: line('signUp'),
        fields: signUpFields(signIn),
        actions: [signUpAction(signIn), ...providersOf(signIn), goTo(signIn, 'hasAccount', 'log-in')],
      }
    : closed(signIn)

/** Returns the fields of a sign-up. The address of an invitation is fixed. */
export const signUpFields = (signIn: SignIn, invited?: string): Field[] => [
  invited === undefined
    ? emailField('username', signIn.email)
    : { ...emailField('username', invited), isReadonly: true },
  {
    name: 'preferredName',
    label: line('preferredName'),
    type: 'text',
    autocomplete: 'name',
    isOptional: true,
  },
  newPasswordField('password', signIn.features.password.min),
  ...(signIn.options.signUpFields ?? []).map(fieldOf),
]

/** Returns the action that signs up. */
export const signUpAction = (signIn: SignIn) =>
  submit('signUp', async (values) => {
    const { usher, features, options } = signIn
    const { email = '', password = '', preferredName } = values
    signIn.email = email
    const refused = missingOf(options.signUpFields ?? [], values) ?? (await refusedBy(options, values))
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
  })

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
