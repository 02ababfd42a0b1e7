import type { ConnectionInfo, Identity, UsherError } from '@usher/sdk'
import { actionButton, element, formatTime, listItem } from './elements.js'
import { external, usher } from './usher.js'

/** Popups instead of redirects, for `?popup`. */
const usesPopup = new URLSearchParams(location.search).has('popup')

const buttons = document.getElementById('providers')
const proof = document.forms.namedItem('prove-email') as HTMLFormElement

/** The actions of the forms of logins at providers, by the ID of the form. */
export const providerActions = {
  'prove-email': (value: (name: string) => string) => external.requestMail(value('email')),
  'prove-digits': (value: (name: string) => string) => external.finishWithDigits(value('digits')),
  identities: async (value: (name: string) => string) => {
    const confirmation = { password: value('password') || undefined }
    if (value('remove')) return usher.unlinkIdentity(value('remove'), confirmation)
    const { data: link, error } = await external.openPopup({ connection: value('link') })
    return error ? { data: undefined, error } : nothing(await external.link(link, confirmation))
  },
}

/** Logs in at a provider. */
export async function logInAt(connection: string) {
  if (!usesPopup) return external.start({ connection })
  const { data: link, error } = await external.openPopup({ connection })
  return error ? { data: undefined, error } : finish(link)
}

/** Finishes a login that has returned from a provider or by a mail. */
export const finish = async (link: string) => nothing(await external.finish(link))

const nothing = <Value>(result: Value | undefined) => result ?? { data: undefined, error: undefined }

/** Returns the ID of the form that leads on from an error, or undefined. */
export function formAfter({ code, profile }: UsherError<string>) {
  if (code !== 'email_not_proven') return undefined
  proof.querySelector('input')?.setAttribute('value', profile?.email ?? '')
  return proof.id
}

/** Shows a button for each provider. */
export async function showProviders() {
  const { data } = await usher.listConnections()
  buttons?.replaceChildren(...(data?.connections.map(loginButton) ?? []))
}

function loginButton({ name, title }: ConnectionInfo) {
  return Object.assign(element('button', `Log in with ${title}`), { name: 'connection', value: name })
}

/** Shows the identities of the user, and the providers of which the user has none. Without a user, nothing. */
export async function showIdentities(isUser: boolean) {
  const form = document.forms.namedItem('identities')
  if (!isUser) return form?.querySelector('ul')?.replaceChildren()
  const [linked, offered] = await Promise.all([usher.listIdentities(), usher.listConnections()])
  const identities = linked.data?.identities ?? []
  const connections = offered.data?.connections ?? []
  const titleOf = (connection: string) =>
    connections.find(({ name }) => name === connection)?.title ?? connection
  const others = connections.filter(({ name }) => !identities.some(({ connection }) => connection === name))
  form?.toggleAttribute('hidden', identities.length + connections.length === 0)
  form
    ?.querySelector('ul')
    ?.replaceChildren(
      ...identities.map((identity) => identityItem(identity, titleOf(identity.connection))),
      ...others.map(({ name, title }) =>
        listItem(
          element('strong', title),
          actionButton({ text: 'Link', name: 'link', value: name, object: title }),
        ),
      ),
    )
}

function identityItem({ id, email, linkedAt }: Identity, title: string) {
  const removal = { name: 'remove', value: id, object: title, success: 'Login removed.' }
  return listItem(
    element('strong', title),
    element('small', [email, `linked ${formatTime(linkedAt)}`].filter(Boolean).join(', ')),
    actionButton({ text: 'Remove', ...removal }),
  )
}
