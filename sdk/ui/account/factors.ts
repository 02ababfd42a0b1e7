import { createPasskeys } from '../../passkeys.js'
import type { Factor } from '../../schemas.js'
import { action, outcomeOf } from '../actions.js'
import { type Item, line } from '../view.js'
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
    outcomeOf(usher.createRecoveryCodes({}), (made) =>
      account.dialog(({ codesScreen }) => codesScreen(made.codes)),
    ),
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
                account.dialog(({ appScreen }) => appScreen(account, totp)),
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

/** Returns the row that adds a passkey. */
export const passkeyItem = ({ usher, dialog }: Account): Item => ({
  id: 'passkeys',
  title: line('passkeys'),
  details: [line('passkeyHint')],
  actions: [
    {
      ...action('add', 'secondary', () =>
        outcomeOf(createPasskeys(usher).add({}), ({ recoveryCodes }) =>
          recoveryCodes ? dialog(({ codesScreen }) => codesScreen(recoveryCodes)) : { status: line('saved') },
        ),
      ),
      id: 'addPasskey',
    },
  ],
})

/** Returns the row of a passkey or an authenticator app. */
export function factorItem(factor: Factor, account: Account): Item {
  const { id, kind, name, createdAt, lastUsedOn } = factor
  const kindName = line(kind === 'passkey' ? 'passkey' : 'app')
  return {
    id,
    title: name === null ? kindName : { text: name },
    details: [
      ...(name === null ? [] : [kindName]),
      line('addedOn', { date: new Date(createdAt) }),
      ...(lastUsedOn ? [line('lastUsed', { date: new Date(lastUsedOn) })] : []),
    ],
    actions: [
      {
        ...action('change', 'secondary', () =>
          account.dialog(({ factorScreen }) => factorScreen(account, factor)),
        ),
        id: `change-${id}`,
      },
    ],
  }
}
