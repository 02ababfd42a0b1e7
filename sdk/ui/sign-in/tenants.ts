import { action, outcomeOf, submit } from '../actions.js'
import { line, type Screen } from '../view.js'
import type { SignIn } from './sign-in.js'

/** Shows the tenants of the user to choose from. */
export function chooseTenant(signIn: SignIn, memberships: readonly { id: string; name: string }[]): Screen {
  return {
    name: 'choose-tenant',
    title: line('chooseTenant'),
    items: memberships.map(({ id, name }) => ({
      id,
      title: { text: name },
      actions: [{ ...action('choose', 'secondary', () => chosen(signIn, id)), id: `choose-${id}` }],
    })),
    actions: signIn.features.tenantOperations
      ? [action('createTenant', 'link', () => signIn.to('create-tenant'))]
      : [],
  }
}

/** Creates a tenant. */
export const createTenant = (signIn: SignIn): Screen => ({
  name: 'create-tenant',
  title: line('createTenant'),
  fields: [{ name: 'name', label: line('tenantName'), type: 'text', autocomplete: 'organization' }],
  actions: [
    submit('create', ({ name = '' }) =>
      outcomeOf(signIn.usher.createTenant({ name }), ({ id }) => chosen(signIn, id)),
    ),
  ],
})

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
