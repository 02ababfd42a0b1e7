import type { ErrorCode, Result, SessionInfo, User } from '@usher/sdk'
import { createSessionClient } from '@usher/sdk/session'
import { deviceName } from './device.js'
import { clearMessages, showErrors, showSuccess } from './messages.js'

const usher = createSessionClient({
  baseUrl: import.meta.env.VITE_USHER_URL || 'http://localhost:3000',
  workspace: import.meta.env.VITE_USHER_WORKSPACE || 'demo',
  database: import.meta.env.VITE_USHER_DATABASE || 'app',
  tokenStore: () => localStorage,
  sessionStore: () => localStorage,
  label: deviceName(navigator.userAgent),
})

/** The code in the link of a mail. */
const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? ''
/** The form to which the link of a mail leads, until its action is successful. */
let linkedForm = code && location.pathname.slice(1)
if (code) history.replaceState(null, '', '/')

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
  'forgot-password': (value) => usher.requestPasswordReset({ email: value('email') }),
  'reset-password': (value) => usher.resetPassword({ code, newPassword: value('newPassword') }),
  'verify-email': () => usher.verifyEmail({ code }),
  verification: () => usher.requestEmailVerification(),
  profile: (value) => usher.updateMe({ preferredName: value('preferredName') || null }),
  sessions: (value) => (value('session') ? usher.endSessionById(value('session')) : usher.endAllSessions()),
  password: (value) =>
    usher.changePassword({ password: value('password'), newPassword: value('newPassword') }),
  deletion: (value) => usher.deleteMe({ password: value('password') }),
}

const profile = document.forms.namedItem('profile') as HTMLFormElement
let isLoading = false

for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    submit(form, event.submitter)
  })
}
const logOut = document.querySelector<HTMLButtonElement>('#log-out')
logOut?.addEventListener('click', () => usher.signOut())
for (const button of document.querySelectorAll<HTMLButtonElement>('.renew'))
  button.addEventListener('click', () => renewLink(button.form?.id))
addEventListener('hashchange', show)
// Called when the token has changed, here or in another tab.
usher.subscribe(show)
show()

/** Shows the form of a mail, the account if the user is logged in, or the form that the URL names. */
async function show() {
  // Replaces #sign-up, so that logging out shows the login form. A new link can be requested while logged in.
  if (usher.token && location.hash !== '#forgot-password') history.replaceState(null, '', '#account')
  const named = ['#sign-up', '#forgot-password'].find((each) => each === location.hash)?.slice(1)
  const view = document.getElementById(linkedForm || named || (usher.token ? 'account' : 'log-in'))
  logOut?.toggleAttribute('hidden', !usher.token)
  if (view?.hidden) {
    for (const each of document.querySelectorAll<HTMLElement>('main > *')) each.hidden = each !== view
    // Nothing of a user who has logged out stays on the page.
    showAccount()
    for (const form of document.forms) {
      clearMessages(form)
      form.reset()
    }
    view.querySelector<HTMLElement>('input, [tabindex]')?.focus()
  }
  if (view?.id === 'account') await loadAccount()
}

/** Leads from an expired link to a new one. Only the user can request the mail that verifies an address. */
async function renewLink(form?: string) {
  linkedForm = ''
  if (form === 'reset-password') location.hash = '#forgot-password'
  await show()
  if (form === 'reset-password') return
  const request = document.forms.namedItem('verification')
  if (usher.token && !request?.hidden) request?.requestSubmit()
  else if (!usher.token) showSuccess(visible(profile), 'Log in to get a new link.')
}

/** @param submitter the button, whose name and value count as a field */
async function submit(form: HTMLFormElement, submitter: HTMLElement | null) {
  if (form.ariaBusy) return
  form.ariaBusy = 'true'
  clearMessages(form)
  const fields = new FormData(form, submitter)
  const result = await actions[form.id]?.((name) => String(fields.get(name) ?? ''))
  form.ariaBusy = null
  if (result?.error) return showErrors(visible(form), result.error)
  linkedForm = ''
  await show()
  form.reset()
  const isOneSession = submitter?.getAttribute('name') === 'session'
  showSuccess(visible(form), isOneSession ? 'Session ended.' : form.dataset.success)
}

async function loadAccount() {
  if (isLoading) return
  isLoading = true
  const token = usher.token
  const { data: user, error } = await usher.me()
  const sessions = user && (await usher.listSessions()).data?.sessions
  isLoading = false
  if (error) showErrors(visible(profile), error)
  else if (usher.token === token) showAccount(user, sessions)
  else if (usher.token) await loadAccount()
}

/** Returns a form, or the first visible one if it is hidden by now. */
const visible = (form: HTMLFormElement) =>
  [form, ...document.forms].find((each) => !each.closest('[hidden]')) ?? form

/** Shows a user with sessions, or nothing. */
function showAccount(user?: User, sessions: readonly SessionInfo[] = []) {
  const rows = user && {
    Email: [user.email, user.emailVerified ? 'Verified' : 'Not verified'],
    Teams: [user.memberships.map(({ name }) => name).join(', ') || 'None'],
    'Signed up': [new Date(user.createdAt).toLocaleDateString([], { dateStyle: 'long' })],
  }
  const nodes = Object.entries(rows ?? {}).flatMap(([term, texts]) => [
    element('dt', term),
    ...texts.map((text) => element('dd', text)),
  ])
  profile.querySelector('dl')?.replaceChildren(...nodes)
  document.querySelector('ul')?.replaceChildren(...sessions.map(sessionItem))
  document.forms.namedItem('verification')?.toggleAttribute('hidden', user?.emailVerified ?? true)
  // Shown unless the user is changing it.
  profile.querySelector('input')?.setAttribute('value', user?.preferredName ?? '')
}

function sessionItem({ id, label, refreshedAt, current }: SessionInfo) {
  const name = label ?? 'Unnamed device'
  const lastUse = `Last used ${formatTime(refreshedAt)}`
  const item = element('li', '')
  const button = Object.assign(element('button', 'End'), {
    name: 'session',
    value: id,
    className: 'destructive',
  })
  button.ariaLabel = `End ${name}, ${lastUse}`
  item.append(
    element('strong', name),
    element('small', lastUse),
    current ? element('span', 'This session') : button,
  )
  return item
}

const element = <Name extends keyof HTMLElementTagNameMap>(tagName: Name, text: string) =>
  Object.assign(document.createElement(tagName), { textContent: text })

const formatTime = (time: string) =>
  new Date(time).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
