import type { User } from '../../schemas.js'
import { action } from '../actions.js'
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
export const profile: Section = (account) => {
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
          action('change', 'secondary', () => account.dialog(({ nameScreen }) => nameScreen(account))),
        ],
      },
    ],
    actions: [],
  }
}

/** Deletes the user. */
export const deletion: Section = (account) => ({
  name: 'deletion',
  title: line('deletion'),
  lines: [line('deletionHint')],
  actions: [
    action('deleteAccount', 'danger', () => account.dialog(({ deletionScreen }) => deletionScreen(account))),
  ],
})
