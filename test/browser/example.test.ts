import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { password, startApp, type TestDatabase, validUser } from '../support/app.js'
import { setDatabase } from '../support/operator-changes.js'
import { freePort } from '../support/postgres-server.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { it as browserTest, hasBrowser } from './browser.js'
import { startExample } from './example.js'

const it = browserTest
  .extend('folder', { scope: 'file' }, async ({ storeKind: _ }, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-example-'))
    onCleanup(() => rm(folder, { recursive: true }))
    return folder
  })
  .extend('settings', { scope: 'file' }, ({ folder }) => ({ DATA_DIR: folder }))
  .extend('example', { scope: 'file' }, async ({ folder, origin, usher, database }) => {
    const { workspaceSlug: workspace, databaseName } = database
    const url = await startExample(
      folder,
      { baseUrl: origin, workspace, database: databaseName },
      await freePort(),
    )
    await setDatabase(usher.store, database, { appUrl: url, loginMail: 'both' })
    return url
  })
  /** Returns a line in the mail to an address, with a text if there are several. */
  .extend(
    'lineTo',
    ({ folder }) =>
      (email: string, line: RegExp, content = '') =>
        vi.waitFor(async () => {
          const mails = await readdir(join(folder, 'mail'))
          const texts = await Promise.all(mails.map((file) => readFile(join(folder, 'mail', file), 'utf8')))
          const lines = texts
            .filter((text) => text.includes(`To: ${email}\n`) && text.includes(content))
            .flatMap((text) => text.match(line)?.[0] ?? [])
          return lines[0] ?? expect.fail(`no mail to ${email} with ${line}`)
        }, 10_000),
  )
  .extend(
    'linkTo',
    ({ lineTo }) =>
      (email: string, content?: string) =>
        lineTo(email, /^http\S+$/m, content),
  )
  .extend('visitExample', ({ open, origin, example }) => async () => {
    const visit = await open([origin, example])
    await visit.page.goto(example)
    return { ...visit, ...formsOf(visit.page) }
  })

describe.skipIf(!hasBrowser)('the SDK example', () => {
  it('signs up with a tenant, logs out, logs in and stays logged in after a reload', async ({
    usher,
    origin,
    example,
    visitExample,
  }) => {
    const { page, signUp, logIn, account, teams, logOut, usedOrigins } = await visitExample()
    const { email } = validUser()
    await logIn.getByRole('link', { name: 'Sign up' }).click()
    await fill(signUp, { Email: email, Password: password, Name: 'Ada', 'New team': 'Engines' })
    await signUp.getByRole('button').click()
    await expectTexts(account, email)
    await expectTexts(teams, 'Engines')
    await expectName(account, 'Ada')

    await logOut.click()
    await fill(logIn, { Email: email, Password: password })
    await logIn.getByRole('button', { name: 'Log in', exact: true }).click()
    await expectTexts(account, email)

    await page.reload()
    await expectTexts(account, email)
    await expectTexts(teams, 'Engines')
    await expectName(account, 'Ada')
    expect([...usedOrigins].sort()).toEqual([origin, example].sort())
    expect(usher.logged()).toContain('"OPTIONS"')
  })

  it('logs in by mail: by digits, by the link in another tab, and only where the user has started', async ({
    example,
    lineTo,
    linkTo,
    visitExample,
  }) => {
    const { page, logIn, byMail, digits, account, logOut, expectFailedLoads } = await visitExample()
    const [first, second] = [validUser().email, validUser().email]
    const send = async (email: string) => {
      await logIn.getByRole('link', { name: 'Log in by mail' }).click()
      await fill(byMail, { Email: email })
      await byMail.getByRole('button').click()
      await digits.waitFor()
    }
    await send(first)
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await fill(digits, { Digits: '12345' })
    await digits.getByRole('button').click()
    await expectFieldErrors(digits, { Digits: 'must be six digits' })
    await expectFailedLoads('400 finish')
    await page.reload()

    const other = await visitExample()
    await other.page.goto(await linkTo(first))
    await other.page.getByText('Finish the login in the browser where you started it').waitFor()
    expect(other.page.url()).toBe(`${example}/`)
    expect(await accessibilityErrorsOf(other.page)).toEqual([])
    await other.page.getByRole('button', { name: 'Start again' }).click()
    await other.byMail.waitFor()

    await fill(digits, { Digits: await lineTo(first, /^\d{6}$/m) })
    await digits.getByRole('button').click()
    await expectTexts(account, first)
    await logOut.click()

    await send(second)
    const tab = await page.context().newPage()
    await tab.goto(await linkTo(second))
    for (const each of [page, tab]) await expectTexts(formsOf(each).account, second)
    expect(tab.url()).toBe(`${example}/#account`)
    await formsOf(tab).logOut.click()
    await logIn.waitFor()
    expect(await page.evaluate('localStorage.length')).toBe(0)
  })

  it('is accessible in light and dark colors', async ({ visitExample }) => {
    const { page, signUp, logIn, account, expectFailedLoads } = await visitExample()
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
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(390)
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
    await fill(signUp, { Email: 'ada', Password: 'short', 'New team': ' ' })
    await signUp.getByRole('button').click()
    await expectFieldErrors(signUp, {
      Email: 'must be an email address',
      Password: 'must have at least 8 characters',
      'New team': 'must not be blank',
    })
    await expectFailedLoads('400 users')

    await fill(signUp, { Email: email, Password: password, 'New team': 'Engines' })
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
    await logIn.getByRole('button', { name: 'Log in', exact: true }).click()
    await expectFieldErrors(logIn, { Password: 'Invalid email or password' })
    await expectFailedLoads('401 login')

    for (let failures = 1; failures < 5; failures++) {
      await database.login({ email: user.email, password: 'not the password' })
    }
    await logIn.getByRole('button', { name: 'Log in', exact: true }).click()
    await expectAlert(logIn, 'Too many failed login attempts. Try again in 1 s.')
    await expectFieldErrors(logIn, {})
    await expectFailedLoads('429 login')
  })

  it('stays logged in after a day, and shows the login form when the session has ended', async ({
    database,
    clock,
    visitExample,
  }) => {
    const { page, logIn, account, expectFailedLoads } = await visitExample()
    const user = await loggedIn(database, logIn, account)

    clock.now += 86_400_000
    await page.reload()
    await expectTexts(account, user.email)
    await expectFailedLoads('401 me')

    clock.now += 15 * 86_400_000
    await page.reload()
    await expectAlert(logIn, 'Your session has expired. Log in again.')
    await expectFailedLoads('401 me', '401 refresh')
    expect(await isFocused(logIn.getByLabel('Email'))).toBe(true)
    expect(await page.evaluate('localStorage.length')).toBe(0)

    await fill(logIn, { Email: user.email, Password: password })
    await logIn.getByRole('button', { name: 'Log in', exact: true }).click()
    await expectTexts(account, user.email)
  })

  it('changes and removes the name', async ({ database, visitExample }) => {
    const { page, logIn, account } = await visitExample()
    await loggedIn(database, logIn, account)
    for (const name of ['Countess', '']) {
      await fill(account, { Name: name })
      await account.getByRole('button', { name: 'Save name' }).click()
      await account.getByText('Name saved.').waitFor()
      await page.reload()
      await expectName(account, name)
    }
  })

  it('changes the password, and shows a wrong or common password next to its field', async ({
    database,
    clock,
    visitExample,
  }) => {
    const { page, logIn, account, expectFailedLoads } = await visitExample()
    // The store's clock decides which tokens a new password revokes.
    clock.now = Date.now()
    const { email } = await loggedIn(database, logIn, account)
    const form = page.getByRole('form', { name: 'Change password' })
    const change = async (current: string, next: string) => {
      await fill(form, { 'Current password': current, 'New password': next })
      await form.getByRole('button').click()
    }
    const newPassword = 'four random common words'
    await change('not the password', newPassword)
    await expectFieldErrors(form, { 'Current password': 'Wrong password' })
    await expectFailedLoads('400 password')
    await change(password, 'password1')
    await expectFieldErrors(form, { 'New password': 'must not be a common password' })
    await expectFailedLoads('400 password')
    await change(password, newPassword)
    await form.getByText('Password changed. All other sessions have ended.').waitFor()
    expect((await database.login({ email, password: newPassword })).statusCode).toBe(200)
    await page.reload()
    await expectTexts(account, email)
  })

  it('recovers the account by the link of a mail, which works once', async ({
    database,
    clock,
    linkTo,
    visitExample,
  }) => {
    const { page, logIn, account, sessions, expectFailedLoads } = await visitExample()
    // The store's clock decides which tokens a new password revokes.
    clock.now = Date.now()
    const { email } = validUser()
    await database.signedUp({ email })
    await logIn.getByRole('link', { name: 'Forgot password?' }).click()
    const forgot = page.getByRole('form', { name: 'Forgot password' })
    await fill(forgot, { Email: email })
    await forgot.getByRole('button').click()
    await expectTexts(forgot, 'If an account has this address, it gets a mail with a link.')

    const link = await linkTo(email)
    const form = page.getByRole('form', { name: 'Choose a new password' })
    const choose = async (newPassword: string) => {
      await fill(form, { 'New password': newPassword })
      await form.getByRole('button').click()
    }
    await page.goto(link)
    expect(await accessibilityErrorsOf(page)).toEqual([])
    expect(page.url()).not.toContain('code')
    await choose('password1')
    await expectFieldErrors(form, { 'New password': 'must not be a common password' })
    await expectFailedLoads('400 confirm')
    const newPassword = 'four random common words'
    await choose(newPassword)
    await expectTexts(account, email, 'Password changed. All other sessions have ended.')
    await sessions.getByText('This session').waitFor()
    expect((await database.login({ email, password: newPassword })).statusCode).toBe(200)

    await page.goto(link)
    await choose(password)
    await expectAlert(form, 'This link is no longer valid.')
    await expectFailedLoads('400 confirm')
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await page.keyboard.press('Enter')
    await fill(forgot, { Email: email })
    await forgot.getByRole('button').click()
    await expectTexts(forgot, 'If an account has this address, it gets a mail with a link.')
  })

  it('changes the address by the link of a mail, and undoes it by the link of another one', async ({
    database,
    clock,
    linkTo,
    visitExample,
  }) => {
    const { page, logIn, account, expectFailedLoads } = await visitExample()
    // The store's clock decides which tokens a new address revokes.
    clock.now = Date.now()
    const { email } = await loggedIn(database, logIn, account)
    await database.markVerified(email)
    const next = validUser().email
    const change = page.getByRole('form', { name: 'Change address' })
    await fill(change, { 'New email': next, Password: password })
    await change.getByRole('button').click()
    await expectTexts(change, 'The new address gets a mail with a link.')

    await page.goto(await linkTo(next))
    const confirmation = page.getByRole('form', { name: 'Change your address' })
    await confirmation.waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await confirmation.getByRole('button').click()
    await vi.waitFor(
      async () => expect((await database.login({ email: next, password })).statusCode).toBe(200),
      10_000,
    )
    const undoing = await visitExample()
    await undoing.page.goto(await linkTo(email, '/undo-email-change#'))
    const undo = undoing.page.getByRole('form', { name: 'Undo the change of your address' })
    await undo.getByRole('button').click()
    await expectTexts(
      undoing.logIn,
      'Your account has this address again. You get a mail to choose a new password.',
    )
    expect((await database.login({ email: next, password })).statusCode).toBe(401)
    await expectFailedLoads('401 me', '401 refresh')
  })

  it('verifies the address by the link of a mail, in another browser too', async ({
    database,
    linkTo,
    visitExample,
  }) => {
    const { page, logIn, account } = await visitExample()
    const { email } = await loggedIn(database, logIn, account)
    const request = page.getByRole('form', { name: 'Verify your address' })
    await request.getByRole('button').click()
    await expectTexts(request, 'You get a mail with a link.')
    const other = await visitExample()
    await other.page.goto(await linkTo(email))
    await other.page.getByRole('button', { name: 'Verify' }).click()
    await expectTexts(other.logIn, 'Your address is verified.')

    await other.page.goto(await linkTo(email))
    await other.page.getByRole('button', { name: 'Verify' }).click()
    await other.page.getByText('This link is no longer valid.').waitFor()
    await other.expectFailedLoads('400 email-verification')
    await other.page.getByRole('button', { name: 'Send a new link' }).click()
    await expectTexts(other.logIn, 'Log in to get a new link.')
    await expectTexts(account, 'Not verified')
    await page.reload()
    await expectTexts(account, 'Verified')
    expect(await request.count()).toBe(0)
  })

  it('invites to teams, by sign-up and as a user, and keeps an owner in each', async ({
    database,
    linkTo,
    visitExample,
  }) => {
    const { page, logIn, account, teams, members, invitations, expectFailedLoads } = await visitExample()
    const owner = validUser()
    const { id } = await database.signedUp({ ...owner, newTenant: 'Engines' })
    await logInAs(owner.email, logIn, account)
    await teams.getByRole('link', { name: 'Engines' }).click()
    const { email } = validUser()
    const invite = async (invited: string) => {
      await fill(invitations, { Email: invited })
      await invitations.getByRole('button', { name: 'Send invitation' }).click()
    }
    await invite(owner.email)
    await expectAlert(invitations, 'Verify your address first. Then try again.')
    await expectFailedLoads('409 invitations')
    await database.markVerified(owner.email)
    await invite(owner.email)
    await expectFieldErrors(invitations, { Email: 'This address belongs to a member of the team.' })
    await expectFailedLoads('409 invitations')
    const revoked = validUser().email
    for (const invited of [email, revoked]) {
      await invite(invited)
      await expectTexts(invitations, 'Invitation sent.', invited)
    }
    await invitations.getByRole('button', { name: `Revoke the invitation of ${revoked}` }).click()
    await expectTexts(invitations, 'Invitation revoked.')
    expect(await invitations.getByRole('listitem').count()).toBe(1)

    const other = await visitExample()
    await other.page.goto(await linkTo(email, 'Engines'))
    expect(other.page.url()).not.toContain('code')
    await fill(other.signUp, { Email: owner.email, Password: password })
    await other.signUp.getByRole('button').click()
    await expectFieldErrors(other.signUp, { Email: 'The invitation is for another address.' })
    await other.expectFailedLoads('409 users')
    await fill(other.signUp, { Email: email })
    await other.signUp.getByRole('button').click()
    await expectTexts(other.account, email, 'Verified')
    await expectTexts(other.teams, 'Engines', 'member')

    await page.reload()
    await members.getByText(email).waitFor()
    expect(await invitations.getByRole('listitem').count()).toBe(0)
    const roleOf = (name: string) => members.getByLabel(`Role of ${name}`, { exact: true })
    expect(await roleOf(owner.email).inputValue()).toBe('owner')
    expect(await roleOf(email).inputValue()).toBe('member')
    const changeRole = async (name: string, role: string) => {
      await roleOf(name).selectOption(role)
      await members.getByRole('button', { name: `Change role of ${name}` }).click()
    }
    await changeRole(email, 'admin')
    await expectTexts(members, 'Role changed.')
    await expect.poll(() => roleOf(email).inputValue()).toBe('admin')
    expect(await invitations.getByLabel('Role').inputValue()).toBe('member')
    expect(await isFocused(members.getByRole('button', { name: `Change role of ${email}` }))).toBe(true)
    await changeRole(owner.email, 'member')
    await expectAlert(members, 'A team needs an owner. Make another member owner first.')
    await expectFailedLoads(`409 ${id}`)
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(390)
    expect(await accessibilityErrorsOf(page)).toEqual([])

    await other.teams.getByRole('link', { name: 'Engines' }).click()
    await fill(other.invitations, { Email: revoked })
    await changeRole(email, 'member')
    await expectTexts(members, 'Role changed.')
    await other.invitations.getByRole('button').click()
    const refused = 'Your role in the team does not allow this. Needs the role admin or owner.'
    await expectAlert(other.invitations, refused)
    await other.expectFailedLoads('403 invitations')

    await page.getByRole('link', { name: 'Account' }).click()
    await fill(teams, { 'New team': 'Looms' })
    await teams.getByRole('button').click()
    await teams.getByRole('link', { name: 'Looms' }).click()
    await page.getByRole('heading', { name: 'Looms' }).waitFor()
    await invite(email)
    const link = await linkTo(email, 'Looms')
    const accept = other.page.getByRole('form', { name: 'Invitation', exact: true })
    for (const text of ['You have joined the team.', 'This link is no longer valid.']) {
      await other.page.goto(link)
      await accept.getByRole('button').click()
      await other.page.getByText(text).waitFor()
    }
    await other.expectFailedLoads('400 accept')
    await accept.getByRole('button', { name: 'Continue without the invitation' }).click()
    await other.teams.getByRole('link', { name: 'Looms' }).click()
    await other.members.getByRole('button', { name: 'Leave Looms' }).click()
    await other.page.getByText('You have left the team.').waitFor()
    expect(await other.teams.getByRole('listitem').allTextContents()).toEqual(['Enginesmember'])
  })

  it('renames a team as admin, and deletes it as owner', async ({ database, linkTo, visitExample }) => {
    const { page, logIn, account, teams, members, invitations, deletion } = await visitExample()
    const owner = validUser()
    const { tenants } = await database.signedUp({ ...owner, newTenant: 'Engines' })
    await database.markVerified(owner.email)
    await logInAs(owner.email, logIn, account)
    await teams.getByRole('link', { name: 'Engines' }).click()
    const { email } = validUser()
    await fill(invitations, { Email: email })
    await invitations.getByLabel('Role').selectOption('admin')
    await invitations.getByRole('button').click()
    const other = await visitExample()
    await other.page.goto(await linkTo(email))
    await fill(other.signUp, { Email: email, Password: password })
    await other.signUp.getByRole('button').click()
    await other.teams.getByRole('link', { name: 'Engines' }).click()

    expect(await other.rename.getByLabel('Name').inputValue()).toBe('Engines')
    await fill(other.rename, { Name: ' ' })
    await other.rename.getByRole('button').click()
    await expectFieldErrors(other.rename, { Name: 'must not be blank' })
    await other.expectFailedLoads(`400 ${tenants[0]}`)
    await fill(other.rename, { Name: 'Difference Engines' })
    await other.rename.getByRole('button').click()
    await expectTexts(other.rename, 'Name saved.')
    await other.page.getByRole('heading', { name: 'Difference Engines' }).waitFor()
    expect(await other.rename.getByLabel('Name').inputValue()).toBe('Difference Engines')
    expect(await other.deletion.count()).toBe(0)

    await page.reload()
    await page.getByRole('heading', { name: 'Difference Engines' }).waitFor()
    await members.getByText(email).waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await deletion.getByRole('button').click()
    // The browser asks for the confirmation.
    expect(await isFocused(deletion.getByRole('checkbox'))).toBe(true)
    await deletion.getByRole('checkbox').check()
    await deletion.getByRole('button').click()
    await page.getByText('Team deleted.').waitFor()
    expect(await teams.getByRole('listitem').count()).toBe(0)
    await fill(other.rename, { Name: 'Engines' })
    await other.rename.getByRole('button').click()
    await expectAlert(other.rename, 'You are not a member of this team.')
    await other.expectFailedLoads(`404 ${tenants[0]}`)
  })

  it('ends one of the sessions, which have a label and the time of their last use', async ({
    database,
    example,
    visitExample,
  }) => {
    const { page, logIn, account, sessions } = await visitExample()
    const { email } = await loggedIn(database, logIn, account)
    const other = await visitExample()
    await logInAs(email, other.logIn, other.account)
    const { token } = (await database.login({ email, password })).json()
    await database.openSession(token.jwt, { label: 'Ada’s <b>phone</b>' })
    await page.goto(example)
    const own = sessions.getByRole('listitem').filter({ hasText: 'This session' })
    await own.getByText(/^Chrome on /).waitFor()
    await own.getByText(/^Last used .*2026/).waitFor()
    expect(await own.getByRole('button').count()).toBe(0)
    expect(await sessions.getByRole('listitem').count()).toBe(3)
    expect(await accessibilityErrorsOf(page)).toEqual([])

    await sessions.getByRole('button', { name: /^End Ada’s <b>phone<\/b>, Last used / }).click()
    await expect.poll(() => sessions.getByRole('listitem').count()).toBe(2)
    await expectTexts(sessions, 'Session ended.')
    await sessions.getByRole('button', { name: /^End Chrome on/ }).click()
    await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1)
    await sessions.getByText('This session').waitFor()
    await other.page.reload()
    await expectAlert(other.logIn, 'Your session has expired. Log in again.')
    await other.expectFailedLoads('401 me', '401 refresh')
    await page.reload()
    await expectTexts(account, email)
  })

  it('lists the sessions, logs out here, and logs out everywhere', async ({
    database,
    example,
    visitExample,
  }) => {
    const { page, logIn, account, sessions, logOut } = await visitExample()
    const user = await loggedIn(database, logIn, account)
    const other = await visitExample()
    await logInAs(user.email, other.logIn, other.account)
    await expect.poll(() => other.sessions.getByRole('listitem').count()).toBe(2)
    await expect.poll(() => other.sessions.getByText('This session').count()).toBe(1)

    await logOut.click()
    await logIn.waitFor()
    expect(await page.evaluate('localStorage.length')).toBe(0)
    await other.page.goto(example)
    await expect.poll(() => other.sessions.getByRole('listitem').count()).toBe(1)

    await logInAs(user.email, logIn, account)
    await sessions.getByRole('button', { name: 'Log out everywhere' }).click()
    await expectTexts(logIn, 'You are logged out everywhere.')
    await other.page.reload()
    await expectAlert(other.logIn, 'Your session has expired. Log in again.')
    await other.expectFailedLoads('401 me', '401 refresh')
  })

  it('deletes the account once the password is given', async ({ database, visitExample }) => {
    const { page, logIn, account, expectFailedLoads } = await visitExample()
    const { email } = await loggedIn(database, logIn, account)
    const form = page.getByRole('form', { name: 'Delete account' })
    await fill(form, { Password: 'not the password' })
    await form.getByRole('button').click()
    await expectFieldErrors(form, { Password: 'Wrong password' })
    await expectFailedLoads('400 deletion')
    await fill(form, { Password: password })
    await form.getByRole('button').click()
    await expectTexts(logIn, 'Your account is deleted.')
    expect((await database.login({ email, password })).statusCode).toBe(401)
  })

  it('logs in and out together with another tab', async ({ database, visitExample }) => {
    const { page, logIn, account } = await visitExample()
    const user = validUser()
    await database.signedUp(user)
    const other = await page.context().newPage()
    await other.goto(page.url())
    await fill(logIn, { Email: user.email, Password: password })
    await logIn.getByRole('button', { name: 'Log in', exact: true }).click()
    await expectTexts(formsOf(other).account, user.email)
    await formsOf(other).logOut.click()
    await logIn.waitFor()
    expect(await account.count()).toBe(0)
  })

  it('signs up, and logs out everywhere in another tab, by keyboard only', async ({ visitExample }) => {
    const { page, signUp, logIn, account } = await visitExample()
    const { email } = validUser()
    const tabTo = async (tab: Page, element: Form) => {
      for (let steps = 0; !(await isFocused(element)); steps++) {
        expect(steps).toBeLessThan(20)
        await tab.keyboard.press('Tab')
      }
    }
    await logIn.waitFor()
    await tabTo(page, logIn.getByRole('link', { name: 'Sign up' }))
    await page.keyboard.press('Enter')
    await expect.poll(() => isFocused(signUp.getByLabel('Email'))).toBe(true)
    await page.keyboard.type(email)
    await tabTo(page, signUp.getByLabel('Password'))
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await expectTexts(account, email)

    const other = await page.context().newPage()
    await other.goto(page.url())
    await expectTexts(formsOf(other).account, email)
    await tabTo(other, formsOf(other).sessions.getByRole('button', { name: 'Log out everywhere' }))
    await other.keyboard.press('Space')
    await expectTexts(formsOf(other).logIn, 'You are logged out everywhere.')
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
    const user = await loggedIn(database, logIn, account)
    // After a login, the example loads the account a second time, also once it is shown.
    await page.reload()
    await expectTexts(account, user.email)

    await usher.close()
    await account.getByRole('button').click()
    await expectAlert(account, 'The service is temporarily unavailable. Try again later.')
    await expectTexts(account, user.email)
    await expectFailedLoads(...threeAttempts)
    await page.reload()
    await expectAlert(account, 'The service is temporarily unavailable. Try again later.')
    await expectFailedLoads(...threeAttempts)

    const restarted = await startApp(store)
    onTestFinished(restarted.close)
    await restarted.app.listen({ host: '127.0.0.1', port })
    await account.getByRole('button').click()
    await expectTexts(account, user.email)
    await expectAlert(account, '')
  })
})

type Form = ReturnType<Page['getByRole']>

const formsOf = (page: Page) => ({
  logIn: page.getByRole('form', { name: 'Log in', exact: true }),
  byMail: page.getByRole('form', { name: 'Log in by mail' }),
  digits: page.getByRole('form', { name: 'Enter the digits' }),
  signUp: page.getByRole('form', { name: 'Sign up' }),
  account: page.getByRole('form', { name: 'Profile' }),
  sessions: page.getByRole('form', { name: 'Sessions' }),
  teams: page.getByRole('form', { name: 'Teams' }),
  members: page.getByRole('form', { name: 'Members' }),
  invitations: page.getByRole('form', { name: 'Invitations' }),
  rename: page.getByRole('form', { name: 'Rename team' }),
  deletion: page.getByRole('form', { name: 'Delete team' }),
  logOut: page.getByRole('button', { name: 'Log out', exact: true }),
})

async function fill(form: Form, fields: Record<string, string>) {
  for (const [label, value] of Object.entries(fields)) await form.getByLabel(label).fill(value)
}

async function expectTexts(form: Form, ...texts: string[]) {
  for (const text of texts) await form.getByText(text, { exact: true }).waitFor()
}

const expectName = (account: Form, name: string) =>
  expect.poll(() => account.getByLabel('Name').inputValue()).toBe(name)

async function logInAs(email: string, logIn: Form, account: Form) {
  await fill(logIn, { Email: email, Password: password })
  await logIn.getByRole('button', { name: 'Log in', exact: true }).click()
  await expectTexts(account, email)
}

async function loggedIn(database: TestDatabase, logIn: Form, account: Form) {
  const user = validUser()
  await database.signedUp(user)
  await logInAs(user.email, logIn, account)
  return user
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
