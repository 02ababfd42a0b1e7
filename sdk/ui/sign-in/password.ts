import { accountField, action, outcomeOf, passwordField, submit } from '../actions.js'
import { line, type Screen } from '../view.js'
import { forgotten, hasLoginMail, invitedHint, logInByPassword, passkeyOf } from './log-in.js'
import { sender } from './mails.js'
import type { SignIn } from './sign-in.js'

/** Logs in with an address that was typed before, by password or another way. */
export const password = (signIn: SignIn): Screen => ({
  name: 'password',
  title: line('logIn'),
  lines: invitedHint(signIn),
  fields: [accountField(signIn.email), passwordField()],
  focus: 'password',
  cancel: () => signIn.to('log-in'),
  actions: [
    logInByPassword(signIn),
    ...passkeyOf(signIn),
    ...(hasLoginMail(signIn)
      ? [action('mailLogin', 'provider', () => sender(signIn, 'login')(signIn.email))]
      : []),
    ...forgotten(signIn),
    action('otherAccount', 'link', () => signIn.to('log-in')),
  ],
})

/** Logs in at the provider of the domain of the address, or another way. */
export const singleSignOn = (signIn: SignIn): Screen => {
  const { email, external, route } = signIn
  if (!route) return password(signIn)
  const { id, title } = route
  const start = () => outcomeOf(external.start({ connection: id, loginHint: email }), () => undefined)
  return {
    name: 'single-sign-on',
    title: line('logIn'),
    lines: invitedHint(signIn),
    fields: [accountField(email)],
    actions: [
      { ...submit('logInAt', start), label: line('logInAt', { title }) },
      action('otherWays', 'secondary', () => signIn.to('password')),
      action('otherAccount', 'link', () => signIn.to('log-in')),
    ],
  }
}
