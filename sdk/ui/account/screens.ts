import { createPasskeys } from '../../passkeys.js'
import type { EnrolledTotp, Factor } from '../../schemas.js'
import { accountField, action, emailField, newPasswordField, outcomeOf, submit } from '../actions.js'
import { recoveryCodesOf, totpScreen } from '../factor-screens.js'
import { type Field, type Line, line, type Outcome, type Screen } from '../view.js'
import type { Account } from './section.js'

const said = (key: Parameters<typeof line>[0]) => (): Outcome => ({ status: line(key) })

const optionalText = (name: string, label: Line, more: Pick<Field, 'autocomplete' | 'value'>): Field => ({
  name,
  label,
  type: 'text',
  isOptional: true,
  ...more,
})

/** Changes the name of the user. */
export const nameScreen = (account: Account): Screen => ({
  name: 'name',
  title: line('preferredName'),
  fields: [
    optionalText('preferredName', line('preferredName'), {
      autocomplete: 'name',
      value: account.user.preferredName ?? '',
    }),
  ],
  actions: [
    submit('save', (values) =>
      outcomeOf(account.usher.updateMe({ preferredName: values.preferredName || null }), async () => {
        await account.refresh()
        return { status: line('saved') }
      }),
    ),
  ],
})

/** Takes the address that is to replace the one of the user. */
export const emailScreen = (request: (address: string) => Promise<Outcome | undefined>): Screen => ({
  name: 'email',
  title: line('emailTitle'),
  lines: [line('emailChangeHint')],
  fields: [{ ...emailField('email'), label: line('newEmail') }],
  actions: [submit('change', ({ email = '' }) => request(email))],
})

/** Changes the password, or sets the first one. */
export const passwordScreen = ({ user, features, usher }: Account): Screen => ({
  name: 'password',
  title: line('passwordTitle'),
  fields: [accountField(user.email), newPasswordField('newPassword', features.password.min)],
  actions: [
    submit('save', ({ newPassword = '' }) =>
      outcomeOf<unknown>(usher.changePassword({ newPassword }), said('passwordChanged')),
    ),
  ],
})

/** Asks again before the account at a provider no longer logs in. */
export const disconnectScreen = ({ usher }: Account, id: string, text: string): Screen => ({
  name: 'sure',
  title: line('sure'),
  lines: [{ text }],
  actions: [
    action('disconnect', 'danger', () => outcomeOf<unknown>(usher.unlinkIdentity(id, {}), said('removed'))),
  ],
})

/** Asks again before the account is deleted. */
export const deletionScreen = ({ user, usher, signedOut }: Account): Screen => ({
  name: 'sure',
  title: line('sure'),
  lines: [{ text: user.email }, line('deletionHint')],
  actions: [
    action('deleteAccount', 'danger', () =>
      outcomeOf<unknown>(usher.deleteMe({}), () => {
        signedOut()
        return { status: line('deleted') }
      }),
    ),
  ],
})

/** Renames or removes a passkey or an authenticator app. */
export const factorScreen = ({ usher }: Account, { id, kind, name }: Factor): Screen => ({
  name: 'factor',
  title: line(kind === 'passkey' ? 'passkey' : 'app'),
  fields: [optionalText('name', line('factorName'), { autocomplete: 'off', value: name ?? '' })],
  actions: [
    submit('save', (values) =>
      outcomeOf<unknown>(usher.renameFactor(id, { name: values.name || null }), said('saved')),
    ),
    action('remove', 'danger', () =>
      outcomeOf<unknown>(usher.removeFactor(id, {}), async () => {
        if (kind === 'passkey') await createPasskeys(usher).signal()
        return { status: line('removed') }
      }),
    ),
  ],
})

/** Shows recovery codes once. */
export const codesScreen = (codes: readonly string[]) => recoveryCodesOf(codes, () => ({}))

/** Adds an authenticator app. */
export const appScreen = ({ usher }: Account, totp: EnrolledTotp): Screen =>
  totpScreen(totp, {
    add: (body) =>
      outcomeOf(usher.addTotp(body), ({ recoveryCodes }) =>
        recoveryCodes ? { screen: codesScreen(recoveryCodes) } : { status: line('saved') },
      ),
    back: () => undefined,
  })
