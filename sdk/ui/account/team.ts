import type { Membership } from '../../schemas.js'
import { action, outcomeOf, submit } from '../actions.js'
import { line, type Screen } from '../view.js'
import type { Account, Section } from './section.js'

/** What the sections of a tenant share. */
export interface Team extends Account {
  readonly membership: Membership
}

/** Asks again before something that cannot be undone. */
export const sureScreen = (
  id: 'leave' | 'remove' | 'deleteTenant',
  name: string,
  run: Screen['actions'][number]['run'],
): Screen => ({
  name: 'sure',
  title: line('sure'),
  lines: [
    { text: name },
    ...(id === 'leave' ? [line('leaveHint')] : id === 'deleteTenant' ? [line('tenantDeletionHint')] : []),
  ],
  actions: [action(id, 'danger', run), action('keep', 'secondary', () => ({}))],
})

/** The name of a tenant. */
export const nameOf =
  ({ membership }: Team): Section =>
  (account, usher) => ({
    name: 'tenant-profile',
    title: line('tenantProfile'),
    fields: [
      {
        name: 'name',
        label: line('tenantName'),
        type: 'text',
        autocomplete: 'organization',
        value: account.user.memberships.find(({ id }) => id === membership.id)?.name ?? membership.name,
      },
    ],
    actions: [
      submit('save', ({ name = '' }) =>
        outcomeOf<unknown>(usher.updateTenant(membership.id, { name }), async () => {
          await account.refresh()
          return { status: line('saved') }
        }),
      ),
    ],
  })

/** Deletes a tenant. */
export const tenantDeletionOf =
  ({ membership }: Team): Section =>
  (account, usher) => ({
    name: 'tenant-deletion',
    title: line('tenantDeletion'),
    lines: [line('tenantDeletionHint')],
    actions: [
      action('deleteTenant', 'danger', () => ({
        screen: sureScreen('deleteTenant', membership.name, () =>
          outcomeOf<unknown>(usher.deleteTenant(membership.id), async () => {
            await account.refresh()
            return { status: line('deleted') }
          }),
        ),
      })),
    ],
  })
