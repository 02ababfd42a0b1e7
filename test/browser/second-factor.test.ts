import { startUsher } from '@usher/server/testing'
import { describe, expect } from 'vitest'
import { password } from '../support/app.js'
import { totpAt } from '../support/second-factor.js'
import { verifyAddress } from '../support/verified-address.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { it as browserTest, hasBrowser } from './browser.js'
import { type Place, serveExample } from './elements.js'
import {
  confirm,
  expectAlert,
  expectFieldErrors,
  expectTexts,
  fieldOf,
  formOf,
  loginsOf,
  logOut,
  press,
  send,
  sendLogin,
  showsAccount,
  signUp,
  stepUpOf,
} from './forms.js'

const it = browserTest
  .extend('server', { scope: 'file' }, async ({ executable: _ }, { onCleanup }) => {
    const server = await startUsher()
    onCleanup(server.stop)
    return server
  })
  /** Opens the example of a database in a new browser, and signs a user up. */
  .extend('visit', ({ open, server }, { onCleanup }) => async (email: string, place: Place = server) => {
    const example = await serveExample(place)
    onCleanup(example.close)
    const visit = await open([server.baseUrl, example.url])
    await visit.page.goto(example.url)
    await signUp(visit.page, email)
    await verifyAddress(server, email, place)
    return visit
  })

type Page = Parameters<typeof formOf>[0]

const factorsOf = (page: Page) => formOf(page, 'Second factor')
const promptOf = (page: Page) => formOf(page, 'Second step')

async function logInAgain(page: Page, email: string) {
  await logOut(page)
  await sendLogin(page, email)
}

/** Begins to add an app. */
async function startApp(page: Page) {
  await press(factorsOf(page), 'Add Authenticator app')
  await confirm(page)
}

/** Adds the app whose key the page shows. Returns its codes, and the recovery codes. */
async function addApp(page: Page, now: () => number) {
  const enrol = formOf(page, 'Add an authenticator app')
  const secret = ((await enrol.getByRole('code').textContent()) ?? '').replaceAll(' ', '')
  await enrol.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
  expect(await enrol.getByRole('link').getAttribute('href')).toMatch(/^otpauth:/)
  expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
  const fields = { 'Code from your app': totpAt(secret, now()), 'Name of the device': 'Ada’s phone' }
  await send(enrol, fields, 'Verify')
  const codes = formOf(page, 'Store your recovery codes')
  await codes.waitFor()
  expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
  const recoveryCodes = await codes.getByRole('code').allTextContents()
  expect(recoveryCodes).toHaveLength(8)
  await press(codes, 'I have stored them')
  return { secret, recoveryCodes }
}

describe.skipIf(!hasBrowser)('the second factor', () => {
  it('is added with a QR code, asked for at login and before changes, and removed', async ({
    server,
    visit,
  }) => {
    const email = 'ada@example.com'
    const { page, expectFailedLoads } = await visit(email)
    const factors = factorsOf(page)
    const prompt = promptOf(page)
    await startApp(page)
    const { secret, recoveryCodes } = await addApp(page, server.now)
    await expectTexts(factors, 'Ada’s phone', '8 recovery codes are left.')
    const nextCode = () => {
      server.advanceSeconds(30)
      return totpAt(secret, server.now())
    }
    const prove = (code: string) => send(prompt, { 'Code from your app': code }, 'Verify')

    await logInAgain(page, email)
    await prompt.waitFor()
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await prove('000000')
    await expectFieldErrors(prompt, {
      'Code from your app': 'The code is wrong or no longer valid. Try again.',
    })
    await prove(nextCode())
    await showsAccount(page, email)
    await expectFailedLoads('400 totp', '401 login', '401 second-factor')

    const stepUp = stepUpOf(page)
    const proveAgain = (code: string) => () => send(stepUp, { 'Code from your app': code }, 'Verify')
    await press(loginsOf(page), 'Change Password')
    await send(formOf(page, 'Password'), { 'New password': password }, 'Save')
    await confirm(page, password, proveAgain('000000'))
    await expectFieldErrors(stepUp, {
      'Code from your app': 'The code is wrong or no longer valid. Try again.',
    })
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await proveAgain(nextCode())()
    await expectTexts(loginsOf(page), 'Your password was changed. You are logged out everywhere else.')
    await expectFailedLoads('401 password', '401 step-up')

    await logInAgain(page, email)
    await press(prompt, 'Use another account')
    await formOf(page, 'Log in').waitFor()
    await sendLogin(page, email)
    await press(prompt, 'Use a recovery code')
    await send(prompt, { 'Recovery code': recoveryCodes[0] ?? '' }, 'Verify')
    await showsAccount(page, email)
    await expectTexts(factors, '7 recovery codes are left.')
    await press(factors, 'Change Ada’s phone')
    await press(formOf(page, 'Authenticator app'), 'Remove')
    await confirm(page, password, proveAgain(nextCode()))
    await expectTexts(factors, 'Removed.')
    expect(await factors.getByText('Ada’s phone').count()).toBe(0)
    await logInAgain(page, email)
    await showsAccount(page, email)
    await expectFailedLoads('401 login', '401 login', '401 removal')
  })

  it('is renamed, turned off and on, and gets new recovery codes', async ({ server, visit }) => {
    const { page, expectFailedLoads } = await visit('alan@example.com')
    const factors = factorsOf(page)
    await startApp(page)
    const { secret, recoveryCodes } = await addApp(page, server.now)
    await press(factors, 'Change Ada’s phone')
    const rename = formOf(page, 'Authenticator app')
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await send(rename, { 'Name of the device': 'Alan’s phone' }, 'Save')
    await expectTexts(factors, 'Alan’s phone', 'Saved.')
    // The app that was added has proven who it is.
    await press(factors, 'Turn off Second step')
    await expectTexts(factors, 'Logins need no second step now.')
    await press(factors, 'Turn on Second step')
    await expectTexts(factors, 'Logins need a second step now.')
    server.advanceSeconds(600)
    await press(factors, 'Replace Recovery codes')
    await confirm(page, password, () =>
      send(stepUpOf(page), { 'Code from your app': totpAt(secret, server.now()) }, 'Verify'),
    )
    const codes = formOf(page, 'Store your recovery codes')
    await codes.waitFor()
    expect(await codes.getByRole('code').allTextContents()).not.toEqual(recoveryCodes)
    await press(codes, 'I have stored them')
    await expectTexts(factors, '8 recovery codes are left.')
    await expectFailedLoads('400 totp', '401 recovery-codes')
  })

  it('asks for the password again when the second step has taken too long, and keeps the address', async ({
    server,
    visit,
  }) => {
    const email = 'joan@example.com'
    const { page, expectFailedLoads } = await visit(email)
    await startApp(page)
    const { secret } = await addApp(page, server.now)
    await logInAgain(page, email)
    await promptOf(page).waitFor()
    server.advanceSeconds(3_600)
    const code = () => totpAt(secret, server.now())
    await send(promptOf(page), { 'Code from your app': code() }, 'Verify')
    const login = formOf(page, 'Log in')
    await expectAlert(login, 'This has taken too long. Start again.')
    expect(await fieldOf(login, 'Email address').inputValue()).toBe(email)
    await sendLogin(page, email)
    await send(promptOf(page), { 'Code from your app': code() }, 'Verify')
    await showsAccount(page, email)
    await expectFailedLoads('400 totp', '401 login', '400 second-factor', '401 login')
  })

  it('is added during a login if the database requires it', async ({ server, visit }) => {
    const database = await server.createDatabase({ secondFactor: 'required', secondFactorGrace: 0 })
    const email = 'grace@example.com'
    const { page, expectFailedLoads } = await visit(email, { ...server, ...database })
    await logInAgain(page, email)
    const enrol = formOf(page, 'Protect your account')
    await enrol.waitFor()
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await press(enrol, 'Add an authenticator app')
    await addApp(page, server.now)
    await showsAccount(page, email)
    await expectTexts(factorsOf(page), 'Ada’s phone')
    await expectFailedLoads('401 login')
  })
})
