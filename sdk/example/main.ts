import { createClient, type ErrorCode, type Result, type User } from '@usher/sdk'
import { clearErrors, showErrors } from './errors.js'

const usher = createClient({
  baseUrl: import.meta.env.VITE_USHER_URL || 'http://localhost:3000',
  workspace: import.meta.env.VITE_USHER_WORKSPACE || 'demo',
  database: import.meta.env.VITE_USHER_DATABASE || 'app',
  tokenStore: localStorage,
  onTokenChange: show,
})

/** What each form does when it is submitted. */
const actions: Record<string, (entered: (name: string) => string) => Promise<Result<unknown, ErrorCode>>> = {
  'log-in': (entered) => usher.login({ email: entered('email'), password: entered('password') }),
  'sign-up': (entered) =>
    usher.createUser({
      email: entered('email'),
      password: entered('password'),
      preferredName: entered('preferredName') || undefined,
      newTenant: entered('newTenant') || undefined,
    }),
  account: whoAmI,
}

for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    submit(form)
  })
}
document.querySelector('#log-out')?.addEventListener('click', () => {
  usher.token = undefined
})
addEventListener('hashchange', show)
// Another tab has logged in or out.
addEventListener('storage', show)
show()

/** Shows the form that fits: the account of whoever is logged in, else the one that the address names. */
function show() {
  // Replaced, so that logging out leads to the log-in form and not back to the sign-up.
  if (usher.token) history.replaceState(null, '', '#account')
  const id = usher.token ? 'account' : location.hash === '#sign-up' ? 'sign-up' : 'log-in'
  for (const form of document.forms) form.hidden = form.id !== id
  const form = document.forms.namedItem(id)
  form?.querySelector<HTMLElement>('input, [tabindex]')?.focus()
  document.querySelector('dl')?.replaceChildren()
  if (form && usher.token) submit(form)
}

async function submit(form: HTMLFormElement) {
  if (form.ariaBusy) return
  form.ariaBusy = 'true'
  clearErrors(form)
  const fields = new FormData(form)
  const result = await actions[form.id]?.((name) => String(fields.get(name) ?? ''))
  form.ariaBusy = null
  if (!result?.error) return form.reset()
  // Where the session has ended, that is the log-in form by now.
  const shown = [...document.forms].find(({ hidden }) => !hidden)
  if (shown) showErrors(shown, result.error)
}

async function whoAmI() {
  const token = usher.token
  const result = await usher.me()
  if (usher.token && usher.token !== token) return whoAmI()
  if (usher.token && result.data) describe(result.data)
  return result
}

function describe(user: User) {
  const rows = {
    Name: user.preferredName ?? '–',
    Email: user.email,
    Id: user.id,
    Tenants: user.tenants.join(' ') || '–',
    'Signed up': time(new Date(user.createdAt)),
    'Logged in until': usher.expiresAt ? time(usher.expiresAt) : '–',
  }
  const nodes = Object.entries(rows).flatMap(([term, text]) => [element('dt', term), element('dd', text)])
  document.querySelector('dl')?.replaceChildren(...nodes)
}

const element = (name: string, text: string) =>
  Object.assign(document.createElement(name), { textContent: text })

const time = (date: Date) => date.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
