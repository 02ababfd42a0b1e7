import { accountField, newPasswordField, outcomeOf, submit } from '../actions.js'
import { type Line, line, type Outcome, type Screen } from '../view.js'
import { finishLogin } from './mails.js'
import type { ScreenName, SignIn } from './sign-in.js'

/** Finishes a login that has returned by a mail or from a provider. Needs no click: only this browser can finish it. */
export const returned = (signIn: SignIn): Screen => ({
  name: 'login',
  title: line('logIn'),
  actions: [],
  isWaiting: true,
  async start() {
    const result = await finishLogin(signIn, (more) => signIn.external.finish(signIn.options.link, more))
    return result ? outcomeOf<unknown>(result, signIn.signedIn) : signIn.to('log-in')
  },
})

/** Chooses a new password, and logs in. */
export const resetPassword = (signIn: SignIn): Screen => ({
  name: 'reset-password',
  title: line('resetPassword'),
  fields: [
    ...(signIn.email ? [accountField(signIn.email)] : []),
    newPasswordField('newPassword', signIn.features.password.min),
  ],
  actions: [
    submit('savePassword', ({ newPassword = '' }) =>
      outcomeOf(signIn.usher.resetPassword({ code: signIn.code, newPassword }), signIn.signedIn),
    ),
  ],
})

/** Returns a screen that waits for a click, because programs open the links of mails. */
const waiting = (
  texts: Pick<Screen, 'name' | 'title' | 'lines'>,
  ...actions: Screen['actions'][number][]
): Screen => ({ ...texts, actions })

/** Verifies the address. */
export const verifyEmail = (signIn: SignIn) =>
  waiting(
    { name: 'verify-email', title: line('verifyEmail'), lines: [line('verifyHint')] },
    submit('verify', async () => {
      const { error } = await signIn.usher.verifyEmail({ code: signIn.code })
      if (error && needsLogin(error.code)) return logInFirst(signIn, 'verify-email')
      return error ? { error } : after(signIn, line('verified'))
    }),
  )

/** Uses the new address. */
export const changeEmail = (signIn: SignIn) =>
  waiting(
    { name: 'change-email', title: line('changeEmail'), lines: [line('changeHint')] },
    submit('confirm', () =>
      outcomeOf(signIn.usher.changeEmail({ code: signIn.code }), ({ email }) => {
        signIn.email = email
        return after(signIn, line('changed'))
      }),
    ),
  )

/** Uses the former address again. */
export const undoEmailChange = (signIn: SignIn) =>
  waiting(
    { name: 'undo-email-change', title: line('undoChange'), lines: [line('undoHint')] },
    submit('undo', () =>
      outcomeOf<unknown>(signIn.usher.undoEmailChange({ code: signIn.code }), () =>
        after(signIn, line('undone')),
      ),
    ),
  )

/** Says that a link is no longer valid, and leads to a new one. */
export function expiredLink(signIn: SignIn): Screen {
  const { expired: of } = signIn
  const renewal: Partial<Record<string, ScreenName>> = {
    'reset-password': 'forgot-password',
    login: signIn.features.loginMail === 'off' ? 'log-in' : 'mail-login',
  }
  const isInvitation = of === 'invitation' || of === 'sign-up'
  if (isInvitation) signIn.invitation = undefined
  const next = renewal[of]
  return {
    name: 'expired-link',
    title: line('expiredLink'),
    lines: [line(isInvitation ? 'expiredInvitation' : 'expiredHint')],
    actions: [
      of === 'verify-email'
        ? submit('sendMail', () => sendVerification(signIn))
        : submit('next', () =>
            signIn.client.token && !next ? signIn.signedIn() : signIn.to(next ?? 'log-in'),
          ),
    ],
  }
}

/** Mails a new link. Only the user can request it. */
async function sendVerification(signIn: SignIn): Promise<Outcome> {
  const { error } = await signIn.usher.requestEmailVerification()
  if (error && needsLogin(error.code)) return logInFirst(signIn, 'verify-email')
  return error ? { error } : { status: line('sentAgain') }
}

const needsLogin = (code: string) => code.startsWith('token_')

async function logInFirst(signIn: SignIn, next: ScreenName): Promise<Outcome> {
  signIn.next = next
  return { ...(await signIn.to('log-in')), status: line('logInFirst') }
}

/** Returns what follows a change by a link: the account, or a login. */
async function after(signIn: SignIn, status: Line): Promise<Outcome> {
  // The client learns whether the change has ended its session.
  if (signIn.client.token) await signIn.client.me()
  return { ...(await signIn.to(signIn.client.token ? 'signed-in' : 'log-in')), status }
}
