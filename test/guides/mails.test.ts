import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createElement, type FunctionComponent, StrictMode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, vi } from 'vitest'
import { renderPage } from '../sdk/happy-dom.js'
import { password, validUser } from '../support/app.js'
import { it } from './guide-files.js'
import { createEvents } from './sveltekit-events.js'

afterEach(() => vi.unstubAllGlobals())
it.afterAll(({ usher }) => usher.app.server.closeAllConnections())

const newPassword = 'four random common words'

type Page = Awaited<ReturnType<typeof renderPage>>

const formOf = (values: object) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(values)) data.set(name, value)
  return data
}

/** Opens a page of Next.js. With a link, waits until its form has the code. */
async function openForm(component: FunctionComponent, url?: string) {
  const page = await renderPage(createElement(StrictMode, null, createElement(component)), { url })
  const code = () => document.querySelector<HTMLInputElement>('input[name=code]')?.value
  if (url) await vi.waitFor(() => expect(url.endsWith(code() || 'nothing')).toBe(true), 10_000)
  return page
}

/** Writes the page that a guide describes as the same as another one, with `undoEmailChange`. */
async function writeUndo(folder: string, changePage: string) {
  const undoPage = join(folder, changePage.replace('change-email', 'undo-email-change'))
  const text = await readFile(join(folder, changePage), 'utf8')
  await mkdir(dirname(undoPage), { recursive: true })
  await writeFile(undoPage, text.replaceAll('changeEmail', 'undoEmailChange'))
}

it('verifies the address, changes it, and undoes that, with Next.js', async ({
  folder,
  load,
  linkTo,
  signedUp,
  clock,
}) => {
  clock.now = Date.now()
  await writeUndo(folder, 'nextjs/app/change-email/page.tsx')
  const guide = await load(
    'nextjs',
    `export { default as Email } from './app/email/page'
    export { default as ChangeEmail } from './app/change-email/page'
    export { default as UndoEmailChange } from './app/undo-email-change/page'
    export { default as VerifyEmail } from './app/verify-email/page'
    export { default as Home } from './app/page'
    export * from './app/actions'
    export { runAction } from 'next/headers'`,
  )
  const [email, next] = [validUser().email, validUser().email]
  await signedUp(email)
  const logIn = () => guide.runAction(guide.logIn, undefined, formOf({ email: next, password }))
  await expect(guide.runAction(guide.logIn, undefined, formOf({ email, password }))).rejects.toThrow(
    'redirect to /',
  )
  const press = async (label: string, text: string, { button, text: shown }: Page) => {
    await vi.waitFor(() => expect(button(label)?.disabled).toBe(false), 10_000)
    button(label)?.click()
    await vi.waitFor(() => expect(shown()).toContain(text), 10_000)
  }
  const verification = await openForm(guide.VerifyEmail, await linkTo(email))
  await press('Verify', 'Your address is verified.', verification)
  expect(location.hash).toBe('')
  await verification.close()
  const page = await openForm(guide.Email)
  await vi.waitFor(() => expect(page.button('Change address')).toBeDefined(), 10_000)
  page.fill({ email: next, password: 'a wrong password' })
  await press('Change address', 'is not the current password', page)
  page.fill({ email: next, password })
  await press('Change address', 'The new address gets a mail with a link.', page)
  await page.close()

  const confirmed = await openForm(guide.ChangeEmail, await linkTo(next))
  await press('Use this address', 'Your address has changed. Log in with it.', confirmed)
  await confirmed.close()
  await expect(guide.Home()).rejects.toThrow('redirect to /log-in')
  await expect(logIn()).rejects.toThrow('redirect to /')
  expect(renderToStaticMarkup(await guide.Home())).toContain(next)

  const undone = await openForm(guide.UndoEmailChange, await linkTo(email, 'undo-email-change'))
  await press('Use this address', 'Your address has changed.', undone)
  await undone.close()
  expect(await logIn()).toMatchObject({ code: 'invalid_credentials' })
  const [, code] = (await linkTo(email, 'reset-password')).split('#code=')
  await expect(
    guide.runAction(guide.resetPassword, undefined, formOf({ code, newPassword })),
  ).rejects.toThrow('redirect to /')
  expect(renderToStaticMarkup(await guide.Home())).toContain(email)
})

it('verifies the address, changes it, and undoes that, with SvelteKit', async ({
  load,
  linkTo,
  signedUp,
  clock,
}) => {
  clock.now = Date.now()
  const guide = await load(
    'sveltekit',
    `export * as home from './src/routes/+page.server'
    export * as logIn from './src/routes/log-in/+page.server'
    export * as email from './src/routes/email/+page.server'
    export * as change from './src/routes/change-email/+page.server'
    export * as undo from './src/routes/undo-email-change/+page.server'
    export * as reset from './src/routes/reset-password/+page.server'
    export * as verification from './src/routes/verify-email/+page.server'
    export * as linked from './src/routes/reset-password/+page'`,
  )
  const event = createEvents()
  const [email, next] = [validUser().email, validUser().email]
  await signedUp(email)
  const logIn = (address: string) => guide.logIn.actions.default(event({ email: address, password }))
  /** Returns the code as the page gets it. */
  const codeOf = (link: string) => {
    vi.stubGlobal('location', new URL(link))
    return guide.linked.load().code
  }
  const verification = event({ code: codeOf(await linkTo(email)) })
  expect(await guide.verification.actions.default(verification)).toEqual({ isVerified: true })
  await expect(logIn(email)).rejects.toThrow('303 to /')
  expect(await guide.home.load(event())).toMatchObject({ user: { emailVerified: true } })
  const wrong = await guide.email.actions.default(event({ email: next, password: 'a wrong password' }))
  expect(wrong).toMatchObject({ status: 400, data: { error: { code: 'validation_failed' } } })
  expect(await guide.email.actions.default(event({ email: next, password }))).toEqual({ isSent: true })
  const change = event({ code: codeOf(await linkTo(next)) })
  await expect(guide.change.actions.default(change)).rejects.toThrow('303 to /log-in')
  expect(await guide.change.actions.default(change)).toMatchObject({
    status: 400,
    data: { error: { code: 'code_invalid' } },
  })
  await expect(logIn(next)).rejects.toThrow('303 to /')
  expect(await guide.home.load(event())).toMatchObject({ user: { email: next } })

  const undo = event({ code: codeOf(await linkTo(email, 'undo-email-change')) })
  expect(await guide.undo.actions.default(undo)).toEqual({ email })
  expect(await guide.undo.actions.default(undo)).toMatchObject({ status: 400 })
  expect(await logIn(next)).toMatchObject({ status: 401 })
  const code = codeOf(await linkTo(email, 'reset-password'))
  await expect(guide.reset.actions.default(event({ code, newPassword }))).rejects.toThrow('303 to /')
  expect(await guide.home.load(event())).toMatchObject({ user: { email } })
})

it('verifies the address, changes it, and undoes that, with Expo', async ({
  folder,
  load,
  linkTo,
  signedUp,
  clock,
  database,
}) => {
  clock.now = Date.now()
  await writeUndo(folder, 'expo/app/change-email.tsx')
  const guide = await load(
    'expo',
    `export { default as Email } from './app/email'
    export { default as ChangeEmail } from './app/change-email'
    export { default as UndoEmailChange } from './app/undo-email-change'
    export { default as VerifyEmail } from './app/verify-email'
    export { usher } from './usher'
    export { openBy } from 'expo-linking'`,
  )
  const [email, next] = [validUser().email, validUser().email]
  await signedUp(email)
  await guide.usher.login({ email, password })
  const press = async (component: FunctionComponent, label: string, text: string, values = {}) => {
    const page = await renderPage(createElement(component))
    await vi.waitFor(() => expect(page.button(label)).toBeDefined(), 10_000)
    page.fill(values)
    page.button(label)?.click()
    await vi.waitFor(() => expect(page.text()).toContain(text), 10_000)
    await page.close()
  }
  guide.openBy(await linkTo(email))
  await press(guide.VerifyEmail, 'Verify', 'Your address is verified.')
  const wanted = { 'New email': next, Password: 'a wrong password' }
  await press(guide.Email, 'Change address', 'is not the current password', wanted)
  const right = { ...wanted, Password: password }
  await press(guide.Email, 'Change address', 'The new address gets a mail with a link.', right)
  guide.openBy(await linkTo(next))
  await press(guide.ChangeEmail, 'Use this address', 'Your address has changed. Log in with it.')
  expect((await guide.usher.me()).error).toMatchObject({ status: 401 })
  expect((await database.login({ email: next, password })).statusCode).toBe(200)
  guide.openBy(await linkTo(email, 'undo-email-change'))
  await press(guide.UndoEmailChange, 'Use this address', 'Your address has changed.')
  expect((await database.login({ email: next, password })).statusCode).toBe(401)
  expect(await linkTo(email, 'reset-password')).toContain('#code=')
})

it('logs in by a mail with Next.js', async ({ load, linkTo, digitsTo }) => {
  const guide = await load(
    'nextjs',
    `export { default as LogInByMail } from './app/login/page'
    export { default as Home } from './app/page'
    export * from './app/actions'
    export { jar, runAction } from 'next/headers'`,
  )
  const [email, other] = [validUser().email, validUser().email]
  const submit = async ({ button, text }: Page, label: string, expected: string) => {
    await vi.waitFor(() => expect(button(label)?.disabled).toBe(false), 10_000)
    button(label)?.click()
    await vi.waitFor(() => expect(text()).toContain(expected), 10_000)
  }
  const page = await openForm(guide.LogInByMail)
  await vi.waitFor(() => expect(page.button('Send a mail')).toBeDefined(), 10_000)
  page.fill({ email: 'ada@example' })
  await submit(page, 'Send a mail', 'must be an email address')
  page.fill({ email })
  await submit(page, 'Send a mail', 'The digits of the mail')
  await page.close()
  // The browser of the page has no cookies.
  const elsewhere = await openForm(guide.LogInByMail, await linkTo(email))
  await submit(elsewhere, 'Log in', 'Finish the login in the browser where you started it')
  await elsewhere.close()

  const send = formOf({ email: other })
  expect(await guide.runAction(guide.sendMail, undefined, send)).toBe('sent')
  const finish = (values: object) => guide.runAction(guide.logInByMail, undefined, formOf(values))
  expect(await finish({ digits: '12345' })).toMatchObject({ code: 'validation_failed' })
  await expect(finish({ digits: await digitsTo(other) })).rejects.toThrow('redirect to /')
  expect(renderToStaticMarkup(await guide.Home())).toContain(other)
  expect([...guide.jar.keys()]).not.toContain('usher.logins')
})

it('logs in by a mail with SvelteKit', async ({ load, linkTo }) => {
  const guide = await load(
    'sveltekit',
    `export * as home from './src/routes/+page.server'
    export * as login from './src/routes/login/+page.server'
    export * as linked from './src/routes/reset-password/+page'`,
  )
  const [event, otherBrowser] = [createEvents(), createEvents()]
  const { email } = validUser()
  const { start, finish } = guide.login.actions
  expect(await start(event({ email }))).toEqual({ isSent: true })
  vi.stubGlobal('location', new URL(await linkTo(email)))
  const { code } = guide.linked.load()
  const elsewhere = { status: 400, data: { error: { code: 'started_elsewhere' } } }
  expect(await finish(otherBrowser({ code }))).toMatchObject(elsewhere)
  expect(await finish(event({ digits: '12345' }))).toMatchObject({ status: 400 })
  await expect(finish(event({ code }))).rejects.toThrow('303 to /')
  expect(await guide.home.load(event())).toMatchObject({ user: { email } })
})

it('logs in by a mail with Expo', async ({ load, linkTo, digitsTo }) => {
  const start = () =>
    load(
      'expo',
      `export { default as LogInByMail } from './app/login'
      export { usher, byMail } from './usher'
      export { openBy } from 'expo-linking'
      export { items } from 'expo-secure-store'`,
    )
  const [email, other] = [validUser().email, validUser().email]
  const app = await start()
  const open = (component: FunctionComponent) =>
    renderPage(createElement(StrictMode, null, createElement(component)))
  const page = await open(app.LogInByMail)
  await vi.waitFor(() => expect(page.button('Send a mail')).toBeDefined(), 10_000)
  page.fill({ Email: email })
  page.button('Send a mail')?.click()
  await vi.waitFor(() => expect(page.button('Log in')).toBeDefined(), 10_000)
  page.fill({ 'Digits of the mail': await digitsTo(email) })
  page.button('Log in')?.click()
  await vi.waitFor(() => expect(page.text()).toBe(email), 10_000)
  await app.usher.signOut()
  await page.close()

  await app.byMail.start({ email: other })
  const restarted = await start()
  for (const [key, value] of app.items) restarted.items.set(key, value)
  restarted.openBy(await linkTo(other))
  const linked = await open(restarted.LogInByMail)
  await vi.waitFor(() => expect(linked.text()).toBe(other), 10_000)
  await linked.close()
})
