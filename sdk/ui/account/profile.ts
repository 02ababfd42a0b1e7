import type { Operations } from '../../endpoints.js'
import type { User } from '../../schemas.js'
import {
  accountField,
  action,
  emailField,
  newPasswordField,
  outcomeOf,
  passwordField,
  submit,
} from '../actions.js'
import { line } from '../view.js'
import type { Section } from './section.js'

/** The name of the user. */
export const profile: Section = (account, usher) => ({
  name: 'profile',
  title: line('profile'),
  lines: [line('signedUpOn', { date: new Date(account.user.createdAt) })],
  fields: [
    {
      name: 'preferredName',
      label: line('preferredName'),
      type: 'text',
      autocomplete: 'name',
      isOptional: true,
      value: account.user.preferredName ?? '',
    },
  ],
  actions: [
    submit('save', ({ preferredName }) =>
      outcomeOf(usher.updateMe({ preferredName: preferredName || null }), async () => {
        await account.refresh()
        return { status: line('saved') }
      }),
    ),
  ],
})

const currentPassword = () => ({ ...passwordField(true), label: line('currentPassword') })

/** Sends a mail to an address that is not verified. */
export const verification = ({ emailVerified }: User, usher: Operations) =>
  emailVerified
    ? []
    : [
        action('sendMail', 'secondary', () =>
          outcomeOf<unknown>(usher.requestEmailVerification(), () => ({ status: line('mailOnItsWay') })),
        ),
      ]

/** The address of the user, and whether it is verified. */
export const email: Section = ({ user }, usher) => ({
  name: 'email',
  title: line('emailTitle'),
  lines: [
    line(user.emailVerified ? 'verifiedHint' : 'unverifiedHint', { email: user.email }),
    line('emailChangeHint'),
    line('passwordIfAny'),
  ],
  fields: [{ ...emailField('email'), label: line('newEmail') }, currentPassword()],
  actions: [
    submit('change', ({ email: address = '', password }) =>
      outcomeOf<unknown>(
        usher.requestEmailChange({ email: address, password: password || undefined }),
        () => ({
          status: line('mailOnItsWay'),
        }),
      ),
    ),
    ...verification(user, usher),
  ],
})

/** A new password. */
export const password: Section = ({ user, features }, usher) => ({
  name: 'password',
  title: line('passwordTitle'),
  lines: [line('passwordIfAny')],
  fields: [
    accountField(user.email),
    currentPassword(),
    newPasswordField('newPassword', features.password.min),
  ],
  actions: [
    submit('change', ({ password: current, newPassword = '' }) =>
      outcomeOf<unknown>(usher.changePassword({ password: current || undefined, newPassword }), () => ({
        status: line('passwordChanged'),
      })),
    ),
  ],
})

/** Deletes the user. */
export const deletion: Section = (account, usher) => ({
  name: 'deletion',
  title: line('deletion'),
  lines: [line('deletionHint'), line('passwordIfAny')],
  fields: [currentPassword()],
  actions: [
    action('deleteAccount', 'danger', ({ password: current }) =>
      outcomeOf<unknown>(usher.deleteMe({ password: current || undefined }), () => {
        account.signedOut()
        return { status: line('deleted') }
      }),
    ),
  ],
})
