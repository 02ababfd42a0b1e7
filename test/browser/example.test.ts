import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished } from 'vitest'
import { accessibilityErrorsOf } from '../support/accessibility.js'
import { password, startApp, validUser } from '../support/app.js'
import { it as browserTest, hasBrowser } from '../support/browser.js'
import { startChild } from '../support/child.js'
import { freePort } from '../support/postgres-server.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const vite = `${root}/node_modules/vite/bin/vite.js`

const it = browserTest
  .extend('example', { scope: 'file' }, async ({ origin, database }) => {
    const port = String(await freePort())
    const example = startChild(process.execPath, [vite, `${root}/sdk/example`, '--port', port], {
      VITE_USHER_URL: origin,
      VITE_USHER_WORKSPACE: database.workspaceSlug,
      VITE_USHER_DATABASE: database.databaseName,
    })
    await example.printed('Local:')
    return `http://localhost:${port}`
  })
  .extend('visitExample', ({ open, origin, example }) => async () => {
    const visit = await open([origin, example])
    await visit.page.goto(example)
    return { ...visit, ...formsOf(visit.page) }
  })

describe.skipIf(!hasBrowser)('the SDK example', () => {
  it('signs up with a tenant, logs out, logs in and stays logged in after a reload', async ({
    usher,
    database,
    origin,
    example,
    visitExample,
  }) => {
    const { page, signUp, logIn, account, usedOrigins } = await visitExample()
    const { email } = validUser()
    await logIn.getByRole('link', { name: 'Sign up' }).click()
    await fill(signUp, { Email: email, Password: password, Name: 'Ada', 'New tenant': 'Engines' })
    await signUp.getByRole('button').click()
    await expectTexts(account, 'Ada', email)
    const { tenants } = (await database.login({ email, password })).json()
    expect(tenants).toHaveLength(1)
    await expectTexts(account, ...tenants)

    await account.getByRole('button', { name: 'Log out' }).click()
    await fill(logIn, { Email: email, Password: password })
    await logIn.getByRole('button').click()
    await expectTexts(account, email)
    await account.getByRole('button', { name: 'Refresh' }).click()
    await expectTexts(account, email)

    await page.reload()
    await expectTexts(account, 'Ada', email, ...tenants)
    expect([...usedOrigins].sort()).toEqual([origin, example].sort())
    expect(usher.logged()).toContain('"OPTIONS"')
  })

  it.for(['light', 'dark'] as const)('is accessible in %s colors', async (colorScheme, { visitExample }) => {
    const { page, signUp, logIn, account, expectFailedLoads } = await visitExample()
    await page.emulateMedia({ colorScheme })
    await logIn.waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await logIn.getByRole('link', { name: 'Sign up' }).click()
    await fill(signUp, { Email: 'ada', Password: 'short' })
    await signUp.getByRole('button').click()
    await expectFailedLoads('400 users')
    expect(await accessibilityErrorsOf(page)).toEqual([])
    const { email } = validUser()
    await fill(signUp, { Email: email, Password: password })
    await signUp.getByRole('button').click()
    await expectTexts(account, email)
    expect(await accessibilityErrorsOf(page)).toEqual([])
  })

  it('signs up with only an email and a password', async ({ database, visitExample }) => {
    const { signUp, logIn, account } = await visitExample()
    const { email } = validUser()
    await logIn.getByRole('link', { name: 'Sign up' }).click()
    await fill(signUp, { Email: email, Password: password })
    await signUp.getByLabel('Password').press('Enter')
    await expectTexts(account, email)
    expect((await database.login({ email, password })).json().tenants).toEqual([])
  })

  it('shows an error next to each invalid field and removes it after correction', async ({
    visitExample,
  }) => {
    const { signUp, logIn, account, expectFailedLoads } = await visitExample()
    const { email } = validUser()
    await logIn.getByRole('link', { name: 'Sign up' }).click()
    await fill(signUp, { Email: 'ada', Password: 'short', 'New tenant': ' ' })
    await signUp.getByRole('button').click()
    await expectFieldErrors(signUp, {
      Email: 'must be an email address',
      Password: 'must have at least 8 characters',
      'New tenant': 'must not be blank',
    })
    await expectFailedLoads('400 users')

    await fill(signUp, { Email: email, Password: password, 'New tenant': 'Engines' })
    await signUp.getByRole('button').click()
    await expectTexts(account, email)
    expect(await signUp.locator('[aria-invalid]').count()).toBe(0)
  })

  it('shows next to the email field that the email is taken', async ({ database, visitExample }) => {
    const { signUp, logIn, expectFailedLoads } = await visitExample()
    const taken = validUser()
    await database.signedUp(taken)
    await logIn.getByRole('link', { name: 'Sign up' }).click()
    await fill(signUp, { Email: taken.email, Password: password })
    await signUp.getByRole('button').click()
    await expectFieldErrors(signUp, { Email: 'Email address is already in use' })
    await expectFailedLoads('409 users')
  })

  it('shows wrong credentials next to the password, and too many attempts above the form', async ({
    database,
    visitExample,
  }) => {
    const { logIn, expectFailedLoads } = await visitExample()
    const user = validUser()
    await database.signedUp(user)
    await fill(logIn, { Email: user.email, Password: 'not the password' })
    await logIn.getByRole('button').click()
    await expectFieldErrors(logIn, { Password: 'Invalid email or password' })
    await expectFailedLoads('401 login')

    for (let failures = 1; failures < 5; failures++) {
      await database.login({ email: user.email, password: 'not the password' })
    }
    await logIn.getByRole('button').click()
    await expectAlert(logIn, 'Too many failed login attempts. Try again in 1 s.')
    await expectFieldErrors(logIn, {})
    await expectFailedLoads('429 login')
  })

  it('shows the login form when the token has expired', async ({ database, clock, visitExample }) => {
    const { page, logIn, account, expectFailedLoads } = await visitExample()
    const user = validUser()
    await database.signedUp(user)
    await fill(logIn, { Email: user.email, Password: password })
    await logIn.getByRole('button').click()
    await expectTexts(account, user.email)

    clock.now += 3_600_000
    await account.getByRole('button', { name: 'Refresh' }).click()
    await expectAlert(logIn, 'Your session has expired. Log in again.')
    await expectFailedLoads('401 me')
    expect(await isFocused(logIn.getByLabel('Email'))).toBe(true)
    expect(await page.evaluate('localStorage.length')).toBe(0)

    await fill(logIn, { Email: user.email, Password: password })
    await logIn.getByRole('button').click()
    await expectTexts(account, user.email)
  })

  it('logs in and out together with another tab', async ({ database, visitExample }) => {
    const { page, logIn, account } = await visitExample()
    const user = validUser()
    await database.signedUp(user)
    const other = await page.context().newPage()
    await other.goto(page.url())
    await fill(logIn, { Email: user.email, Password: password })
    await logIn.getByRole('button').click()
    await expectTexts(formsOf(other).account, user.email)
    await formsOf(other).account.getByRole('button', { name: 'Log out' }).click()
    await logIn.waitFor()
    expect(await account.count()).toBe(0)
  })

  it('keeps the session while the server is unavailable, and continues when it is back', async ({
    usher,
    store,
    database,
    port,
    visitExample,
  }) => {
    const { page, logIn, account, expectFailedLoads } = await visitExample()
    const threeAttempts = Array(3).fill('net::ERR_CONNECTION_REFUSED me')
    const user = validUser()
    await database.signedUp(user)
    await fill(logIn, { Email: user.email, Password: password })
    await logIn.getByRole('button').click()
    await expectTexts(account, user.email)

    await usher.close()
    await account.getByRole('button', { name: 'Refresh' }).click()
    await expectAlert(account, 'The service is temporarily unavailable. Try again later.')
    await expectTexts(account, user.email)
    await expectFailedLoads(...threeAttempts)
    await page.reload()
    await expectAlert(account, 'The service is temporarily unavailable. Try again later.')
    await expectFailedLoads(...threeAttempts)

    const restarted = await startApp(store)
    onTestFinished(restarted.close)
    await restarted.app.listen({ host: '127.0.0.1', port })
    await account.getByRole('button', { name: 'Refresh' }).click()
    await expectTexts(account, user.email)
    await expectAlert(account, '')
  })
})

type Form = ReturnType<Page['getByRole']>

const formsOf = (page: Page) => ({
  logIn: page.getByRole('form', { name: 'Log in' }),
  signUp: page.getByRole('form', { name: 'Sign up' }),
  account: page.getByRole('form', { name: 'Account' }),
})

async function fill(form: Form, fields: Record<string, string>) {
  for (const [label, value] of Object.entries(fields)) await form.getByLabel(label).fill(value)
}

async function expectTexts(form: Form, ...texts: string[]) {
  for (const text of texts) await form.getByText(text, { exact: true }).waitFor()
}

const expectAlert = (form: Form, text: string) =>
  expect.poll(() => form.getByRole('alert').textContent(), { timeout: 15_000 }).toBe(text)

const isFocused = (field: Form) => field.evaluate((node) => node === node.ownerDocument.activeElement)

/** Expects errors at exactly these fields, each described by its error, and focus on the first. */
async function expectFieldErrors(form: Form, errors: Record<string, string>) {
  const invalidFields = form.locator('[aria-invalid=true]')
  await expect.poll(() => invalidFields.count()).toBe(Object.keys(errors).length)
  for (const [label, error] of Object.entries(errors)) {
    const field = form.getByLabel(label)
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    const description = form.locator(`[id="${await field.getAttribute('aria-describedby')}"]`)
    expect(await description.textContent()).toBe(error)
  }
  const [first] = Object.keys(errors)
  if (first) expect(await isFocused(form.getByLabel(first))).toBe(true)
}
