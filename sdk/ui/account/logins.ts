import { createExternalLogin } from '../../external.js'
import { action, outcomeOf, passwordField } from '../actions.js'
import { line, type Screen } from '../view.js'
import type { Section } from './section.js'

/** The devices on which the user is logged in. */
export const sessions: Section = async (_account, usher) => {
  const { data, error } = await usher.listSessions()
  const screen: Screen = { name: 'sessions', title: line('sessions'), actions: [] }
  if (error) return error
  const ended = () => ({ status: line('ended') })
  const others = data.sessions.filter(({ current }) => !current)
  return {
    ...screen,
    items: data.sessions.map(({ id, label, refreshedAt, current }) => ({
      id,
      title: label === null ? line('unnamedDevice') : { text: label },
      details: [line('lastUsed', { date: new Date(refreshedAt) }), ...(current ? [line('thisDevice')] : [])],
      actions: current
        ? []
        : [
            {
              ...action('endSession', 'danger', () => outcomeOf<unknown>(usher.endSessionById(id), ended)),
              id: `end-${id}`,
              object: label ?? '',
            },
          ],
    })),
    actions:
      others.length > 0
        ? [action('endOthers', 'danger', () => outcomeOf<unknown>(usher.endOtherSessions(), ended))]
        : [],
  }
}

/** The accounts at providers with which the user logs in. */
export const identities: Section = async (_account, usher) => {
  const [linked, offered] = await Promise.all([usher.listIdentities(), usher.listConnections()])
  const screen: Screen = { name: 'identities', title: line('identities'), actions: [] }
  if (linked.error) return linked.error
  if (offered.error) return offered.error
  const { connections } = offered.data
  const { identities: own } = linked.data
  const external = createExternalLogin(usher)
  const titleOf = (name: string) => connections.find((each) => each.name === name)?.title ?? name
  const others = connections.filter(({ name }) => !own.some(({ connection }) => connection === name))
  const given = (password: string | undefined) => ({ password: password || undefined })
  return {
    ...screen,
    isEmpty: own.length + others.length === 0,
    lines: [line('passwordIfAny')],
    fields: [{ ...passwordField(true), label: line('currentPassword') }],
    items: [
      ...own.map(({ id, connection, email, linkedAt }) => ({
        id,
        title: { text: titleOf(connection) },
        details: [...(email ? [{ text: email }] : []), line('connectedOn', { date: new Date(linkedAt) })],
        actions: [
          {
            ...action('disconnect', 'danger', ({ password }) =>
              outcomeOf<unknown>(usher.unlinkIdentity(id, given(password)), () => ({
                status: line('removed'),
              })),
            ),
            id: `disconnect-${id}`,
            object: titleOf(connection),
          },
        ],
      })),
      ...others.map(({ name, title }) => ({
        id: name,
        title: { text: title },
        actions: [
          {
            ...action('connect', 'secondary', async ({ password }) => {
              // A popup, because the page keeps the password until the login returns.
              const { data: link, error } = await external.openPopup({ connection: name })
              if (error) return { error }
              const result = await external.link(link, given(password))
              return result?.error ? { error: result.error } : { status: line('connected') }
            }),
            id: `connect-${name}`,
            object: title,
          },
        ],
      })),
    ],
  }
}
