import type { FinishByMailFields } from '../../login-by-mail.js'
import { action, digitsField, emailField, outcomeOf, submit } from '../actions.js'
import { line, type Outcome, type Screen } from '../view.js'
import type { SignIn } from './sign-in.js'

const back = (signIn: SignIn) => action('back', 'link', () => signIn.to('log-in'))

/** Returns a screen that asks for the address to which a mail is sent. */
function askAddress(
  signIn: SignIn,
  texts: Pick<Screen, 'name' | 'title' | 'lines'>,
  send: (email: string) => Promise<Outcome | undefined>,
): Screen {
  return {
    ...texts,
    fields: [emailField('username', signIn.email)],
    actions: [
      submit('sendMail', ({ email = '' }) => {
        signIn.email = email
        return send(email)
      }),
      back(signIn),
    ],
  }
}

/** Returns a function that sends a mail, and then shows that it was sent. */
export const sender = (signIn: SignIn, mail: SignIn['mail']) => (email: string) => {
  signIn.mail = mail
  const { usher, byMail, external } = signIn
  const running = {
    login: () => byMail.start({ email }),
    prove: () => external.requestMail(email),
    reset: () => usher.requestPasswordReset({ email }),
  }[mail]()
  return outcomeOf<unknown>(running, () => signIn.to('mail-sent'))
}

/** Requests a mail that logs in. */
export const mailLogin = (signIn: SignIn) =>
  askAddress(signIn, { name: 'mail-login', title: line('mailLogin') }, sender(signIn, 'login'))

/** Requests a mail that resets the password. */
export const forgotPassword = (signIn: SignIn) =>
  askAddress(signIn, { name: 'forgot-password', title: line('forgotPassword') }, sender(signIn, 'reset'))

/** Requests a mail that proves the address of a login at a provider. */
export const proveEmail = (signIn: SignIn) =>
  askAddress(
    signIn,
    { name: 'prove-email', title: line('proveEmail'), lines: [line('proveHint')] },
    sender(signIn, 'prove'),
  )

/** Returns whether an error is that of an invitation, which must not keep the user from signing up without it. */
export const isRefusal = (code = '') => /^(code_invalid|invitation_for_other_address|seats_full)$/.test(code)

/** A finished login by mail or at a provider. Undefined if none has returned. */
type Finished = Awaited<ReturnType<SignIn['external']['finish']>>

/**
 * Finishes a login by mail or at a provider. Only a user without an account needs the invitation that this tab keeps: others accept
 * it after the login, so that one that is no longer valid refuses no login.
 */
export async function finishLogin(
  signIn: SignIn,
  send: (more: FinishByMailFields) => Promise<Finished>,
): Promise<Finished> {
  const { invitation, options } = signIn
  const result = await send(invitation || options.hide?.includes('sign-up') ? { mayCreate: false } : {})
  if (!invitation || result?.error?.code !== 'account_missing') return result
  const invited = await send({ invitationCode: invitation })
  const code = invited?.error?.code
  if (isRefusal(code)) signIn.invitation = undefined
  return code === 'code_invalid' ? finishLogin(signIn, send) : invited
}

/** Says that a mail was sent, and takes its digits. */
export function mailSent(signIn: SignIn): Screen {
  const { mail, email, features } = signIn
  const hasDigits = mail === 'prove' || (mail === 'login' && features.loginMail !== 'link')
  const finish = ({ digits = '' }) => {
    const steps = mail === 'prove' ? signIn.external : signIn.byMail
    const send = (more: FinishByMailFields) => steps.finishWithDigits(digits, more)
    return outcomeOf<unknown>(finishLogin(signIn, send) as ReturnType<typeof send>, signIn.signedIn)
  }
  return {
    name: 'mail-sent',
    title: line('mailSent'),
    lines: [line(hasDigits ? 'digitsHint' : mail === 'reset' ? 'resetHint' : 'linkHint', { email })],
    fields: hasDigits ? [digitsField] : [],
    actions: [
      ...(hasDigits ? [submit('logIn', finish)] : []),
      action('sendAgain', 'secondary', async () => {
        const outcome = await sender(signIn, mail)(email)
        return outcome?.error ? outcome : { status: line('sentAgain') }
      }),
      back(signIn),
    ],
  }
}
