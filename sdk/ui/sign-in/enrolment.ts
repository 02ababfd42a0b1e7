import { action, outcomeOf, submit } from '../actions.js'
import { recoveryCodesOf, totpScreen } from '../factor-screens.js'
import { line, type Screen } from '../view.js'
import type { SignIn } from './sign-in.js'

/** Asks for the second factor without which a user cannot log in. */
export const enrol = (signIn: SignIn): Screen => ({
  name: 'enrol',
  title: line('enrol'),
  lines: [line('enrolHint')],
  actions: [
    ...(signIn.features.passkeys
      ? [
          submit('addPasskey', () =>
            outcomeOf(signIn.passkeys.add({ challenge: signIn.challenge }), (data) => added(signIn, data)),
          ),
        ]
      : []),
    action('enrolTotp', signIn.features.passkeys ? 'secondary' : 'submit', () =>
      outcomeOf(signIn.usher.enrolTotp({ challenge: signIn.challenge }), (totp) => {
        signIn.totp = totp
        return signIn.to('enrol-totp')
      }),
    ),
    action('otherAccount', 'link', () => signIn.to('log-in')),
  ],
})

/** Adds an authenticator app. */
export const enrolTotp = (signIn: SignIn): Screen =>
  totpScreen(signIn.totp, {
    add: (body) => outcomeOf(signIn.usher.addTotp(body), (data) => added(signIn, data)),
    back: () => signIn.to('enrol'),
  })

function added(signIn: SignIn, { recoveryCodes }: { recoveryCodes: readonly string[] | null }) {
  if (!recoveryCodes) return signIn.signedIn()
  signIn.recoveryCodes = recoveryCodes
  return signIn.to('recovery-codes')
}

/** Shows the recovery codes once. */
export const recoveryCodes = (signIn: SignIn): Screen =>
  recoveryCodesOf(signIn.recoveryCodes, signIn.signedIn)
