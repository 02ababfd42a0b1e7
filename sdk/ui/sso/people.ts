import type { UsherError } from '../../errors.js'
import type { SsoEntry } from '../../schemas.js'
import { action } from '../actions.js'
import { line, type Screen } from '../view.js'
import { answerOf, type Setup } from './setup.js'

/** People of a page. */
const pageSize = 25

const nameOf = ({ email, name, subject }: SsoEntry) => email ?? name ?? subject

const disconnectScreen = ({ usher, tenantId }: Setup, entry: SsoEntry): Screen => ({
  name: 'sure',
  title: line('sure'),
  lines: [{ text: nameOf(entry) }, line('ssoDisconnectHint')],
  actions: [
    action('disconnect', 'danger', () =>
      answerOf(usher.removeSsoEntry(tenantId, entry.id), () => ({ status: line('removed') })),
    ),
  ],
})

/** The people whom the provider has named, by pages. */
export function peopleOf() {
  /** Where the pages before this one begin, and this one. */
  const starts: (string | undefined)[] = [undefined]

  return async function people(setup: Setup): Promise<Screen | UsherError<string>> {
    const { sso, usher, tenantId, dialog } = setup
    const { data, error } = await usher.listSsoEntries(tenantId, { limit: pageSize, after: starts.at(-1) })
    if (error) return error
    const { entries, next } = data
    const isFirst = starts.length === 1
    const previous = action('previous', 'secondary', () => {
      starts.pop()
      return {}
    })
    const following = action('following', 'secondary', () => {
      starts.push(next ?? undefined)
      return {}
    })
    return {
      name: 'sso-people',
      title: line('ssoPeople'),
      lines: [line('ssoPeopleHint')],
      items: entries.map((entry) => {
        const { id, email, name, connectionId, issuer, linkedAt } = entry
        const connection = sso.connections.find((each) => each.id === connectionId)
        return {
          id,
          title: { text: nameOf(entry) },
          details: [
            ...(email && name ? [{ text: name }] : []),
            { text: connection?.title ?? issuer },
            line('connectedOn', { date: new Date(linkedAt) }),
          ],
          actions: [
            {
              ...action(
                'disconnect',
                'secondary',
                () => dialog(disconnectScreen(setup, entry)) as Promise<undefined>,
              ),
              id: `disconnect-${id}`,
            },
          ],
        }
      }),
      actions: [...(isFirst ? [] : [previous]), ...(next === null ? [] : [following])],
    }
  }
}
