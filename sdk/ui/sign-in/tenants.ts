import { action, outcomeOf, submit } from '../actions.js'
import { line, type Screen } from '../view.js'
import type { SignIn } from './sign-in.js'
import { chosen } from './signed-in.js'

/** Shows the tenants of the user to choose from. */
export function chooseTenant(signIn: SignIn): Screen {
  return {
    name: 'choose-tenant',
    title: line('chooseTenant'),
    items: signIn.memberships.map(({ id, name }) => ({
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
