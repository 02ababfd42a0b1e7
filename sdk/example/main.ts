import type { ErrorCode, Membership, Result, SessionInfo, User, UsherError } from '@usher/sdk'
import type { FinishExternalErrorCode, LinkErrorCode, PopupErrorCode } from '@usher/sdk/external'
import type { CeremonyErrorCode } from '@usher/sdk/passkeys'
import { actionButton, element, formatTime, listItem } from './elements.js'
import {
  cancelFactor,
  endAnswer,
  enrolsAfter,
  factorActions,
  factorView,
  showFactors,
  showQuestion,
} from './factors.js'
import { clearMessages, showErrors, showSuccess } from './messages.js'
import { finish, formAfter, logInAt, providerActions, showIdentities, showProviders } from './providers.js'
import { findTeam, showTeam, teamActions, teamId } from './team.js'
import { byMail, passkeys, questions, usher } from './usher.js'

/** What a mail or a provider has led here with: a code or an error. */
const link = /#(code|error)=/.test(location.hash) ? location.hash : ''
/** The code in the link of a mail. */
const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? ''
/** The form to which the link leads, until its action is successful. */
let linkedForm = link && location.pathname.slice(1)
if (link) history.replaceState(null, '', '/')

type Code = ErrorCode | CeremonyErrorCode | FinishExternalErrorCode | LinkErrorCode | PopupErrorCode
type Action = (value: (name: string) => string) => Promise<Result<unknown, Code>>

/** The action of each form, by the ID of the form. */
const actions: Record<string, Action> = {
  'log-in': (value) =>
    value('passkey')
      ? passkeys.login()
      : value('connection')
        ? logInAt(value('connection'))
        : usher.login({ email: value('email'), password: value('password') }),
  'by-mail': (value) => byMail.start({ email: value('email') }),
  digits: (value) => byMail.finishWithDigits(value('digits')),
  login: () => finish(link),
  'sign-up': (value) =>
    usher.createUser({
      email: value('email'),
      password: value('password'),
      preferredName: value('preferredName') || undefined,
      newTenant: value('newTenant') || undefined,
      invitationCode: linkedForm === 'invitation' ? code : undefined,
    }),
  'forgot-password': (value) => usher.requestPasswordReset({ email: value('email') }),
  'reset-password': (value) => usher.resetPassword({ code, newPassword: value('newPassword') }),
  'verify-email': () => usher.verifyEmail({ code }),
  invitation: () => usher.acceptInvitation({ code }),
  verification: () => usher.requestEmailVerification(),
  'change-email': () => usher.changeEmail({ code }),
  'undo-email-change': () => usher.undoEmailChange({ code }),
  email: (value) =>
    usher.requestEmailChange({ email: value('email'), password: value('password') || undefined }),
  profile: (value) => usher.updateMe({ preferredName: value('preferredName') || null }),
  teams: (value) => usher.createTenant({ name: value('name') }),
  sessions: (value) => (value('session') ? usher.endSessionById(value('session')) : usher.endAllSessions()),
  password: (value) =>
    usher.changePassword({ password: value('password') || undefined, newPassword: value('newPassword') }),
  deletion: (value) => usher.deleteMe({ password: value('password') || undefined }),
  ...teamActions,
  ...providerActions,
  ...factorActions,
}

const profile = document.forms.namedItem('profile') as HTMLFormElement
const signUp = document.forms.namedItem('sign-up') as HTMLFormElement
let isLoading = false

const features = usher.features()
features.then(({ data }) => {
  for (const each of document.querySelectorAll<HTMLElement>('#log-in .passkey, #factors .passkey'))
    each.hidden = !data?.passkeys
})

for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    submit(form, event.submitter)
  })
}
const logOut = document.querySelector<HTMLButtonElement>('#log-out')
logOut?.addEventListener('click', () => usher.signOut())
for (const button of document.querySelectorAll<HTMLButtonElement>('.renew'))
  button.addEventListener('click', () => leaveLink(button.form?.id))
for (const button of document.querySelectorAll<HTMLButtonElement>('.cancel'))
  button.addEventListener('click', () => {
    cancelFactor()
    show()
  })
document.getElementById('print')?.addEventListener('click', () => print())
addEventListener('hashchange', show)
// Called when the token has changed, here or in another tab.
usher.subscribe(show)
questions.subscribe(show)
show()
// Needs no click: a program that opens all links has not started the login.
if (linkedForm === 'login') document.forms.namedItem('login')?.requestSubmit()

/** Returns the ID of what to show: the form of a link, what the URL names, the account, or the login form. */
function viewId() {
  const factor = factorView()
  if (factor) return factor
  const named = ['log-in', 'by-mail', 'digits', 'sign-up', 'forgot-password'].find(
    (each) => `#${each}` === location.hash,
  )
  // A sign-up accepts the invitation, and a login comes before it is accepted.
  if (linkedForm === 'invitation' && (!usher.token || signUp.ariaBusy)) return named ?? 'sign-up'
  return linkedForm || named || (!usher.token ? 'log-in' : teamId() ? 'team' : 'account')
}

/** Shows the view that `viewId` returns. */
async function show() {
  // Replaces #sign-up, so that logging out shows the login form. A new link can be requested while logged in.
  if (usher.token && !teamId() && location.hash !== '#forgot-password')
    history.replaceState(null, '', '#account')
  const view = document.getElementById(viewId())
  logOut?.toggleAttribute('hidden', !usher.token)
  for (const each of document.querySelectorAll<HTMLElement>('.invited'))
    each.hidden = linkedForm !== 'invitation'
  if (view?.hidden) {
    for (const each of document.querySelectorAll<HTMLElement>('main > *')) each.hidden = each !== view
    // Nothing of a user who has logged out stays on the page.
    showAccount()
    showIdentities(false)
    showFactors(false)
    showTeam()
    for (const form of document.forms) {
      clearMessages(form)
      form.reset()
    }
    view.querySelector<HTMLElement>('input, [tabindex]')?.focus()
    if (view.id === 'log-in') offerLogins()
  }
  if (view?.id === 'second-factor') showQuestion()
  if (view?.localName === 'section') await load()
}

/** Offers the logins by mail and at providers that the database has. */
async function offerLogins() {
  const [{ data }] = await Promise.all([features, showProviders()])
  if (data && data.loginMail !== 'off') document.getElementById('offer-mail')?.removeAttribute('hidden')
  // Ends when another passkey is used.
  if (data?.passkeys && !usher.token) {
    const result = await passkeys.autofill()
    if (result?.error) showErrors(visible(profile), result.error)
  }
}

/** Leads on from an expired link. Only the user can request the mail that verifies an address. */
async function leaveLink(form?: string) {
  linkedForm = ''
  clearMessages(signUp)
  if (form === 'reset-password') location.hash = '#forgot-password'
  if (form === 'login') location.hash = code ? '#by-mail' : '#log-in'
  await show()
  if (form !== 'verify-email') return
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
  if (form.id !== 'second-factor') endAnswer()
  const next = result?.error && formAfter(result.error)
  if (result?.error && !next && !(await enrolsAfter(result.error)))
    return showErrors(visible(form), result.error)
  if (form.id === linkedForm || form === signUp) linkedForm = ''
  if (next) linkedForm = next
  if (form.id === 'prove-email') linkedForm = 'prove-digits'
  if (form.id === 'by-mail') history.replaceState(null, '', '#digits')
  await show()
  form.reset()
  if (submitter) keepFocus(form, submitter as HTMLButtonElement)
  showSuccess(visible(form), submitter?.dataset.success ?? form.dataset.success)
}

/** Moves the focus from a button of a former list to the same one of the new list, or to the heading. */
function keepFocus(form: HTMLFormElement, { isConnected, name, value }: HTMLButtonElement) {
  if (isConnected) return
  const same = form.querySelector<HTMLElement>(`[name="${name}"][value="${value}"]`)
  const target = same ?? form.querySelector<HTMLElement>('h2')
  target?.focus()
}

/** Loads what the account or the team shows. */
async function load() {
  if (isLoading) return
  isLoading = true
  const { token } = usher
  const { hash } = location
  const { data: user, error } = await usher.me()
  const found = user && teamId() ? await findTeam(user, teamId()) : undefined
  const sessions = user && !teamId() ? (await usher.listSessions()).data?.sessions : undefined
  isLoading = false
  if (error ?? found?.error) showErrors(visible(profile), (error ?? found?.error) as UsherError)
  else if (usher.token !== token || location.hash !== hash) await (usher.token && load())
  else if (found && !found.team) location.hash = '#account'
  else {
    showAccount(user, sessions)
    showIdentities(!!user)
    showFactors(!!user)
    showTeam(found?.team)
  }
}

/** Returns a form, or the first visible one if it is hidden by now. */
const visible = (form: HTMLFormElement) =>
  [form, ...document.forms].find((each) => !each.closest('[hidden]')) ?? form

/** Shows a user with sessions, or nothing. */
function showAccount(user?: User, sessions: readonly SessionInfo[] = []) {
  const rows = user && {
    Email: [user.email, user.emailVerified ? 'Verified' : 'Not verified'],
    'Signed up': [new Date(user.createdAt).toLocaleDateString([], { dateStyle: 'long' })],
  }
  const nodes = Object.entries(rows ?? {}).flatMap(([term, texts]) => [
    element('dt', term),
    ...texts.map((text) => element('dd', text)),
  ])
  profile.querySelector('dl')?.replaceChildren(...nodes)
  document.querySelector('#teams ul')?.replaceChildren(...(user?.memberships.map(teamItem) ?? []))
  document.querySelector('#sessions ul')?.replaceChildren(...sessions.map(sessionItem))
  document.forms.namedItem('verification')?.toggleAttribute('hidden', user?.emailVerified ?? true)
  // Shown unless the user is changing it.
  profile.querySelector('input')?.setAttribute('value', user?.preferredName ?? '')
}

function teamItem({ id, name, role }: Membership) {
  const link = Object.assign(element('a', name), { href: `#team=${id}` })
  return listItem(link, element('small', role))
}

function sessionItem({ id, label, refreshedAt, current }: SessionInfo) {
  const name = label ?? 'Unnamed device'
  const lastUse = `Last used ${formatTime(refreshedAt)}`
  const session = { name: 'session', value: id, object: `${name}, ${lastUse}` }
  const end = () => actionButton({ text: 'End', ...session, success: 'Session ended.' })
  return listItem(
    element('strong', name),
    element('small', lastUse),
    current ? element('span', 'This session') : end(),
  )
}
