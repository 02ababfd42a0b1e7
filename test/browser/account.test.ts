import { describe, expect, onTestFinished } from 'vitest'
import { password, startApp, validUser } from '../support/app.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { hasBrowser, overflowOf } from './browser.js'
import {
  confirm,
  expectAlert,
  expectFieldErrors,
  expectTexts,
  fieldOf,
  formOf,
  isFocused,
  logIn,
  loginsOf,
  logOut,
  press,
  send,
  sendAddress,
  sendLogin,
  showsAccount,
  stepUpOf,
} from './forms.js'
import { it } from './journeys.js'

describe.skipIf(!hasBrowser)('usher-account', () => {
  it('asks once who the user is, sends the change then, shows the address that waits, and sends mails again', async ({
    clock,
    visitLoggedIn,
  }) => {
    clock.now = Date.now()
    const { page, email, expectFailedLoads } = await visitLoggedIn()
    const logins = loginsOf(page)
    const button = logins.getByRole('button', { name: 'Change Email address' })
    const dialog = page.getByRole('dialog', { name: 'Email address', exact: true })
    await button.press('Enter')
    expect(await isFocused(fieldOf(dialog, 'New email address'))).toBe(true)
    await page.keyboard.press('Escape')
    expect([await dialog.count(), await isFocused(button)]).toEqual([0, true])
    await button.press('Enter')
    const next = validUser().email
    await fieldOf(dialog, 'New email address').fill(next)
    await page.keyboard.press('Enter')
    const stepUp = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await stepUp.waitFor()
    expect(await isFocused(fieldOf(stepUp, 'Password'))).toBe(true)
    await page.setViewportSize({ width: 320, height: 640 })
    expect(await overflowOf(page)).toBe(0)
    expect(await accessibilityErrorsOf(page)).toEqual([])
    // Nothing behind the dialog gets the focus.
    for (let stops = 0; stops < 8; stops++) {
      await page.keyboard.press('Tab')
      const isBehind = await page.evaluate(
        `!['DIALOG', 'BODY'].includes((document.activeElement.closest('dialog') ?? document.activeElement).tagName)`,
      )
      expect(isBehind).toBe(false)
    }
    // A cancelled proof leaves what was typed.
    await page.keyboard.press('Escape')
    await stepUp.waitFor({ state: 'detached' })
    expect(await fieldOf(dialog, 'New email address').inputValue()).toBe(next)
    await press(dialog, 'Change')
    await confirm(page)
    await expectTexts(logins, 'A mail is on its way.', next, 'Not verified yet')
    await expectFailedLoads('400 email', '400 email')
    // Each address gets a mail a minute.
    clock.now += 61_000
    for (const [address, path] of [
      [next, 'me/email'],
      [email, 'me/email-verification'],
    ] as const) {
      const sent = page.waitForResponse(`**/users/${path}`)
      await press(logins, `Send again ${address}`)
      expect((await sent).status()).toBe(202)
      await expectTexts(logins, 'A mail is on its way.')
    }
    // The confirmation counts for later changes.
    expect(await page.getByRole('dialog').count()).toBe(0)
    await press(formOf(page, 'Delete your account'), 'Delete the account')
    await press(formOf(page, 'Are you sure?'), 'Delete the account')
    await formOf(page, 'Log in').waitFor()
  })

  it('never asks a user without a password for one, and sets the first', async ({
    database,
    lineTo,
    visit,
  }) => {
    const { email } = validUser()
    const { page } = await visit()
    await sendAddress(page, email)
    await press(formOf(page, 'Log in'), 'Log in by mail')
    const digits = (await lineTo(email, /^\d{3} ?\d{3}$/m)).replace(' ', '')
    await send(formOf(page, 'Check your mail'), { 'Six digits from the mail': digits }, 'Log in')
    await showsAccount(page, email)
    const logins = loginsOf(page)
    await expectTexts(logins, 'Not set', 'Verified')
    expect(await page.locator('[type=password]').count()).toBe(0)
    await press(logins, 'Change Email address')
    await send(formOf(page, 'Email address'), { 'New email address': validUser().email }, 'Change')
    await expectTexts(logins, 'A mail is on its way.')
    expect(await page.locator('[type=password]').count()).toBe(0)
    await press(logins, 'Create Password')
    await send(formOf(page, 'Password'), { 'New password': password }, 'Save')
    await expectTexts(logins, 'Set')
    expect((await database.login({ email, password })).statusCode).toBe(200)
  })

  it('changes and removes the name, also in the menu', async ({ visitLoggedIn }) => {
    const { page, email } = await visitLoggedIn()
    const profile = formOf(page, 'Profile')
    const menu = page.locator('usher-user-menu [data-part=menu]')
    for (const [before, name, initials] of [
      [email, 'Countess of Lovelace', 'CO'],
      ['Countess of Lovelace', '', 'U'],
    ] as const) {
      await press(profile, `Change ${before}`)
      await send(formOf(page, 'Name'), { Name: name }, 'Save')
      await expectTexts(profile, 'Saved.', name || email)
      await menu.getByText(name || email).waitFor()
      await expect.poll(() => menu.locator('[data-part=avatar]').textContent()).toBe(initials)
      expect(await profile.locator('[data-part=avatar]').textContent()).toBe(initials)
      await page.reload()
      await expectTexts(profile, name || email)
    }
  })

  it('changes the password, and shows a wrong or common password next to its field', async ({
    database,
    clock,
    visitLoggedIn,
  }) => {
    // The store's clock decides which tokens a new password revokes.
    clock.now = Date.now()
    const { page, email, expectFailedLoads } = await visitLoggedIn()
    const form = formOf(page, 'Password')
    const newPassword = 'four random common words'
    const button = loginsOf(page).getByRole('button', { name: 'Change Password' })
    await button.click()
    await send(form, { 'New password': 'password1' }, 'Save')
    await expectFieldErrors(form, { 'New password': 'This password is too common.' })
    await expectFailedLoads('400 password')
    await send(form, { 'New password': newPassword }, 'Save')
    await confirm(page, 'not the password')
    await expectFieldErrors(stepUpOf(page), { Password: 'The password is wrong.' })
    await expectFailedLoads('400 password', '400 step-up')
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await confirm(page)
    await expectTexts(loginsOf(page), 'Your password was changed. You are logged out everywhere else.')
    expect([await page.getByRole('dialog').count(), await isFocused(button)]).toEqual([0, true])
    expect((await database.login({ email, password: newPassword })).statusCode).toBe(200)
    await page.reload()
    await showsAccount(page, email)
  })

  it('ends one of the sessions, which have a label and the time of their last use', async ({
    database,
    visit,
    visitLoggedIn,
  }) => {
    const { page, email } = await visitLoggedIn()
    const other = await visit()
    await logIn(other.page, email)
    const { token } = (await database.login({ email, password })).json()
    await database.openSession(token.jwt, { label: 'Ada’s <b>phone</b>' })
    await page.reload()
    const sessions = formOf(page, 'Devices')
    const items = sessions.getByRole('listitem')
    const own = items.filter({ hasText: 'This device' })
    await own.getByText('Chrome on Linux', { exact: true }).waitFor()
    await own.getByText(/^Last used on .*2026/).waitFor()
    expect(await own.getByRole('button').count()).toBe(0)
    expect(await items.count()).toBe(3)
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])

    await press(sessions, 'Log out Ada’s <b>phone</b>')
    await expect.poll(() => items.count()).toBe(2)
    await expectTexts(sessions, 'Logged out.')
    await press(sessions, 'Log out Chrome on Linux')
    await expect.poll(() => items.count()).toBe(1)
    await own.waitFor()
    await other.page.reload()
    await formOf(other.page, 'Log in').waitFor()
    await other.expectFailedLoadsLike(/^401 (me|sessions|identities|refresh)$/)
    await page.reload()
    await showsAccount(page, email)
  })

  it('lists the sessions, logs out here, and logs out everywhere else', async ({ visit, visitLoggedIn }) => {
    const { page, email } = await visitLoggedIn()
    const other = await visit()
    await logIn(other.page, email)
    const items = formOf(other.page, 'Devices').getByRole('listitem')
    await expect.poll(() => items.count()).toBe(2)
    const ended = page.waitForResponse('**/session/end')
    await logOut(page)
    expect(await page.evaluate('localStorage.length')).toBe(0)
    await ended
    await other.page.reload()
    await expect.poll(() => items.count()).toBe(1)
    await logIn(page, email)
    await press(formOf(page, 'Devices'), 'Log out everywhere else')
    await expectTexts(formOf(page, 'Devices'), 'Logged out.')
    await other.page.reload()
    await formOf(other.page, 'Log in').waitFor()
    await other.expectFailedLoadsLike(/^401 (me|sessions|identities|refresh)$/)
    await page.reload()
    await showsAccount(page, email)
  })

  it('deletes the account once the password is given', async ({ database, visitLoggedIn }) => {
    const { page, email, expectFailedLoads } = await visitLoggedIn()
    await press(formOf(page, 'Delete your account'), 'Delete the account')
    await press(formOf(page, 'Are you sure?'), 'Delete the account')
    await confirm(page, 'not the password')
    await expectFieldErrors(stepUpOf(page), { Password: 'The password is wrong.' })
    await confirm(page)
    await formOf(page, 'Log in').waitFor()
    await expectFailedLoads('400 deletion', '400 step-up')
    expect(await page.locator('usher-user-menu').textContent()).toBe('')
    expect((await database.login({ email, password })).statusCode).toBe(401)
  })

  it('ends when its session has ended elsewhere', async ({ visit, visitLoggedIn, clock }) => {
    clock.now = Date.now()
    const { page, email, expectFailedLoads } = await visitLoggedIn()
    const other = await visit()
    await logIn(other.page, email)
    await press(formOf(other.page, 'Devices'), 'Log out everywhere else')
    await expectTexts(formOf(other.page, 'Devices'), 'Logged out.')
    clock.now += 3_600_000
    await press(formOf(page, 'Profile'), `Change ${email}`)
    await press(formOf(page, 'Name'), 'Save')
    await sendLogin(page, email)
    await showsAccount(page, email)
    await expectFailedLoads('401 me', '401 refresh')
  })

  it('keeps the session while the server is unavailable, and continues when it is back', async ({
    usher,
    store,
    port,
    visitLoggedIn,
  }) => {
    const { page, email, expectFailedLoadsLike } = await visitLoggedIn()
    await usher.close()
    await press(formOf(page, 'Profile'), `Change ${email}`)
    const name = formOf(page, 'Name')
    await press(name, 'Save')
    await expectAlert(name, 'There is no connection. Try again.')
    await press(name, 'Cancel')
    await showsAccount(page, email)
    await page.reload()
    const unavailable = formOf(page, 'This does not work now')
    await expectTexts(unavailable, 'There is no connection. Try again.')
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])

    const restarted = await startApp(store)
    onTestFinished(restarted.close)
    await restarted.app.listen({ host: '127.0.0.1', port })
    await press(unavailable, 'Try again')
    await showsAccount(page, email)
    await page.locator('usher-user-menu [data-part=menu]').getByText(email).waitFor()
    // A list of the page may have been loading when the server closed.
    await expectFailedLoadsLike(/^net::ERR_CONNECTION_(REFUSED|RESET) (me|sessions|identities)$/)
  })
})
