import { describe, expect } from 'vitest'
import { password, validUser } from '../support/app.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { hasBrowser, overflowOf } from './browser.js'
import {
  expectAlert,
  expectFieldErrors,
  expectTexts,
  fieldOf,
  fill,
  formOf,
  isFocused,
  logIn,
  loginsOf,
  openMenu,
  openTeam,
  press,
  send,
} from './forms.js'
import { it } from './journeys.js'

type Page = Parameters<typeof formOf>[0]

const members = (page: Page) => formOf(page, 'Members')
const invitations = (page: Page) => formOf(page, 'Invitations')
const team = (page: Page) => formOf(page, 'Team')
const invite = (page: Page, email: string) => send(invitations(page), { 'Email address': email }, 'Invite')
const roleOf = (page: Page, name: string) => members(page).getByLabel(`Role ${name}`, { exact: true })

async function changeRole(page: Page, name: string, role: string) {
  await roleOf(page, name).selectOption(role)
  await press(members(page), `Change ${name}`)
}

/** Signs up by an invitation. */
async function join(page: Page, link: string, email: string) {
  await page.goto(link)
  await press(formOf(page, 'You are invited'), 'Create an account')
  await send(formOf(page, 'Sign up'), { 'Email address': email, Password: password }, 'Sign up')
  await formOf(page, 'Profile').waitFor()
}

/** Opens the account by the menu. */
async function openAccount(page: Page) {
  await openMenu(page)
  await page.getByRole('link', { name: 'Your account' }).click()
  await formOf(page, 'Profile').waitFor()
}

describe.skipIf(!hasBrowser)('usher-tenant', () => {
  it('invites to teams, changes roles, keeps an owner, and lets members leave', async ({
    database,
    linkTo,
    visit,
  }) => {
    const { page, expectFailedLoads } = await visit()
    const owner = validUser()
    const { id } = await database.signedUp({ ...owner, newTenant: 'Engines' })
    await logIn(page, owner.email)
    await openTeam(page, 'Engines')
    const { email } = validUser()
    await invite(page, owner.email)
    await expectAlert(invitations(page), 'Verify your address first.')
    await expectFailedLoads('409 invitations')
    await database.markVerified(owner.email)
    await invite(page, owner.email)
    await expectAlert(invitations(page), 'A member of the team has this address.')
    await expectFailedLoads('409 invitations')
    const revoked = validUser().email
    for (const invited of [email, revoked]) {
      await invite(page, invited)
      await expectTexts(invitations(page), 'A mail is on its way.', invited)
    }
    await press(invitations(page), `Revoke ${revoked}`)
    await expectTexts(invitations(page), 'Removed.')
    expect(await invitations(page).getByRole('listitem').count()).toBe(1)

    const other = await visit()
    await join(other.page, await linkTo(email, 'Engines'), email)
    await expectTexts(formOf(other.page, 'Teams'), 'Engines', 'Member')
    await expectTexts(loginsOf(other.page), email, 'Verified')

    await page.reload()
    await members(page).getByText(email).waitFor()
    expect(await invitations(page).getByRole('listitem').count()).toBe(0)
    expect(await roleOf(page, owner.email).inputValue()).toBe('owner')
    expect(await roleOf(page, email).inputValue()).toBe('member')
    await changeRole(page, email, 'admin')
    await expectTexts(members(page), 'Saved.')
    expect(await roleOf(page, email).inputValue()).toBe('admin')
    expect(await isFocused(members(page).getByRole('button', { name: `Change ${email}` }))).toBe(true)
    await changeRole(page, owner.email, 'member')
    await expectAlert(members(page), 'A team needs an owner. Make another member owner first.')
    await expectFailedLoads(`409 ${id}`)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await overflowOf(page)).toBe(0)
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])

    await openTeam(other.page, 'Engines')
    await fill(invitations(other.page), { 'Email address': revoked })
    await changeRole(page, email, 'member')
    await expectTexts(members(page), 'Saved.')
    await press(invitations(other.page), 'Invite')
    await expectAlert(invitations(other.page), 'Your role does not allow this.')
    await other.expectFailedLoads('403 invitations')

    await openAccount(page)
    await send(formOf(page, 'Teams'), { 'Name of the team': 'Looms' }, 'Create a team')
    await expectTexts(formOf(page, 'Teams'), 'Looms', 'Saved.')
    await openTeam(page, 'Looms')
    await invite(page, email)
    await other.page.goto(await linkTo(email, 'Looms'))
    await press(formOf(other.page, 'You are invited'), 'Accept the invitation')
    await members(other.page).getByText(email, { exact: true }).waitFor()
    expect(
      await members(other.page)
        .getByRole('button', { name: /^Remove / })
        .count(),
    ).toBe(0)
    expect(await invitations(other.page).count()).toBe(0)
    await press(members(other.page), `Leave ${email}`)
    const sure = formOf(other.page, 'Are you sure?')
    await expectTexts(sure, 'You can come back only by an invitation.')
    expect(await accessibilityErrorsOf(other.page, 'html', ['light'])).toEqual([])
    await press(sure, 'Cancel')
    await press(members(other.page), `Leave ${email}`)
    await press(sure, 'Leave')
    await expectTexts(team(other.page), 'You are not a member of this team.')
    await openAccount(other.page)
    await expectTexts(formOf(other.page, 'Teams'), 'Engines')
    expect(await formOf(other.page, 'Teams').getByRole('listitem').count()).toBe(1)
  })

  it('renames a team as admin, and deletes it as owner', async ({ database, linkTo, visit }) => {
    const { page } = await visit()
    const owner = validUser()
    const { tenants } = await database.signedUp({ ...owner, newTenant: 'Engines' })
    await database.markVerified(owner.email)
    await logIn(page, owner.email)
    await openTeam(page, 'Engines')
    const { email } = validUser()
    await invitations(page).getByLabel('Role').selectOption('admin')
    await invite(page, email)
    await expectTexts(invitations(page), 'A mail is on its way.')
    const other = await visit()
    await join(other.page, await linkTo(email), email)
    await openTeam(other.page, 'Engines')

    const name = fieldOf(team(other.page), 'Name of the team')
    expect(await name.inputValue()).toBe('Engines')
    await send(team(other.page), { 'Name of the team': ' ' }, 'Save')
    await expectFieldErrors(team(other.page), { 'Name of the team': 'This is required.' })
    await other.expectFailedLoads(`400 ${tenants[0]}`)
    await send(team(other.page), { 'Name of the team': 'Difference Engines' }, 'Save')
    await expectTexts(team(other.page), 'Saved.')
    expect(await name.inputValue()).toBe('Difference Engines')
    // The menu offers only teams that are not shown.
    const offered = other.page.getByText('Switch to Difference Engines')
    expect(await offered.count()).toBe(0)
    await other.page.evaluate(`document.querySelector('usher-user-menu').removeAttribute('tenant')`)
    await offered.waitFor({ state: 'attached' })
    expect(await formOf(other.page, 'Delete the team').count()).toBe(0)

    await page.reload()
    await members(page).getByText(email).waitFor()
    expect(await fieldOf(team(page), 'Name of the team').inputValue()).toBe('Difference Engines')
    await press(formOf(page, 'Delete the team'), 'Delete the team')
    const sure = formOf(page, 'Are you sure?')
    expect(await isFocused(sure.getByRole('heading'))).toBe(true)
    await expectTexts(sure, 'Difference Engines')
    await press(sure, 'Delete the team')
    await expectTexts(team(page), 'You are not a member of this team.')
    await expect.poll(() => page.getByText('Switch to').count()).toBe(0)
    await send(team(other.page), { 'Name of the team': 'Engines' }, 'Save')
    await expectAlert(team(other.page), 'It is not there any more.')
    await other.expectFailedLoads(`404 ${tenants[0]}`)
  })
})
