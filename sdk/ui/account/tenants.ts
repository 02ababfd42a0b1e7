import { outcomeOf, submit } from '../actions.js'
import { roleName } from '../role.js'
import { line } from '../view.js'
import type { Section } from './section.js'

/** The tenants of the user. */
export const tenants: Section = (account, usher) => ({
  name: 'tenants',
  title: line('tenants'),
  items: account.user.memberships.map(({ id, name, role }) => ({
    id,
    title: { text: name },
    details: [roleName(role)],
  })),
  fields: [{ name: 'name', label: line('tenantName'), type: 'text', autocomplete: 'organization' }],
  actions: [
    submit('createTenant', ({ name = '' }) =>
      outcomeOf<unknown>(usher.createTenant({ name }), async () => {
        await account.refresh()
        return { status: line('saved') }
      }),
    ),
  ],
})
