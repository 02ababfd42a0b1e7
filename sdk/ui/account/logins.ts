import { createExternalLogin } from '../../external.js'
import type { Factor } from '../../schemas.js'
import { action, outcomeOf } from '../actions.js'
import { type Item, line } from '../view.js'
import { factorItem, passkeyItem } from './factors.js'
import type { Account, Section } from './section.js'

/** The ways to log in, in the order of their rows. */
export const waysIn = ['email', 'password', 'passkeys', 'identities'] as const

/** A way to log in. */
export type WayIn = (typeof waysIn)[number]

/** What the rows of the ways to log in need. */
interface Read {
  account: Account
  hasPassword: boolean
  factors: readonly Factor[]
}

const rows: Record<Exclude<WayIn, 'identities'>, (read: Read) => Item[]> = {
  email: ({ account }) => emailItems(account),
  password: ({ account, hasPassword }) => [passwordItem(account, hasPassword)],
  passkeys: ({ account, factors }) => [
    ...factors.filter(({ kind }) => kind === 'passkey').map((each) => factorItem(each, account)),
    passkeyItem(account),
  ],
}

/** Returns the section of ways to log in. */
export const loginOf =
  (names: readonly string[]): Section =>
  async (account) => {
    const [listed, linked, offered] = await Promise.all([
      account.read('listFactors'),
      account.read('listIdentities'),
      account.read('listConnections'),
    ])
    const error = listed.error ?? linked.error ?? offered.error
    if (error) return error
    const { hasPassword, factors } = listed.data as NonNullable<typeof listed.data>
    const read = { account, hasPassword, factors }
    const identities = identityItems(account, linked.data?.identities ?? [], offered.data?.connections ?? [])
    return {
      name: 'ways-in',
      title: line('waysIn'),
      items: names.flatMap((name) =>
        name === 'identities' ? identities : rows[name as keyof typeof rows](read),
      ),
      actions: [],
    }
  }

/** The address, whether it is verified, and the one that replaces it once its mail is opened. */
function emailItems(account: Account): Item[] {
  const { user, usher } = account
  const { email, emailVerified } = user
  const mailed = () => ({ status: line('sentAgain') })
  const request = (address: string) =>
    outcomeOf<unknown>(usher.requestEmailChange({ email: address }), () => {
      account.pendingEmail = address
      return mailed()
    })
  const { pendingEmail } = account
  return [
    {
      id: 'email',
      title: line('emailTitle'),
      details: [{ text: email }, line(emailVerified ? 'isVerified' : 'isNotVerified')],
      actions: [
        {
          ...action('change', 'secondary', () => account.dialog(({ emailScreen }) => emailScreen(request))),
          id: 'change-email',
        },
      ],
    },
    ...(emailVerified
      ? []
      : [
          {
            id: 'verification',
            title: line('verifyEmail'),
            details: [line('verifyHint')],
            actions: [
              {
                ...action('sendAgain', 'secondary', () =>
                  outcomeOf<unknown>(usher.requestEmailVerification(), mailed),
                ),
                object: email,
              },
            ],
          },
        ]),
    ...(pendingEmail && pendingEmail !== email
      ? [
          {
            id: 'new-email',
            title: line('newEmail'),
            details: [{ text: pendingEmail }, line('emailChangeHint')],
            actions: [
              {
                ...action('sendAgain', 'secondary', () => request(pendingEmail)),
                id: 'send-change-again',
                object: pendingEmail,
              },
            ],
          },
        ]
      : []),
  ]
}

function passwordItem(account: Account, hasPassword: boolean): Item {
  return {
    id: 'password',
    title: line('passwordTitle'),
    details: [line(hasPassword ? 'isSet' : 'isNotSet')],
    actions: [
      {
        ...action(hasPassword ? 'change' : 'create', 'secondary', () =>
          account.dialog(({ passwordScreen }) => passwordScreen(account)),
        ),
        id: 'change-password',
      },
    ],
  }
}

interface Linked {
  id: string
  connection: string
  email: string | null
  linkedAt: string
}

/** The accounts at providers with which the user logs in, and could log in. */
function identityItems(
  account: Account,
  own: readonly Linked[],
  connections: readonly { name: string; title: string }[],
): Item[] {
  const external = createExternalLogin(account.usher)
  const titleOf = (name: string) => connections.find((each) => each.name === name)?.title ?? name
  return [
    ...own.map((each) => ({
      id: each.id,
      title: { text: titleOf(each.connection) },
      details: [
        ...(each.email ? [{ text: each.email }] : []),
        line('connectedOn', { date: new Date(each.linkedAt) }),
      ],
      actions: [
        {
          ...action('disconnect', 'secondary', () =>
            account.dialog(({ disconnectScreen }) =>
              disconnectScreen(account, each.id, titleOf(each.connection)),
            ),
          ),
          id: `disconnect-${each.id}`,
        },
      ],
    })),
    ...connections
      .filter(({ name }) => !own.some(({ connection }) => connection === name))
      .map(({ name, title }) => ({
        id: name,
        title: { text: title },
        details: [line('isNotConnected')],
        actions: [
          {
            ...action('connect', 'secondary', async () => {
              // A popup, because the page stays.
              const { data: link, error } = await external.openPopup({ connection: name })
              if (error) return { error }
              const result = await external.link(link)
              return result?.error ? { error: result.error } : { status: line('connected') }
            }),
            id: `connect-${name}`,
          },
        ],
      })),
  ]
}

/** The devices on which the user is logged in. */
export const sessions: Section = async ({ read }, usher) => {
  const { data, error } = await read('listSessions')
  if (error) return error
  const ended = () => ({ status: line('ended') })
  return {
    name: 'sessions',
    title: line('sessions'),
    items: data.sessions.map(({ id, label, refreshedAt, current }) => ({
      id,
      title: label === null ? line('unnamedDevice') : { text: label },
      details: [...(current ? [line('thisDevice')] : []), line('lastUsed', { date: new Date(refreshedAt) })],
      actions: current
        ? []
        : [
            {
              ...action('endSession', 'secondary', () => outcomeOf<unknown>(usher.endSessionById(id), ended)),
              id: `end-${id}`,
            },
          ],
    })),
    actions: data.sessions.some(({ current }) => !current)
      ? [action('endOthers', 'danger', () => outcomeOf<unknown>(usher.endOtherSessions(), ended))]
      : [],
  }
}
