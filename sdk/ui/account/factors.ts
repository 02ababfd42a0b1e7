import { createPasskeys } from '../../passkeys.js'
import type { Factor } from '../../schemas.js'
import { action, outcomeOf, submit } from '../actions.js'
import { recoveryCodesOf, totpScreen } from '../factor-screens.js'
import { type Item, line, type Outcome, type Screen } from '../view.js'
import type { Account, Section } from './section.js'

/** The second step of logins: authenticator apps and recovery codes. */
export const factors: Section = async (account, usher) => {
  const { data, error } = await account.read('listFactors')
  if (error) return error
  const { on } = data.secondFactor
  const step = action(on ? 'turnOff' : 'turnOn', 'secondary', () =>
    outcomeOf<unknown>(usher.setSecondFactor({ on: !on }), () => ({
      status: line(on ? 'turnedOff' : 'turnedOn'),
    })),
  )
  const codes = action('replace', 'secondary', () =>
    outcomeOf(usher.createRecoveryCodes({}), (made) => account.dialog(codesScreen(made.codes))),
  )
  const hasFactor = data.factors.length > 0
  const isChosen = hasFactor && account.features.secondFactor === 'optional'
  return {
    name: 'factors',
    title: line('factors'),
    items: [
      {
        id: 'step',
        title: line('secondFactor'),
        details: [line(hasFactor ? (on ? 'stepOn' : 'stepOff') : 'factorsHint')],
        actions: isChosen ? [step] : [],
      },
      ...data.factors.filter(({ kind }) => kind === 'totp').map((each) => factorItem(each, account)),
      {
        id: 'app',
        title: line('app'),
        details: [line('appHint')],
        actions: [
          {
            ...action('add', 'secondary', () =>
              outcomeOf(usher.enrolTotp({}), (totp) =>
                account.dialog(
                  totpScreen(totp, {
                    add: (body) => outcomeOf(usher.addTotp(body), added),
                    back: () => undefined,
                  }),
                ),
              ),
            ),
            id: 'enrolTotp',
          },
        ],
      },
      ...(hasFactor
        ? [
            {
              id: 'codes',
              title: line('codes'),
              details: [line('codesLeft', { count: data.recoveryCodes })],
              actions: [codes],
            },
          ]
        : []),
    ],
    actions: [],
  }
}

const codesScreen = (codes: readonly string[]) => recoveryCodesOf(codes, () => ({}))

const added = ({ recoveryCodes }: { recoveryCodes: readonly string[] | null }): Outcome =>
  recoveryCodes ? { screen: codesScreen(recoveryCodes) } : { status: line('saved') }

/** Returns the row that adds a passkey. */
export const passkeyItem = ({ usher, dialog }: Account): Item => ({
  id: 'passkeys',
  title: line('passkeys'),
  details: [line('passkeyHint')],
  actions: [
    {
      ...action('add', 'secondary', () =>
        outcomeOf(createPasskeys(usher).add({}), ({ recoveryCodes }) =>
          recoveryCodes ? dialog(codesScreen(recoveryCodes)) : { status: line('saved') },
        ),
      ),
      id: 'addPasskey',
    },
  ],
})

/** Returns the row of a passkey or an authenticator app. */
export function factorItem({ id, kind, name, createdAt, lastUsedOn }: Factor, account: Account): Item {
  const { usher } = account
  const kindName = line(kind === 'passkey' ? 'passkey' : 'app')
  const change: Screen = {
    name: 'factor',
    title: kindName,
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
      action('remove', 'danger', () =>
        outcomeOf<unknown>(usher.removeFactor(id, {}), async () => {
          if (kind === 'passkey') await createPasskeys(usher).signal()
          return { status: line('removed') }
        }),
      ),
    ],
  }
  return {
    id,
    title: name === null ? kindName : { text: name },
    details: [
      ...(name === null ? [] : [kindName]),
      line('addedOn', { date: new Date(createdAt) }),
      ...(lastUsedOn ? [line('lastUsed', { date: new Date(lastUsedOn) })] : []),
    ],
    actions: [{ ...action('change', 'secondary', () => account.dialog(change)), id: `change-${id}` }],
  }
}
