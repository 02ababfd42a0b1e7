import { action, submit } from '../actions.js'
import { line, type Screen } from '../view.js'
import type { SignIn } from './sign-in.js'

/** Ends the login with a tenant. */
export function chosen(signIn: SignIn, tenantId: string) {
  signIn.options.onTenant?.(tenantId)
  signIn.options.onSignedIn?.()
  return signIn.to('signed-in')
}

/** Says that the user is logged in. */
export const signedInScreen = (signIn: SignIn): Screen => ({
  name: 'signed-in',
  title: line('loggedIn'),
  actions: [
    submit('next', () => {
      signIn.options.onSignedIn?.()
      return undefined
    }),
    action('logOut', 'link', async () => {
      await signIn.client.signOut()
      return signIn.to('log-in')
    }),
  ],
})
