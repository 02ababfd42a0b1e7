import type { Operations } from '../../endpoints.js'
import { createPasskeys } from '../../passkeys.js'
import type { Factor } from '../../schemas.js'
import { action, outcomeOf, passwordField, submit } from '../actions.js'
import { recoveryCodesOf, totpScreen } from '../factor-screens.js'
import { type Item, line, type Outcome, type Screen } from '../view.js'
import { verification } from './profile.js'
import type { Section } from './section.js'

/** Passkeys, authenticator apps and recovery codes. */
export const factors: Section = async ({ features, user }, usher) => {
  const { data, error } = await usher.listFactors()
  const screen: Screen = { name: 'factors', title: line('factors'), actions: [] }
  if (error) return error
  const passkeys = createPasskeys(usher)
  const added = ({ recoveryCodes }: { recoveryCodes: readonly string[] | null }): Outcome =>
    recoveryCodes ? { screen: codesScreen(recoveryCodes) } : { status: line('saved') }
  const hasFactor = data.factors.length > 0
  // Adding a factor may need the verified address.
  const needsMail = features.accountOperations && !user.emailVerified
  return {
    ...screen,
    lines: [
      line('factorsHint'),
      ...(needsMail ? [line('unverifiedHint', { email: user.email })] : []),
      ...(hasFactor ? [line('codesLeft', { count: data.recoveryCodes })] : []),
      ...(hasFactor ? [line(data.secondFactor.on ? 'stepOn' : 'stepOff')] : []),
      line('passwordIfAny'),
    ],
    items: data.factors.map((factor) => itemOf(factor, usher, passkeys.signal)),
    fields: [{ ...passwordField(true), label: line('currentPassword') }],
    actions: [
      ...(features.passkeys
        ? [
            submit('addPasskey', ({ password }) =>
              outcomeOf(passkeys.add({ password: password || undefined }), added),
            ),
          ]
        : []),
      ...(features.secondFactor === 'off'
        ? []
        : [
            action('enrolTotp', features.passkeys ? 'secondary' : 'submit', ({ password }) =>
              outcomeOf(usher.enrolTotp({ password: password || undefined }), (totp) => ({
                screen: totpScreen(totp, {
                  add: (body) => outcomeOf(usher.addTotp(body), added),
                  back: () => ({}),
                }),
              })),
            ),
          ]),
      ...(needsMail ? verification(user, usher) : []),
      ...(hasFactor ? stepActions(usher, data.secondFactor.on, features.secondFactor) : []),
    ],
  }
}

const codesScreen = (codes: readonly string[]) => recoveryCodesOf(codes, () => ({}))

function stepActions(usher: Operations, isOn: boolean, setting: string) {
  const codes = action('newCodes', 'secondary', () =>
    outcomeOf(usher.createRecoveryCodes({}), (data) => ({ screen: codesScreen(data.codes) })),
  )
  const set = action(isOn ? 'turnOff' : 'turnOn', 'secondary', () =>
    outcomeOf<unknown>(usher.setSecondFactor({ on: !isOn }), () => ({
      status: line(isOn ? 'turnedOff' : 'turnedOn'),
    })),
  )
  return [codes, ...(setting === 'optional' ? [set] : [])]
}

function itemOf(
  { id, kind, name, createdAt, lastUsedOn }: Factor,
  usher: Operations,
  signal: () => Promise<void>,
): Item {
  const title = name === null ? line(kind === 'passkey' ? 'passkey' : 'app') : { text: name }
  const remove = action('remove', 'danger', () =>
    outcomeOf<unknown>(usher.removeFactor(id, {}), async () => {
      if (kind === 'passkey') await signal()
      return { status: line('removed') }
    }),
  )
  return {
    id,
    title,
    details: [
      ...(name === null ? [] : [line(kind === 'passkey' ? 'passkey' : 'app')]),
      line('addedOn', { date: new Date(createdAt) }),
      ...(lastUsedOn ? [line('lastUsed', { date: new Date(lastUsedOn) })] : []),
    ],
    actions: [
      {
        ...action('rename', 'secondary', () => ({ screen: renameScreen(id, name, usher) })),
        id: `rename-${id}`,
        object: name ?? '',
      },
      { ...remove, id: `remove-${id}`, object: name ?? '' },
    ],
  }
}

const renameScreen = (id: string, name: string | null, usher: Operations): Screen => ({
  name: 'rename-factor',
  title: line('rename'),
  fields: [
    {
      name: 'name',
      label: line('factorName'),
      type: 'text',
      autocomplete: 'off',
      isOptional: true,
      value: name ?? '',
    },
  ],
  actions: [
    submit('save', (values) =>
      outcomeOf<unknown>(usher.renameFactor(id, { name: values.name || null }), () => ({
        status: line('saved'),
      })),
    ),
    action('back', 'link', () => ({})),
  ],
})
