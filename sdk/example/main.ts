import { createClient, type ErrorCode, type Result, type User } from '@usher/sdk'
import { clearErrors, showErrors } from './errors.js'

const usher = createClient({
  baseUrl: import.meta.env.VITE_USHER_URL || 'http://localhost:3000',
  workspace: import.meta.env.VITE_USHER_WORKSPACE || 'demo',
  database: import.meta.env.VITE_USHER_DATABASE || 'app',
  tokenStore: () => localStorage,
})

/** The action of each form, by the ID of the form. */
const actions: Record<string, (value: (name: string) => string) => Promise<Result<unknown, ErrorCode>>> = {
  'log-in': (value) => usher.login({ email: value('email'), password: value('password') }),
  'sign-up': (value) =>
    usher.createUser({
      email: value('email'),
      password: value('password'),
      preferredName: value('preferredName') || undefined,
      newTenant: value('newTenant') || undefined,
    }),
  account: loadAccount,
}

for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    submit(form)
  })
}
document.querySelector('#log-out')?.addEventListener('click', usher.signOut)
addEventListener('hashchange', show)
usher.subscribe(show)
show()

/** Shows the account form if the user is logged in, otherwise the form that the URL names. */
function show() {
  // Replaces #sign-up, so that logging out shows the login form.
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
  // If the session has expired, the login form is visible by now.
  const visibleForm = [...document.forms].find(({ hidden }) => !hidden)
  if (visibleForm) showErrors(visibleForm, result.error)
}

async function loadAccount() {
  const token = usher.token
  const result = await usher.me()
  if (usher.token && usher.token !== token) return loadAccount()
  if (usher.token && result.data) showUser(result.data)
  return result
}

function showUser(user: User) {
  const rows = {
    Name: user.preferredName ?? '–',
    Email: user.email,
    ID: user.id,
    Tenants: user.tenants.join(' ') || '–',
    'Signed up': formatTime(new Date(user.createdAt)),
    'Session expires': usher.expiresAt ? formatTime(usher.expiresAt) : '–',
  }
  const nodes = Object.entries(rows).flatMap(([term, text]) => [element('dt', term), element('dd', text)])
  document.querySelector('dl')?.replaceChildren(...nodes)
}

const element = (tagName: string, text: string) =>
  Object.assign(document.createElement(tagName), { textContent: text })

const formatTime = (date: Date) => date.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
