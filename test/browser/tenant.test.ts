import { describe, expect } from 'vitest'
import { password, validUser } from '../support/app.js'
import { setDatabase } from '../support/operator-changes.js'
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
const team = (page: Page) => formOf(page, 'Team')
const invite = (page: Page, email: string) => send(members(page), { 'Email address': email }, 'Invite')
/** Returns the texts of the rows of the table, without the head. */
const rowsOf = async (page: Page) => (await members(page).getByRole('row').allInnerTexts()).slice(1)
const roleOf = (page: Page, name: string) => members(page).getByLabel(`Role ${name}`, { exact: true })

async function changeRole(page: Page, name: string, role: string) {
  await roleOf(page, name).selectOption(role)
}

/** Signs up by an invitation. */
async function join(page: Page, link: string) {
  await page.goto(link)
  await send(formOf(page, 'Join Engines'), { Password: password }, 'Join Engines')
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
    await expectAlert(members(page), 'Verify your address first.')
    await expectFailedLoads('409 invitations')
    expect(await fieldOf(members(page), 'Email address').inputValue()).toBe(owner.email)
    await press(members(page), 'Send a mail')
    await expectTexts(members(page), 'A mail is on its way.')
    await linkTo(owner.email, '/verify-email#')
    await database.markVerified(owner.email)
    await invite(page, owner.email)
    await expectAlert(members(page), 'A member of the team has this address.')
    await expectFailedLoads('409 invitations')
    const revoked = validUser().email
    for (const invited of [email, revoked]) {
      await invite(page, invited)
      await expectTexts(members(page), 'A mail is on its way.', invited)
    }
    await press(members(page), `Withdraw ${revoked}`)
    await expectTexts(members(page), 'Removed.')
    expect(await rowsOf(page)).toEqual([expect.stringContaining(email), expect.stringContaining(owner.email)])

    const other = await visit()
    await join(other.page, await linkTo(email, 'Engines'))
    await expectTexts(formOf(other.page, 'Teams'), 'Engines', 'Member')
    await expectTexts(loginsOf(other.page), email, 'Verified')

    await page.reload()
    await members(page).getByText(email).waitFor()
    expect(await rowsOf(page)).toHaveLength(2)
    expect(await roleOf(page, owner.email).inputValue()).toBe('owner')
    expect(await roleOf(page, email).inputValue()).toBe('member')
    await roleOf(page, email).focus()
    const status = await members(page).getByRole('status').elementHandle()
    await changeRole(page, email, 'admin')
    // The same node, so that screen readers notice its text.
    await expect.poll(() => status?.textContent()).toBe(`Saved. Role of ${email}: Administrator`)
    expect(await roleOf(page, email).inputValue()).toBe('admin')
    expect(await isFocused(roleOf(page, email))).toBe(true)
    await changeRole(page, owner.email, 'member')
    await expectAlert(members(page), 'A team needs an owner. Make another member owner first.')
    await expectFailedLoads(`409 ${id}`)
    await expect.poll(() => roleOf(page, owner.email).inputValue()).toBe('owner')
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await overflowOf(page)).toBe(0)
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])

    await openTeam(other.page, 'Engines')
    await fill(members(other.page), { 'Email address': revoked })
    await changeRole(page, email, 'member')
    await expectTexts(members(page), `Saved. Role of ${email}: Member`)
    await press(members(other.page), 'Invite')
    await expectAlert(members(other.page), 'Your role does not allow this.')
    await other.expectFailedLoads('403 invitations')

    await openAccount(page)
    await send(formOf(page, 'Teams'), { 'Name of the team': 'Looms' }, 'Create a team')
    await expectTexts(formOf(page, 'Teams'), 'Looms', 'Saved.')
    await openTeam(page, 'Looms')
    await invite(page, email)
    await other.page.goto(await linkTo(email, 'Looms'))
    await press(formOf(other.page, 'Join Looms'), 'Accept the invitation')
    await members(other.page).getByText(email, { exact: true }).waitFor()
    expect(
      await members(other.page)
        .getByRole('button', { name: /^Remove / })
        .count(),
    ).toBe(0)
    expect(await members(other.page).getByRole('button', { name: 'Invite' }).count()).toBe(0)
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

  it('has pages and a search from the 26th member on, and titles of roles of the product', async ({
    database,
    usher,
    visit,
  }) => {
    await setDatabase(usher.store, database, { roles: ['billing', 'site-manager'] })
    usher.clock.cacheAhead += 5_000
    const { page } = await visit()
    const owner = validUser()
    const { tenants } = await database.signedUp({ ...owner, newTenant: 'Looms' })
    const [tenantId = ''] = tenants
    const databaseId = database.id
    const join = async (...numbers: number[]) => {
      const rows = numbers.map((number) => ({
        ...{ databaseId, id: `ffffffff-0000-4000-8000-0000000000${number}`, createdAt: new Date() },
        ...{ email: `member${number}@example.com`, canonicalEmail: `member${number}@example.com` },
      }))
      await usher.store.prisma.user.createMany({ data: rows })
      const membership = { databaseId, tenantId, role: 'billing', joinedAt: new Date() }
      await usher.store.prisma.membership.createMany({
        data: rows.map(({ id }) => ({ ...membership, userId: id })),
      })
    }
    await join(...Array.from({ length: 24 }, (_, index) => 10 + index))
    await logIn(page, owner.email)
    await openTeam(page, 'Looms')
    expect(await rowsOf(page)).toHaveLength(25)
    const search = members(page).getByRole('searchbox', { name: 'Search by name or address' })
    expect(await search.count()).toBe(0)
    await join(99)
    await page.reload()
    await press(members(page), 'Next page')
    await expect.poll(() => rowsOf(page)).toEqual([expect.stringContaining('member99@example.com')])
    await search.fill('MEMBER1')
    await search.press('Enter')
    await expect.poll(() => rowsOf(page)).toHaveLength(10)
    expect(await isFocused(search)).toBe(true)
    expect(await members(page).getByRole('button', { name: 'page' }).count()).toBe(0)
    expect(await fieldOf(members(page), 'Role').inputValue()).toBe('member')
    const roles = roleOf(page, 'member10@example.com').getByRole('option')
    expect(await roles.allTextContents()).toEqual([
      'Owner',
      'Administrator',
      'Member',
      'Billing',
      'Site manager',
    ])
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await page.evaluate(`document.querySelector('usher-tenant').texts = { role_billing: 'Treasurer' }`)
    await expect.poll(() => roles.allTextContents()).toContain('Treasurer')
    await search.fill('nobody')
    await press(members(page), 'Search')
    await expectTexts(members(page), 'No member found.')
    await search.fill('')
    await press(members(page), 'Search')
    await expect.poll(() => rowsOf(page)).toHaveLength(25)
  })

  it('renames a team as admin, and deletes it as owner', async ({ database, linkTo, visit }) => {
    const { page } = await visit()
    const owner = validUser()
    const { tenants } = await database.signedUp({ ...owner, newTenant: 'Engines' })
    await database.markVerified(owner.email)
    await logIn(page, owner.email)
    await openTeam(page, 'Engines')
    const { email } = validUser()
    await fieldOf(members(page), 'Role').selectOption('admin')
    await invite(page, email)
    await expectTexts(members(page), 'A mail is on its way.')
    const other = await visit()
    await join(other.page, await linkTo(email))
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
