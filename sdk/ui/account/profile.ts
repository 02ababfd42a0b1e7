import type { User } from '../../schemas.js'
import { action, outcomeOf, submit } from '../actions.js'
import { create, type Look, part } from '../dom.js'
import { line } from '../view.js'
import type { Section } from './section.js'

/** Returns a picture of a user: the first letters of the name, or that of the address. */
export function avatarOf({ preferredName, email }: Pick<User, 'preferredName' | 'email'>, look: Look) {
  const initials = (preferredName ?? email).match(/(?<=^|\s)[\p{L}\p{N}]/gu) ?? []
  return create(
    'span',
    { ...part('avatar', look), 'aria-hidden': 'true' },
    initials.slice(0, 2).join('').toUpperCase(),
  )
}

/** The name of the user. */
export const profile: Section = (account, usher) => {
  const { user } = account
  const { preferredName, email, createdAt } = user
  return {
    name: 'profile',
    title: line('profile'),
    items: [
      {
        id: 'name',
        picture: (look) => avatarOf(user, look),
        title: { text: preferredName ?? email },
        details: [
          ...(preferredName === null ? [] : [{ text: email }]),
          line('signedUpOn', { date: new Date(createdAt) }),
        ],
        actions: [
          action('change', 'secondary', () =>
            account.dialog({
              name: 'name',
              title: line('preferredName'),
              fields: [
                {
                  name: 'preferredName',
                  label: line('preferredName'),
                  type: 'text',
                  autocomplete: 'name',
                  isOptional: true,
                  value: preferredName ?? '',
                },
              ],
              actions: [
                submit('save', (values) =>
                  outcomeOf(usher.updateMe({ preferredName: values.preferredName || null }), async () => {
                    await account.refresh()
                    return { status: line('saved') }
                  }),
                ),
              ],
            }),
          ),
        ],
      },
    ],
    actions: [],
  }
}

/** Deletes the user. */
export const deletion: Section = (account, usher) => ({
  name: 'deletion',
  title: line('deletion'),
  lines: [line('deletionHint')],
  actions: [
    action('deleteAccount', 'danger', () =>
      account.dialog({
        name: 'sure',
        title: line('sure'),
        lines: [{ text: account.user.email }, line('deletionHint')],
        actions: [
          action('deleteAccount', 'danger', () =>
            outcomeOf<unknown>(usher.deleteMe({}), () => {
              account.signedOut()
              return { status: line('deleted') }
            }),
          ),
        ],
      }),
    ),
  ],
})
