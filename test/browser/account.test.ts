import { describe, expect, onTestFinished } from 'vitest'
import { password, startApp } from '../support/app.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { hasBrowser } from './browser.js'
import {
  expectAlert,
  expectFieldErrors,
  expectTexts,
  fieldOf,
  formOf,
  logIn,
  logOut,
  press,
  send,
  sendLogin,
  showsAccount,
} from './forms.js'
import { it } from './journeys.js'

describe.skipIf(!hasBrowser)('usher-account', () => {
  it('changes and removes the name, also in the menu', async ({ visitLoggedIn }) => {
    const { page, email } = await visitLoggedIn()
    const profile = formOf(page, 'Profile')
    for (const name of ['Countess', '']) {
      await send(profile, { Name: name }, 'Save')
      await expectTexts(profile, 'Saved.')
      await page
        .locator('usher-user-menu [data-part=menu]')
        .getByText(name || email)
        .waitFor()
      await page.reload()
      await expect.poll(() => fieldOf(profile, 'Name').inputValue()).toBe(name)
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
    const change = (current: string, next: string) =>
      send(form, { 'Current password': current, 'New password': next }, 'Change')
    const newPassword = 'four random common words'
    await change('not the password', newPassword)
    await expectFieldErrors(form, { 'Current password': 'The password is wrong.' })
    await expectFailedLoads('400 password')
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await change(password, 'password1')
    await expectFieldErrors(form, { 'New password': 'This password is too common.' })
    await expectFailedLoads('400 password')
    await change(password, newPassword)
    await expectTexts(form, 'Your password was changed. You are logged out everywhere else.')
    expect(await fieldOf(form, 'New password').inputValue()).toBe('')
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
    await own.getByText('Chrome', { exact: true }).waitFor()
    await own.getByText(/^Last used on .*2026/).waitFor()
    expect(await own.getByRole('button').count()).toBe(0)
    expect(await items.count()).toBe(3)
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])

    await press(sessions, 'Log out Ada’s <b>phone</b>')
    await expect.poll(() => items.count()).toBe(2)
    await expectTexts(sessions, 'Logged out.')
    await press(sessions, 'Log out Chrome')
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
    const form = formOf(page, 'Delete your account')
    await send(form, { 'Current password': 'not the password' }, 'Delete the account')
    await expectFieldErrors(form, { 'Current password': 'The password is wrong.' })
    await expectFailedLoads('400 deletion')
    await send(form, { 'Current password': password }, 'Delete the account')
    await formOf(page, 'Log in').waitFor()
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
    await press(formOf(page, 'Profile'), 'Save')
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
    const profile = formOf(page, 'Profile')
    await press(profile, 'Save')
    await expectAlert(profile, 'There is no connection. Try again.')
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
    await expect.poll(() => page.locator('usher-user-menu [data-part=menu]').textContent()).toBe(email)
    // A list of the page may have been loading when the server closed.
    await expectFailedLoadsLike(/^net::ERR_CONNECTION_(REFUSED|RESET) (me|sessions|identities)$/)
  })
})
