import { describe, expect, vi } from 'vitest'
import { password, validUser } from '../support/app.js'
import { setDatabase } from '../support/operator-changes.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { hasBrowser } from './browser.js'
import {
  confirm,
  expectAlert,
  expectFieldErrors,
  expectTexts,
  fieldOf,
  fill,
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
  signUp,
} from './forms.js'
import { it, newUser } from './journeys.js'

describe.skipIf(!hasBrowser)('usher-sign-in', () => {
  it('signs up, logs out, logs in and stays logged in after a reload', async ({
    usher,
    origin,
    example,
    visit,
  }) => {
    const { page, usedOrigins } = await visit()
    const { email } = validUser()
    await formOf(page, 'Log in').waitFor()
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await signUp(page, email, { Name: 'Ada' })
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    const showsName = () => expectTexts(formOf(page, 'Profile'), 'Ada')
    await showsName()
    await logOut(page)
    expect(await page.evaluate('localStorage.length')).toBe(0)
    await logIn(page, email)
    await page.reload()
    await showsAccount(page, email)
    await showsName()
    expect([...usedOrigins].sort()).toEqual([origin, example].sort())
    expect(usher.logged()).toContain('"OPTIONS"')
  })

  it('signs up with only an email and a password, by Enter', async ({ database, visit }) => {
    const { page } = await visit()
    const { email } = validUser()
    await press(formOf(page, 'Log in'), 'Create an account')
    const form = formOf(page, 'Sign up')
    await fill(form, { 'Email address': email, Password: password })
    await fieldOf(form, 'Password').press('Enter')
    await showsAccount(page, email)
    expect((await database.login({ email, password })).json().tenants).toEqual([])
  })

  it('shows an error next to each invalid field, and removes it after correction', async ({ visit }) => {
    const { page, expectFailedLoads } = await visit()
    const { email } = validUser()
    await press(formOf(page, 'Log in'), 'Create an account')
    const form = formOf(page, 'Sign up')
    await send(form, { 'Email address': 'ada', Password: 'short' }, 'Sign up')
    await expectFieldErrors(form, {
      'Email address': 'This is not an email address.',
      Password: 'Type at least 8 characters.',
    })
    await expectFailedLoads('400 users')
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await send(form, { 'Email address': email, Password: 'password1' }, 'Sign up')
    await expectFieldErrors(form, { Password: 'This password is too common.' })
    await expectFailedLoads('400 users')
    await send(form, { Password: password }, 'Sign up')
    await showsAccount(page, email)
  })

  it.for(['a worker', 'the page, if its policy forbids workers'])(
    'works in %s before a sign-up if the bot check asks for it, and says so',
    async (place, { database, usher, visit, onTestFinished }) => {
      const set = async (botCheck: 'always' | 'auto') => {
        await setDatabase(usher.store, database, { botCheck })
        usher.clock.cacheAhead += 6_000
      }
      await set('always')
      onTestFinished(() => set('auto'))
      const { page, errors, expectFailedLoads } = await visit()
      let workers = 0
      page.on('worker', () => workers++)
      if (place === 'a worker') {
        const session = await page.context().newCDPSession(page)
        await session.send('Page.setBypassCSP', { enabled: true })
        await page.reload()
      }
      let answer = () => undefined as unknown
      const isAsked = new Promise((resolve) => {
        answer = () => resolve(undefined)
      })
      await page.route('**/users', async (route) => {
        if (route.request().headers()['usher-proof']) await isAsked
        await route.continue()
      })
      const { email } = validUser()
      await press(formOf(page, 'Log in'), 'Create an account')
      const form = formOf(page, 'Sign up')
      await send(form, { 'Email address': email, Password: password }, 'Sign up')
      const text = 'Checking that you are not a robot'
      await page.getByRole('progressbar', { name: text }).waitFor()
      await page.getByRole('status').filter({ hasText: text }).waitFor()
      expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
      answer()
      await showsAccount(page, email)
      await expectFailedLoads('403 users')
      expect(workers).toBe(place === 'a worker' ? 1 : 0)
      // What the browser says about the policy.
      expect(errors.filter((error) => !/worker|TrustedScriptURL/i.test(error))).toEqual([])
      errors.length = 0
    },
  )

  it('shows next to the email field that the email is taken', async ({ database, visit }) => {
    const { page, expectFailedLoads } = await visit()
    const { email } = await newUser(database)
    await press(formOf(page, 'Log in'), 'Create an account')
    const form = formOf(page, 'Sign up')
    await send(form, { 'Email address': email, Password: password }, 'Sign up')
    await expectFieldErrors(form, { 'Email address': 'This address has an account. Log in instead.' })
    await expectFailedLoads('409 users')
    await press(form, 'I have an account')
    const login = formOf(page, 'Log in')
    expect(await fieldOf(login, 'Email address').inputValue()).toBe(email)
  })

  it('asks for the address first, and then shows the same for each one, with the focus on the password', async ({
    database,
    visit,
  }) => {
    const { page } = await visit()
    const form = formOf(page, 'Log in')
    const { email } = await newUser(database)
    const shown: string[] = []
    await form.waitFor()
    expect(await fieldOf(form, 'Password').count()).toBe(0)
    for (const [typed, error] of [
      ['', 'This is required.'],
      ['ada', 'This is not an email address.'],
    ] as const) {
      await sendAddress(page, typed)
      await expectFieldErrors(form, { 'Email address': error })
    }
    for (const address of [email, validUser().email]) {
      await fieldOf(form, 'Email address').fill(address)
      await page.keyboard.press('Enter')
      await expect.poll(() => isFocused(fieldOf(form, 'Password'))).toBe(true)
      const field = fieldOf(form, 'Email address')
      expect([await field.inputValue(), await field.isEditable()]).toEqual([address, false])
      expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
      shown.push(await form.innerText())
      expect(await form.locator('[data-part=submit]').allTextContents()).toEqual(['Log in'])
      await press(form, 'Use another account')
      expect(await field.inputValue()).toBe(address)
    }
    expect(shown[0]).toBe(shown[1])
  })

  it('shows wrong credentials next to the password, and too many attempts above the form', async ({
    database,
    visit,
  }) => {
    const { page, expectFailedLoads } = await visit()
    const { email } = await newUser(database)
    const form = formOf(page, 'Log in')
    await sendLogin(page, email, 'not the password')
    await expectFieldErrors(form, { Password: 'Email or password is wrong.' })
    await expectFailedLoads('401 login')
    for (let failures = 1; failures < 5; failures++)
      await database.login({ email, password: 'not the password' })
    await press(form, 'Log in')
    await expectAlert(form, 'Too many attempts. Wait one second.')
    await expectFieldErrors(form, {})
    await expectFailedLoads('429 login')
  })

  it('logs in by mail: by digits, by the link in another tab, and only where the user has started', async ({
    example,
    lineTo,
    linkTo,
    visit,
  }) => {
    const { page, expectFailedLoads } = await visit()
    const [first, second] = [validUser().email, validUser().email]
    const digits = formOf(page, 'Check your mail')
    const request = async (email: string) => {
      await sendAddress(page, email)
      await press(formOf(page, 'Log in'), 'Log in by mail')
      await digits.waitFor()
    }
    await request(first)
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    for (const [typed, error] of [
      ['12345', 'This is not valid.'],
      ['000000', 'The code is wrong or no longer valid. Try again.'],
    ] as const) {
      await send(digits, { 'Six digits from the mail': typed }, 'Log in')
      await expectFieldErrors(digits, { 'Six digits from the mail': error })
      await expectFailedLoads('400 finish')
    }

    const other = await visit()
    await other.page.goto(await linkTo(first))
    await expectAlert(formOf(other.page, 'Log in'), 'This was started in another browser. Start again here.')
    expect(await other.page.evaluate('location.href')).not.toContain('code')
    expect(await accessibilityErrorsOf(other.page, 'html', ['light'])).toEqual([])

    await send(digits, { 'Six digits from the mail': await lineTo(first, /^\d{6}$/m) }, 'Log in')
    await showsAccount(page, first)
    await logOut(page)

    await request(second)
    const tab = await page.context().newPage()
    await tab.goto(await linkTo(second))
    for (const each of [page, tab]) await showsAccount(each, second)
    expect(await tab.evaluate('location.href')).toBe(`${example}/`)
    await logOut(tab)
    await formOf(page, 'Log in').waitFor()
    expect(await page.evaluate('localStorage.length')).toBe(0)
  })

  it('stays logged in after a day, and shows the login form when the session has ended', async ({
    clock,
    visitLoggedIn,
  }) => {
    const { page, email, expectFailedLoadsLike } = await visitLoggedIn()
    clock.now += 86_400_000
    await page.reload()
    await showsAccount(page, email)
    // The menu and the account read the user.
    await expectFailedLoadsLike(/^401 (me|sessions|identities)$/)

    clock.now += 15 * 86_400_000
    await page.reload()
    await formOf(page, 'Log in').waitFor()
    await expectFailedLoadsLike(/^401 (me|sessions|identities|refresh)$/)
    expect(await page.evaluate('localStorage.length')).toBe(0)
    await logIn(page, email)
  })

  it('recovers the account by the link of a mail, which works once', async ({
    database,
    clock,
    linkTo,
    visit,
  }) => {
    const { page, expectFailedLoads } = await visit()
    // The store's clock decides which tokens a new password revokes.
    clock.now = Date.now()
    const { email } = await newUser(database)
    const forgot = formOf(page, 'Forgot your password?')
    const sent = formOf(page, 'Check your mail')
    await sendAddress(page, email)
    await press(formOf(page, 'Log in'), 'Forgot your password?')
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    expect(await fieldOf(forgot, 'Email address').inputValue()).toBe(email)
    await press(forgot, 'Send a mail')
    await expectTexts(sent, `If ${email} has an account, a mail with a link is on its way.`)
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])

    const link = await linkTo(email)
    const form = formOf(page, 'Choose a new password')
    const choose = (newPassword: string) => send(form, { 'New password': newPassword }, 'Save the password')
    await page.goto(link)
    await form.waitFor()
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    expect(await page.evaluate('location.href')).not.toContain('code')
    await choose('password1')
    await expectFieldErrors(form, { 'New password': 'This password is too common.' })
    await expectFailedLoads('400 confirm')
    const newPassword = 'four random common words'
    await choose(newPassword)
    await showsAccount(page, email)
    expect((await database.login({ email, password: newPassword })).statusCode).toBe(200)

    await page.goto(link)
    await choose(password)
    const expired = formOf(page, 'This link is no longer valid')
    await expired.waitFor()
    await expectFailedLoads('400 confirm')
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await press(expired, 'Continue')
    await send(forgot, { 'Email address': email }, 'Send a mail')
    await sent.waitFor()
  })

  it('changes the address by the link of a mail, and undoes it by the link of another one', async ({
    database,
    clock,
    linkTo,
    visit,
    visitLoggedIn,
  }) => {
    // The store's clock decides which tokens a new address revokes.
    clock.now = Date.now()
    const { page, email, expectFailedLoads } = await visitLoggedIn()
    await database.markVerified(email)
    const next = validUser().email
    await press(loginsOf(page), 'Change Email address')
    await send(formOf(page, 'Email address'), { 'New email address': next }, 'Change')
    await confirm(page)
    await expectTexts(loginsOf(page), 'A mail is on its way.')

    await page.goto(await linkTo(next))
    const confirmation = formOf(page, 'Confirm your new email address')
    await confirmation.waitFor()
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await press(confirmation, 'Confirm')
    const login = formOf(page, 'Log in')
    await expectTexts(login, 'Your address was changed. Log in with the new one.')
    expect(await fieldOf(login, 'Email address').inputValue()).toBe(next)
    await expectFailedLoads('400 email', '401 me', '401 refresh')
    expect((await database.login({ email: next, password })).statusCode).toBe(200)

    const undoing = await visit()
    await undoing.page.goto(await linkTo(email, '/undo-email-change#'))
    const undo = formOf(undoing.page, 'Undo the change of your email address')
    await undo.waitFor()
    expect(await accessibilityErrorsOf(undoing.page, 'html', ['light'])).toEqual([])
    await press(undo, 'Undo the change')
    await expectTexts(
      formOf(undoing.page, 'Log in'),
      'Your former address is used again. You get a mail to choose a new password.',
    )
    expect((await database.login({ email: next, password })).statusCode).toBe(401)
  })

  it('verifies the address by the link of a mail, in another browser too', async ({
    linkTo,
    visit,
    visitLoggedIn,
  }) => {
    const { page, email } = await visitLoggedIn()
    const account = loginsOf(page)
    await press(account, `Send again ${email}`)
    await expectTexts(account, 'A mail is on its way.')
    const link = await linkTo(email)
    const other = await visit()
    await other.page.goto(link)
    const form = formOf(other.page, 'Verify your email address')
    await form.waitFor()
    expect(await accessibilityErrorsOf(other.page, 'html', ['light'])).toEqual([])
    await press(form, 'Verify')
    await expectTexts(formOf(other.page, 'Log in'), 'Your address is verified.')

    await other.page.goto(link)
    await press(form, 'Verify')
    await other.expectFailedLoads('400 email-verification')
    await press(formOf(other.page, 'This link is no longer valid'), 'Send a mail')
    await expectTexts(formOf(other.page, 'Log in'), 'Log in first.')
    await expectTexts(account, 'Not verified yet')
    await page.reload()
    await expectTexts(account, 'Verified')
    expect(await account.getByRole('button', { name: /^Send/ }).count()).toBe(0)
    await page.goto(link)
    await formOf(page, 'Verify your email address').waitFor()
  })

  it('accepts an invitation: of a new user, of one who logs in first, and not of another address', async ({
    usher,
    database,
    linkTo,
    visit,
  }) => {
    const owner = validUser({ preferredName: 'Ada' })
    const { token, tenants } = await database.signedUp({ ...owner, newTenant: 'Engines' })
    await database.markVerified(owner.email)
    const [stranger, known] = [validUser().email, (await newUser(database)).email]
    for (const email of [stranger, known])
      await usher.send({
        method: 'POST',
        url: database.users.replace(/users$/, `tenants/${tenants[0]}/invitations`),
        headers: { authorization: `Bearer ${token.jwt}` },
        payload: { email, role: 'member' },
      })

    const { page, expectFailedLoads } = await visit()
    await page.goto(await linkTo(stranger, 'Engines'))
    const invitation = formOf(page, 'Join Engines')
    await invitation.waitFor()
    expect(await page.evaluate('location.href')).not.toContain('code')
    await expectTexts(invitation, 'Ada has invited you. Your role: Member')
    const address = fieldOf(invitation, 'Email address')
    expect([await address.inputValue(), await address.isEditable()]).toEqual([stranger, false])
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await send(invitation, { Password: password }, 'Join Engines')
    await showsAccount(page, stranger)
    await expectTexts(formOf(page, 'Teams'), 'Engines', 'Member')
    await expectTexts(loginsOf(page), 'Verified')

    const link = await linkTo(known, 'Engines')
    await page.goto(link)
    await expectTexts(invitation, `The invitation is for ${known}.`)
    await press(invitation, 'Accept the invitation')
    await expectAlert(invitation, 'The invitation is for another address. Log in with that.')
    await expectFailedLoads('409 accept')
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await press(invitation, 'Use another account')
    await expectTexts(formOf(page, 'Log in'), 'Log in or sign up to accept the invitation.')

    const other = await visit()
    await other.page.goto(link)
    await press(formOf(other.page, 'Join Engines'), 'I have an account')
    const login = formOf(other.page, 'Log in')
    await expectTexts(login, 'Log in or sign up to accept the invitation.')
    expect(await fieldOf(login, 'Email address').inputValue()).toBe(known)
    await send(login, { Password: password }, 'Log in')
    // Nobody had verified the address, so accepting revokes the token with which the menu loads the user.
    await other.page.locator('usher-user-menu [data-part=menu]').waitFor()
    await press(formOf(other.page, 'Join Engines'), 'Accept the invitation')
    // The example shows the team.
    await formOf(other.page, 'Members').getByText(known).waitFor()
    expect(await other.page.evaluate('location.href')).toContain(`/#team=${tenants[0]}`)
    await other.page.goto(link)
    const expired = formOf(other.page, 'This link is no longer valid')
    await expectTexts(
      expired,
      'It was used before, or has expired. Ask the person who has invited you for a new one.',
    )
    await other.expectFailedLoads('400 read')
  })

  it('logs in and out together with another tab', async ({ database, visit }) => {
    const { page } = await visit()
    const { email } = await newUser(database)
    const other = await page.context().newPage()
    await other.goto(page.url())
    await formOf(other, 'Log in').waitFor()
    await logIn(page, email)
    await showsAccount(other, email)
    await logOut(other)
    await formOf(page, 'Log in').waitFor()
    expect(await page.locator('usher-account').count()).toBe(0)
    await vi.waitFor(async () => expect(await page.evaluate('localStorage.length')).toBe(0))
  })

  it('signs up, and logs out in another tab, by keyboard only', async ({ visit }) => {
    const { page } = await visit()
    const { email } = validUser()
    type Tab = typeof page
    const tabTo = async (tab: Tab, element: ReturnType<Tab['getByRole']>) => {
      for (let steps = 0; !(await isFocused(element)); steps++) {
        expect(steps).toBeLessThan(20)
        await tab.keyboard.press('Tab')
      }
    }
    const login = formOf(page, 'Log in')
    await login.waitFor()
    await tabTo(page, login.getByRole('button', { name: 'Create an account' }))
    await page.keyboard.press('Enter')
    const form = formOf(page, 'Sign up')
    await expect.poll(() => isFocused(form.getByRole('heading'))).toBe(true)
    await page.keyboard.press('Tab')
    expect(await isFocused(fieldOf(form, 'Email address'))).toBe(true)
    await page.keyboard.type(email)
    await tabTo(page, fieldOf(form, 'Password'))
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await showsAccount(page, email)
    expect(await isFocused(page.locator('main'))).toBe(true)

    const other = await page.context().newPage()
    await other.goto(page.url())
    await showsAccount(other, email)
    await tabTo(other, other.locator('usher-user-menu [data-part=menu]'))
    await other.keyboard.press('Space')
    await tabTo(other, other.getByRole('button', { name: 'Log out', exact: true }))
    await other.keyboard.press('Enter')
    for (const each of [page, other]) await formOf(each, 'Log in').waitFor()
  })
})
