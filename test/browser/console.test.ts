import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Locator } from 'playwright-core'
import { describe, expect } from 'vitest'
import { type ConsoleServer, operatorPassword } from '../support/console-server.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { hasBrowser, overflowOf } from './browser.js'
import {
  addAuthenticator,
  button,
  dialogOf,
  email,
  enrol,
  errorsOf,
  fillLogin,
  headingOf,
  it,
  loaded,
  narrowErrorsOf,
  status,
} from './console.js'

const users = '/console/acme/app/users'
const importUsers = (server: ConsoleServer, lines: readonly object[]) =>
  server.manage('POST', '/users/import', lines.map((line) => JSON.stringify(line)).join('\n'))
/** Adds a user of `acme/app`. Returns the ID. */
const addUser = async (server: ConsoleServer, body: object) =>
  String((await server.manage('POST', '/users', body)).id)

describe.skipIf(!hasBrowser)('console', () => {
  it('creates the first operator once', async ({ owner, server, open }) => {
    await owner.open('/console')
    await headingOf(owner.page, 'Workspaces').waitFor()
    await owner.page.getByText('The installation has one owner only.').waitFor()
    await owner.page.getByText('No server has reported yet.').waitFor()
    await server.report('web-1:3000')
    await owner.open('/console')
    await owner.page.getByRole('rowheader', { name: 'web-1:3000' }).waitFor()
    expect(await errorsOf(owner.page, true)).toEqual([])
    const { page } = await open([server.url])
    await page.goto(`${server.url}/console/setup#code=used`)
    await page.getByText('There is an operator already.').waitFor()
    await page.getByRole('link', { name: 'Log in' }).click()
    await page.getByRole('form', { name: 'Log in' }).waitFor()
  })

  it('returns to a deep link after the login, and keeps tokens out of the storage', async ({
    owner,
    server,
  }) => {
    const { page } = owner
    const path = `${users}/${await addUser(server, { email: 'deep@example.com' })}`
    await owner.open(path)
    await headingOf(page, 'deep@example.com').waitFor()
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    )
    expect(stored).toMatch(/^\[\{"[^"]+":"cookie-[\da-f-]{36} ?"\},\{\},""\]$/)

    const other = await page.context().newPage()
    await other.goto(`${server.url}/console/acme`)
    await headingOf(other, 'Databases of acme').waitFor()
    await page.getByRole('button', { name: email }).click()
    await button(page, 'Log out').click()
    await page.getByRole('form', { name: 'Log in' }).waitFor()
    await other.getByRole('form', { name: 'Log in' }).waitFor()
    await other.close()
    await owner.open(path)
    await owner.logIn()
    await headingOf(page, 'deep@example.com').waitFor()
    expect([new URL(page.url()).pathname, await page.title()]).toEqual([path, 'User – acme/app – Usher'])
    await owner.expectFailedLoads('401 login')
    await owner.open('/console/acme/app/users/1/2')
    await headingOf(page, 'Page not found').waitFor()
  })

  it('finds users by the start of the address or name, ID and external ID while the operator types', async ({
    owner,
    server,
  }) => {
    const lines = Array.from({ length: 60 }, (_, index) => ({
      email: `finder-${String(index).padStart(2, '0')}@example.com`,
      externalId: `customer-${index}`,
      ...(index === 7 && { preferredName: 'Searched Person' }),
    }))
    await importUsers(server, lines)
    const { page } = owner
    await owner.open('/console/acme/app')
    await page.getByRole('link', { name: 'Users' }).click()
    await headingOf(page, 'Users').waitFor()
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    const first = page.getByRole('rowheader').first()
    const head = (name: string) => page.getByRole('columnheader', { name })
    await page.getByRole('table', { name: /, the latest sign-up first$/ }).waitFor()
    expect(await head('Signed up').getAttribute('aria-sort')).toBe('descending')
    await button(page, 'Address').click()
    await page.getByRole('table', { name: /, by address$/ }).waitFor()
    const least = await first.getByRole('link').textContent()
    await button(page, 'Address').click()
    await page.getByRole('table', { name: /, by address, the last one first$/ }).waitFor()
    expect(await head('Address').getAttribute('aria-sort')).toBe('descending')
    await expect.poll(() => first.getByRole('link').textContent()).not.toBe(least)
    expect(await errorsOf(page)).toEqual([])
    const field = page.getByLabel('Find users')
    const find = (text: string) => field.fill(text)
    const link = (email: string) => page.getByRole('link', { name: email })
    await find('FINDER-')
    await link('finder-49@example.com').waitFor()
    await status(page, 'Users 1–50 found')
    await button(page, 'Next').click()
    await link('finder-59@example.com').waitFor()
    expect(await link('finder-49@example.com').count()).toBe(0)
    await page.getByRole('table', { name: 'Users 51–60 of 60 found' }).waitFor()
    expect(await head('Address').getAttribute('aria-sort')).toBe(null)
    expect(await button(page, 'Next').isDisabled()).toBe(true)
    expect(await errorsOf(page)).toEqual([])
    await button(page, 'Previous').click()
    await link('finder-00@example.com').waitFor()
    await find('customer-7')
    await status(page, '1 user found')
    await find('searched p')
    await link('finder-07@example.com').waitFor()

    // The response to what was typed first is the last one.
    let release = () => {}
    const isHeld = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/=finder-01/, async (route) => {
      await isHeld
      await route.continue()
    })
    const late = page.waitForRequest(/emailPrefix=finder-01/)
    await find('finder-01')
    const lateResponse = (await late).response()
    await find('finder-02')
    await link('finder-02@example.com').waitFor()
    release()
    await lateResponse
    await page.unrouteAll({ behavior: 'wait' })
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await link('finder-01@example.com').count()).toBe(0)
    await link('finder-02@example.com').waitFor()

    await find('customer-7')
    await link('finder-07@example.com').click()
    await headingOf(page, 'finder-07@example.com').waitFor()
    const id = (await page.evaluate<string>('location.pathname')).split('/').at(-1)
    expect(await page.evaluate('location.href')).not.toContain('@')
    await page.goBack()
    // The search stays, although it is not in the address.
    await link('finder-07@example.com').waitFor()
    expect(await field.inputValue()).toBe('customer-7')
    await find(String(id))
    await link('finder-07@example.com').waitFor()
    await find('nobody')
    await page.getByText('No user is found.').waitFor()
    await status(page, '0 users found')
    expect(await page.evaluate(() => location.href + JSON.stringify(history.state))).not.toContain('nobody')
  })

  it('disables, logs out, changes and deletes a user', async ({ owner, server }) => {
    const id = await addUser(server, { email: 'grace@example.com', preferredName: 'Grace' })
    const { page, expectFailedLoads } = owner
    await owner.open(`${users}/${id}`)
    await headingOf(page, 'grace@example.com').waitFor()
    await page.getByText('active, not verified, no second factor').waitFor()
    await server.addPasskey(id)
    await owner.open(`${users}/${id}`)
    await page.getByText('active, not verified, 1 passkey').waitFor()
    await button(page, 'Disable').click()
    await status(page, 'The user is disabled.')
    await button(page, 'Enable').click()
    await status(page, 'The user is enabled.')
    await button(page, 'Log out everywhere').click()
    await status(page, 'The user is logged out everywhere.')
    await button(page, 'Mail a reset link').click()
    await status(page, 'A reset link is on its way')
    await button(page, 'Mark as verified').click()
    await owner.confirm()
    await status(page, 'The address counts as verified.')
    await expectFailedLoads(`401 ${id}`)
    const recorded = page.getByRole('listitem').filter({ hasText: email })
    await recorded.nth(4).waitFor()
    expect((await recorded.allTextContents()).map((text) => text.slice(text.indexOf(email)))).toEqual(
      [
        'marked the address as verified',
        'mailed a link',
        'logged the user out everywhere',
        'enabled the user',
        'disabled the user',
      ].map((text) => `${email} ${text}`),
    )
    expect(await errorsOf(page, true)).toEqual([])

    await button(page, 'Change').click()
    const edit = dialogOf(page, 'Change the user')
    await edit.getByLabel('Name').fill('Grace Hopper')
    await edit.getByLabel('Private metadata').fill('{')
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.getByRole('alert').getByText('is not valid JSON').waitFor()
    await edit.getByLabel('Private metadata').fill('{"plan":"pro"}')
    await server.manage('PATCH', `/users/${id}`, { preferredName: 'Amazing Grace' })
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.getByRole('row', { name: 'Name Grace Hopper Amazing Grace' }).waitFor()
    await expectFailedLoads(`412 ${id}`)
    await edit.getByRole('button', { name: 'Save my version' }).click()
    await status(page, 'The user is changed.')
    await page.getByText('Grace Hopper').waitFor()
    await page.getByText('"plan": "pro"').waitFor()

    await button(page, 'Change address').click()
    const address = dialogOf(page, 'Change address')
    await address.getByLabel('New address').fill('hopper@example.com')
    await address.getByRole('button', { name: 'Change address' }).click()
    await owner.confirm()
    await status(page, 'The address is changed.')
    await headingOf(page, 'hopper@example.com').waitFor()
    await expectFailedLoads(`401 ${id}`)

    // No list may still be on its way, because those of a deleted user are missing.
    await owner.open(`${users}/${id}`)
    await headingOf(page, 'hopper@example.com').waitFor()
    await loaded(page)
    await button(page, 'Delete the user').click()
    const deletion = dialogOf(page, 'Delete the user')
    await deletion.getByText('0 memberships').waitFor()
    await deletion.getByLabel('Type it to confirm').fill('grace@example.org')
    await deletion.getByRole('button', { name: 'Delete the user' }).click()
    await deletion.getByText('That is not the same.').waitFor()
    await deletion.getByLabel('Type it to confirm').fill('hopper@example.com')
    await deletion.getByRole('button', { name: 'Delete the user' }).click()
    const stepUp = dialogOf(page, 'Confirm that it is you')
    await stepUp.getByLabel('Code').fill('000000')
    await stepUp.getByRole('button', { name: 'Confirm' }).click()
    await stepUp.getByText('Second factor is wrong', { exact: true }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    await owner.confirm()
    await headingOf(page, 'Users').waitFor()
    await status(page, 'The user is deleted.')
    await expectFailedLoads(`401 ${id}`, '401 step-up')
  })

  it('shows hostile names as text', async ({ owner, server }) => {
    const html = '<img src=x onerror=alert(1)>'
    const long = 'W'.repeat(255)
    const hebrew = '\u202eעברית'
    const tenants = await Promise.all(
      [html, long, hebrew].map((name) => server.manage('POST', '/tenants', { name, metadata: { html } })),
    )
    const ids = await Promise.all(
      [html, long, hebrew].map((preferredName, index) =>
        addUser(server, {
          email: `hostile-${index}@example.com`,
          preferredName,
          externalId: preferredName,
          metadata: { html },
          tenants: tenants.map(({ id }) => ({ id })),
        }),
      ),
    )
    const { page } = owner
    await owner.open(`${users}/${ids[0]}`)
    const dialogs: string[] = []
    page.on('dialog', (dialog) => dialogs.push(dialog.message()))
    await page.getByRole('link', { name: html }).waitFor()
    expect(await narrowErrorsOf(page)).toEqual([])
    await page.getByRole('link', { name: long }).click()
    await headingOf(page, long).waitFor()
    await page.getByRole('link', { name: 'hostile-0@example.com' }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'Tenants' }).click()
    await page.getByRole('link', { name: html }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    expect(await page.locator('img, [style], script:not([src])').count()).toBe(0)
    const outside = await page
      .locator('a')
      .evaluateAll((links) => links.filter((link) => (link as HTMLAnchorElement).origin !== location.origin))
    expect(outside).toEqual([])
    expect(dialogs).toEqual([])
  })

  it('shows a new API key once', async ({ owner }) => {
    const { page, expectFailedLoads } = owner
    await owner.open('/console/acme/app/keys')
    await button(page, 'Create an API key').click()
    const create = dialogOf(page, 'Create an API key')
    await create.getByLabel('Name').fill('reports')
    await create.getByLabel('users:read').check()
    await create.getByRole('button', { name: 'Create' }).click()
    await owner.confirm()
    const secret = dialogOf(page, 'The new API key')
    const key = await secret.locator('code').textContent()
    expect(key).toMatch(/^usher_/)
    await secret.getByRole('button', { name: 'Copy' }).click()
    await secret.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
    expect(await errorsOf(page)).toEqual([])
    await secret.getByRole('button', { name: 'I have stored it' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.getByRole('rowheader', { name: 'reports' }).waitFor()
    expect(await page.content()).not.toContain(key)
    expect(await errorsOf(page)).toEqual([])
    const rotate = async (isStolen: boolean) => {
      await button(page, 'Rotate').click()
      const dialog = dialogOf(page, 'Rotate the signing key')
      await dialog.getByLabel('Sign immediately').setChecked(isStolen)
      expect(await errorsOf(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Rotate' }).click()
    }
    await rotate(false)
    await status(page, 'The next key is published.')
    await rotate(true)
    await owner.confirm()
    await status(page, 'The next key signs now.')
    await button(page, 'Revoke reports').click()
    await dialogOf(page, 'Revoke').getByRole('button', { name: 'Revoke' }).click()
    await dialogOf(page, 'Confirm that it is you').getByRole('button', { name: 'Cancel' }).click()
    await dialogOf(page, 'Revoke').getByText('Not confirmed').waitFor()
    await expectFailedLoads(
      '401 api-keys',
      '401 rotate',
      `401 ${key?.slice('usher_'.length, 'usher_'.length + 12)}`,
    )
  })

  it('shows the difference of settings, and both versions after a conflict', async ({ owner, server }) => {
    const { page, expectFailedLoads } = owner
    await owner.open('/console/acme/app/settings')
    const setting = (name: string) =>
      page.locator('.setting', { has: page.getByLabel(name, { exact: true }) })
    await page.getByLabel('Find a setting').fill('sessions idle')
    await status(page, '1 setting')
    await page.getByLabel('Session idle').fill('3600')
    expect(await setting('Session idle').textContent()).toContain('seconds = 1 hour')
    expect(await setting('Session idle').textContent()).toContain('not saved')
    await page.getByLabel('Find a setting').fill('app url no such')
    // One that is not saved stays.
    await status(page, '1 setting')
    await page.getByLabel('Find a setting').fill('')
    expect(await setting('Login redirects').textContent()).toContain('inherited/login of the app')
    expect(await setting('Token max age').textContent()).toContain('inherited')
    expect(await setting('Password policy').textContent()).toContain('default')
    expect(await setting('App URL').textContent()).toContain('changedDefault: empty')
    await page.getByLabel('Only changed ones').check()
    expect(await page.getByLabel('Password policy').count()).toBe(0)
    expect(await errorsOf(page, true)).toEqual([])
    await page.getByLabel('App URL', { exact: true }).fill('https://new.acme.example')
    await button(page, 'Review 2 changes').click()
    const review = dialogOf(page, 'Review the changes')
    await review.getByRole('row', { name: /^Session idle \(seconds\) \d+ 3600$/ }).waitFor()
    await server.changeSettings({ sessionIdle: 7200, eventsKept: 7 })
    await review.getByRole('button', { name: 'Save' }).click()
    await owner.confirm()
    await review.getByRole('row', { name: 'Session idle (seconds) 3600 7200' }).waitFor()
    await review
      .getByRole('row', { name: 'Events kept (days) (changed by somebody else, kept) 7 7' })
      .waitFor()
    expect(await errorsOf(page)).toEqual([])
    // The confirmation still counts.
    await review.getByRole('button', { name: 'Save my version' }).click()
    await status(page, 'The settings are saved.')
    expect(await server.settings()).toMatchObject({
      sessionIdle: 3600,
      eventsKept: 7,
      appUrl: 'https://new.acme.example',
    })
    await expectFailedLoads('401 settings', '412 settings')
    expect(await errorsOf(page)).toEqual([])
  })

  it('marks the settings that are refused, asks before they are lost, and shows a webhook secret once', async ({
    owner,
  }) => {
    const { page, expectFailedLoads } = owner
    const save = async () => {
      await button(page, 'Review one change').click()
      await dialogOf(page, 'Review the changes').getByRole('button', { name: 'Save' }).click()
    }
    await owner.open('/console/acme/app/keys')
    await page.getByRole('link', { name: 'Settings' }).click()
    const sessions = page.getByLabel('Sessions per user', { exact: true })
    await sessions.fill('')
    const asked: string[] = []
    page.on('dialog', async (dialog) => {
      asked.push(dialog.type())
      await dialog.dismiss()
    })
    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    await page.evaluate(() => history.back())
    await expect.poll(() => asked).toHaveLength(2)
    await page.evaluate(() => location.reload())
    await expect.poll(() => asked).toEqual(['confirm', 'confirm', 'beforeunload'])
    page.removeAllListeners('dialog')
    await save()
    const refused = page.getByRole('alert')
    await refused.getByText('must be a whole number from 1 to 100').waitFor()
    await refused.getByText('sessions per user').waitFor()
    expect(await sessions.getAttribute('aria-invalid')).toBe('true')
    await expectFailedLoads('400 settings')
    await sessions.fill('100')
    const url = page.getByLabel('Webhook URL', { exact: true })
    const described = String(await url.getAttribute('aria-describedby')).split(' ')
    expect(await page.locator(`#${described.at(-1)}`).textContent()).toMatch(
      /^URL to which .* or an empty field; /,
    )
    await url.fill('https://hooks.example/usher')
    await save()
    await owner.confirm()
    const secret = dialogOf(page, 'The webhook secret')
    await secret.getByText(/^whsec_/).waitFor()
    expect(await errorsOf(page)).toEqual([])
    await secret.getByRole('button', { name: 'I have stored it' }).click()
    await expectFailedLoads('401 settings')
  })

  it('retries and drops deliveries, and checks connections', async ({ owner, server }) => {
    await server.addDeliveries(await addUser(server, { email: 'mailed@example.com' }))
    const { page, expectFailedLoads } = owner
    await owner.open('/console/acme/app/deliveries')
    await page.getByRole('cell', { name: 'SMTP 550' }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    await page.getByLabel('Only those that wait').check()
    await button(page, 'Retry all that wait').click()
    await status(page, '1 message delivered again')
    await page.getByText('Every mail and event was delivered.').waitFor()
    expect(await button(page, 'Drop all that wait').count()).toBe(0)
    await page.getByLabel('Only those that wait').uncheck()
    await page.getByRole('row', { name: 'SMTP 451' }).getByRole('button', { name: /^Drop/ }).click()
    await dialogOf(page, 'Drop').getByRole('button', { name: 'Drop' }).click()
    await status(page, 'Deleted.')
    await page.getByRole('link', { name: 'Recorded actions', exact: true }).click()
    await page.getByRole('cell', { name: 'retried deliveries' }).first().waitFor()
    expect(await errorsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'Connections' }).click()
    await button(page, 'Check google').click()
    await status(page, 'google knows the client.')
    await button(page, 'Check acme-entra').click()
    const alert = page.getByRole('alert')
    await alert.getByText('must be an https URL on port 443').waitFor()
    expect(await alert.textContent()).not.toContain('Current state')
    await alert.getByText(/^Request ID [\da-f-]{36}$/).waitFor()
    await expectFailedLoads('409 check')
    expect(await errorsOf(page)).toEqual([])
  })

  it('adds a connection with the fields of its preset, changes, disables and removes it', async ({
    owner,
    server,
  }) => {
    const { page, expectFailedLoads } = owner
    await owner.open('/console/acme/staging/connections')
    await page.getByText('npx @usher/server connection add acme/staging google').waitFor()
    await owner.open('/console/acme/app/connections')
    await button(page, 'Add a connection').click()
    const add = dialogOf(page, 'Add a connection')
    const fields = () =>
      add.getByRole('textbox').evaluateAll((all) => all.map((each) => (each as HTMLInputElement).name))
    expect(await fields()).toEqual([])
    await add.getByLabel('Provider').selectOption('Apple')
    expect(await fields()).toEqual(['name', 'clientId', 'teamId', 'keyId', 'secret'])
    expect(await errorsOf(page, true)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Add a connection')
    await page.keyboard.press('Enter')
    await add.getByLabel('Provider').selectOption('OpenID Connect')
    await add.getByLabel('Name').fill('partner')
    await add.getByLabel('Issuer').fill('partner')
    await add.getByLabel('Client ID', { exact: true }).fill('usher')
    await add.getByLabel('Client secret').fill('a client secret')
    await button(page, 'Copy the callback URL').click()
    const callbackUrl = `${server.url}/workspaces/acme/databases/app/connections/partner/callback`
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(callbackUrl)
    const send = () => add.getByRole('button', { name: 'Add', exact: true }).click()
    await send()
    await owner.confirm()
    await add.locator('[name=issuer][aria-invalid=true]').waitFor()
    await add.getByLabel('Issuer').fill(`${server.issuer}/nothing`)
    await send()
    await add.getByRole('alert').getByText('has no discovery document').waitFor()
    expect(await errorsOf(page)).toEqual([])
    await add.getByLabel('Issuer').fill(server.issuer)
    // The confirmation still counts.
    await send()
    await status(page, 'partner is added.')
    await headingOf(page, 'partner').waitFor()
    await page.getByText(callbackUrl).waitFor()
    expect(await page.content()).not.toContain('a client secret')
    expect(await errorsOf(page)).toEqual([])
    await expectFailedLoads('401 connections', '400 connections', '409 connections')

    await button(page, 'Change').click()
    const edit = dialogOf(page, 'Change the connection')
    await edit.getByLabel('Title').fill('Mine')
    await edit.getByLabel('Trust addresses').selectOption('on')
    await server.changeConnection('partner', 'Theirs')
    await edit.getByRole('button', { name: 'Save' }).click()
    await owner.confirm()
    await edit.getByRole('row', { name: 'Title Mine Theirs' }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    await edit.getByRole('button', { name: 'Save my version' }).click()
    await status(page, 'The connection is changed.')
    await page.getByText('Mine', { exact: true }).waitFor()
    await button(page, 'Disable').click()
    await owner.confirm()
    await status(page, 'partner is disabled.')
    await button(page, 'Replace the secret').click()
    await dialogOf(page, 'Replace the secret').getByLabel('Client secret').fill('another')
    await button(page, 'Replace').click()
    await owner.confirm()
    await status(page, 'The secret is replaced.')
    await button(page, 'Check').click()
    await status(page, 'partner knows the client.')

    await button(page, 'Remove the connection').click()
    const removal = dialogOf(page, 'Remove the connection')
    await removal.getByLabel('Type it to confirm').fill('partner')
    await removal.getByRole('button', { name: 'Remove the connection' }).click()
    await owner.confirm()
    await status(page, 'partner is removed.')
    await page.getByRole('link', { name: 'google' }).waitFor()
    expect(await page.getByRole('link', { name: 'partner' }).count()).toBe(0)
    await expectFailedLoads('401 partner', '412 partner', '401 partner', '401 partner', '401 partner')
    await owner.open('/console/acme/app/connections/partner')
    await page.getByRole('alert').getByText('The connection was removed').waitFor()
    await expectFailedLoads('404 partner')
  })

  it('invites an address to a tenant, sends the mail again, and revokes it', async ({ owner, server }) => {
    const { id } = await server.manage('POST', '/tenants', { name: 'Inviting Engines' })
    const { page, expectFailedLoads } = owner
    await owner.open(`/console/acme/app/tenants/${id}`)
    await page.getByText(`npx @usher/server tenant invite acme/app ${id}`).waitFor()
    await button(page, 'Add a member').click()
    const add = dialogOf(page, 'Add a member')
    const addMember = async (text: string) => {
      await add.getByLabel('Address or ID').fill(text)
      await add.getByRole('button', { name: 'Save' }).click()
    }
    await addUser(server, { email: 'member@example.com' })
    await addMember('member@example')
    await add.locator('small').getByText('No user has this address or ID.').waitFor()
    await addMember('Member@example.com')
    await page.getByRole('link', { name: 'member@example.com' }).waitFor()
    await button(page, 'Add a member').click()
    await addMember('nobody')
    await add.locator('small').getByText('No user has this address or ID.').waitFor()
    await page.keyboard.press('Escape')
    await button(page, 'Invite').click()
    const dialog = dialogOf(page, 'Invite an address')
    await dialog.getByLabel('Address').fill('invited@example.com')
    await dialog.getByLabel('Role').fill('no-role')
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByRole('alert').waitFor()
    expect(await dialog.getByLabel('Role').getAttribute('aria-invalid')).toBe('true')
    expect((await dialog.locator('small').allTextContents()).join()).not.toMatch(
      /role of the database.*role of/,
    )
    await dialog.getByLabel('Role').fill('admin')
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await status(page, 'The invitation is on its way.')
    await page.getByRole('row', { name: 'invited@example.com admin' }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    await button(page, 'Send again to invited@example.com').click()
    await status(page, 'Another mail is on its way.')
    await button(page, 'Revoke the invitation of invited@example.com').click()
    await status(page, 'The invitation is revoked.')
    await page.getByText('Nobody is invited.').waitFor()
    await expectFailedLoads('400 users', '400 invitations')
  })

  it('sets up the single sign-on of a tenant, and says what it refuses', async ({ owner, server, open }) => {
    const { page, expectFailedLoads } = owner
    const { prisma } = server.store
    const off = await server.manage('POST', '/tenants', { name: 'Without' })
    await owner.open(`/console/acme/app/tenants/${off.id}`)
    await page.getByText('npx @usher/server database set acme/app --single-sign-on on').waitFor()
    const staging = await prisma.database.findFirstOrThrow({ where: { name: 'staging' } })
    const databaseId = staging.id
    const createdAt = new Date()
    const [tenantId, otherId] = [randomUUID(), randomUUID()]
    await prisma.tenant.createMany({
      data: [tenantId, otherId].map((id) => ({ databaseId, id, name: 'Engines', createdAt })),
    })
    const path = `/console/acme/staging/tenants/${tenantId}`
    await owner.open(path)
    const section = page.getByRole('region', { name: 'Single sign-on' })
    await section.getByText('nobody can log in with it').waitFor()
    await section.getByText('Nobody has logged in with the provider.').waitFor()

    await section.getByRole('button', { name: 'Connect a provider' }).click()
    const add = dialogOf(page, 'Connect a provider')
    await add.getByLabel('Provider').selectOption('Google Workspace')
    await add.getByLabel('Domain').waitFor()
    expect(await add.getByLabel('Issuer').count()).toBe(0)
    await add.getByLabel('Provider').selectOption('OpenID Connect')
    const registered = await add.getByText(/\/connections\/[\da-f-]{36}\/callback$/).textContent()
    await add.getByLabel('Issuer').fill(`${server.issuer}/nothing`)
    await add.getByLabel('Client ID').fill('usher')
    await add.getByLabel('Title').fill('Acme')
    expect(await errorsOf(page)).toEqual([])
    const connect = () => add.getByRole('button', { name: 'Connect' }).click()
    await connect()
    await owner.confirm()
    await add.getByRole('alert').getByText('has no discovery document').waitFor()
    await add.getByLabel('Issuer').fill(server.issuer)
    // The confirmation still counts.
    await connect()
    await status(page, 'Acme is connected.')
    await section.getByText('not required, 1 connection').waitFor()
    await button(page, 'Copy the callback URL of Acme').click()
    const callbackUrl = await page.evaluate(() => navigator.clipboard.readText())
    expect(callbackUrl).toMatch(/databases\/staging\/connections\/[\da-f-]{36}\/callback$/)
    expect(callbackUrl).toBe(registered)
    await button(page, 'Check Acme').click()
    await status(page, 'The provider of Acme knows the client.')
    await button(page, 'Change Acme').click()
    const change = dialogOf(page, 'Change the connection')
    await change.getByLabel('Title').fill('Acme SSO')
    await change.getByLabel('Members can log in with it').uncheck()
    await change.getByRole('button', { name: 'Save' }).click()
    await owner.confirm()
    await status(page, 'The connection is changed.')
    await section.getByRole('row', { name: 'Acme SSO disabled' }).waitFor()
    await expectFailedLoads('401 connections', '409 connections', `401 ${callbackUrl.split('/').at(-2)}`)

    const proven = { token: '0', state: 'proven', createdAt, provenAt: createdAt, checkedAt: createdAt }
    const taken = { databaseId, tenantId: otherId, domain: 'acme.example', ...proven }
    await prisma.tenantDomain.createMany({ data: [taken] })
    server.records.set('_usher.acme.example', [['usher=0']])
    await button(page, 'Add a domain').click()
    const domain = dialogOf(page, 'Add a domain')
    await domain.getByLabel('Domain').fill('https://acme.example')
    await domain.getByRole('button', { name: 'Add' }).click()
    await domain.locator('small').getByText('must be a domain, not a URL').waitFor()
    await domain.getByLabel('Domain').fill('Acme.example')
    await domain.getByRole('button', { name: 'Add' }).click()
    await section.getByRole('row', { name: /acme\.example pending, expires/ }).waitFor()
    const check = section.getByRole('button', { name: 'Check acme.example' })
    await check.click()
    await section.getByRole('alert').getByText('found "usher=0"').waitFor()
    await button(page, 'Copy the record of acme.example').click()
    const record = await page.evaluate(() => navigator.clipboard.readText())
    server.records.set('_usher.acme.example', [['usher=0'], [record]])
    await check.click()
    await section.getByRole('alert').getByText('Domain belongs to another tenant').waitFor()
    expect(await errorsOf(page)).toEqual([])
    await button(page, 'Move the domain here acme.example').click()
    await dialogOf(page, 'Move the domain here').getByRole('button', { name: 'Move' }).click()
    await owner.confirm()
    await status(page, 'acme.example belongs to this tenant.')
    await section.getByRole('row', { name: /acme\.example proven/ }).waitFor()
    expect(await section.getByRole('alert').count()).toBe(0)
    await expectFailedLoads('400 domains', '409 check', '409 check', '401 transfer')

    await button(page, 'Create a setup link').click()
    const create = dialogOf(page, 'Create a setup link')
    await create.getByLabel('It may require single sign-on of the members').check()
    await create.getByRole('button', { name: 'Create' }).click()
    await owner.confirm()
    const link = dialogOf(page, 'The setup link')
    await link.getByText(/^https:\/\/app\.example\.com\/sso-setup#code=/).waitFor()
    await link.getByRole('button', { name: 'Copy' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('/sso-setup#code=')
    await link.getByRole('button', { name: 'I have stored it' }).click()
    expect(await page.content()).not.toContain('sso-setup#code=')

    await button(page, 'Change the rules').click()
    const rules = dialogOf(page, 'Change the rules')
    await rules.getByLabel('Required').selectOption('on')
    await rules.getByRole('button', { name: 'Save' }).click()
    await owner.confirm()
    await rules.getByRole('alert').getByText('An owner without single sign-on is missing').waitFor()
    expect(await errorsOf(page)).toEqual([])
    await rules.getByLabel('Required').selectOption('off')
    await rules.getByLabel('Maximum age').fill('86400')
    await rules.getByLabel('First logins join').selectOption('off')
    // The confirmation still counts.
    await rules.getByRole('button', { name: 'Save' }).click()
    await status(page, 'The rules are changed.')
    await expectFailedLoads('401 portal', '401 sso', '409 sso')

    const users = `${server.url}/workspaces/acme/databases/staging/users`
    const response = await fetch(users, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'grace@acme.example', password: operatorPassword }),
    })
    const { id: userId } = await response.json()
    const person = { subject: 'grace', email: 'grace@acme.example', provesFrom: createdAt, userId }
    const connectionId = String(callbackUrl.split('/').at(-2))
    const entry = { databaseId, tenantId, connectionId, issuer: server.issuer, ...person }
    await prisma.tenantEntry.createMany({ data: [{ ...entry, id: randomUUID() }] })
    const { page: viewer } = await open([server.url])
    await server.logIn(viewer, { email: 'sso@example.com', role: 'member', workspace: 'acme' })
    for (const each of [viewer, page]) {
      await each.goto(server.url + path)
      await each.getByRole('link', { name: 'grace@acme.example' }).waitFor()
      await each.getByText('1 d', { exact: true }).waitFor()
    }
    expect(await errorsOf(page, true)).toEqual([])
    const shown = viewer.getByRole('region', { name: 'Single sign-on' }).getByRole('button')
    for (const text of await shown.allTextContents()) expect(text).toBe('Copy')
    await button(page, 'Unlink grace@acme.example').click()
    await dialogOf(page, 'Unlink').getByRole('button', { name: 'Unlink' }).click()
    await owner.confirm()
    await status(page, 'The person is unlinked.')
    await button(page, 'Remove Acme SSO').click()
    await dialogOf(page, 'Remove').getByRole('button', { name: 'Remove' }).click()
    await owner.confirm()
    await section.getByText('No provider is connected.').waitFor()
    owner.expectOnly(/^401 [\da-f-]{36}$/)
    await page.getByText('moved a domain to the tenant').waitFor()
  })

  it('shows what to do while the store is down, and keeps what was typed', async ({ owner, server }) => {
    const { page } = owner
    await owner.open('/console/acme/app/tenants')
    await button(page, 'Create a tenant').click()
    const create = dialogOf(page, 'Create a tenant')
    await create.getByLabel('Name').fill('Patient Engines')
    server.setStoreDown(true)
    await create.getByRole('button', { name: 'Create' }).click()
    const alert = page.getByRole('alert')
    const explains = async (place: Locator) => {
      await place.getByText('Service temporarily unavailable').waitFor()
      await place.getByText('Wait a moment, and try again.').waitFor()
      await place.getByText(/^Request ID [\da-f-]{36}$/).waitFor()
      expect(await errorsOf(page)).toEqual([])
    }
    await explains(create.getByRole('alert'))
    expect(await create.getByLabel('Name').inputValue()).toBe('Patient Engines')
    server.setStoreDown(false)
    await create.getByRole('button', { name: 'Create' }).click()
    await headingOf(page, 'Patient Engines').waitFor()

    server.setStoreDown(true)
    await page.getByRole('link', { name: 'Keys' }).click()
    await explains(alert.first())
    server.setStoreDown(false)
    await button(page, 'Try again').first().click()
    await page.getByRole('rowheader', { name: 'backend' }).waitFor()

    server.setStoreDown(true)
    await page.reload()
    await explains(alert)
    server.setStoreDown(false)
    // Only the session fails, which has not ended.
    const body = JSON.stringify({
      code: 'unavailable',
      title: 'Service temporarily unavailable',
      requestId: randomUUID(),
    })
    await page.route('**/console/session', (route) => route.fulfill({ status: 503, body }))
    await button(page, 'Try again').click()
    await button(page, 'Log out').waitFor()
    await explains(alert)
    await page.unroute('**/console/session')
    await button(page, 'Try again').click()
    await page.getByRole('rowheader', { name: 'backend' }).waitFor()
    owner.expectOnly(/^503 /)
  })

  it('imports a file, and returns the rejected lines', async ({ owner }) => {
    const lines = Array.from({ length: 1_300 }, (_, index) => `{"email":"import-${index}@example.com"}`)
    const inTenant = (index: number, id: string, role: string) =>
      JSON.stringify({
        email: `import-${index}@example.com`,
        tenants: [{ id, name: `Tenant of ${index}`, role }],
      })
    const [none, late, early] = [randomUUID(), randomUUID(), randomUUID()]
    // A request has 1,000 lines.
    lines[0] = inTenant(0, none, 'admin')
    lines[1] = inTenant(1, late, 'member')
    lines[2] = inTenant(2, early, 'owner')
    lines[1_100] = inTenant(1_100, late, 'owner')
    lines[1_101] = inTenant(1_101, early, 'member')
    lines[700] = '{"email":"not an address"}'
    lines[1_200] = '{"email":'
    const file = {
      name: 'users.ndjson',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(`${lines.join('\n')}\n\n`),
    }
    const { page, expectFailedLoads } = owner
    await owner.open('/console/acme/app/import')
    const check = async (buffer: Buffer) => {
      await page.getByLabel('File').setInputFiles({ ...file, buffer })
      await button(page, 'Check without storing').click()
    }
    await check(Buffer.from('email,name\nada@example.com,Ada\n'))
    await page.getByRole('alert').getByText('CSV is not supported.').waitFor()
    await check(Buffer.from('\n'))
    await page.getByRole('alert').getByText('The file has no lines.').waitFor()
    await check(file.buffer)
    await status(page, 'Done. An import would create 1,298 users. 0 exist, 2 lines are wrong.')
    await page.getByText(/^Line 1,201: .*JSON/).waitFor()
    const ownerless = async () => {
      await page.getByText('1 tenant without an owner').waitFor()
      await page.getByText(`Tenant of 0 ${none}`).waitFor()
    }
    await ownerless()
    await button(page, 'Import').click()
    await owner.confirm()
    await status(page, 'Done. 1,298 created, 0 existed, 2 rejected.')
    await ownerless()
    expect(await errorsOf(page)).toEqual([])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the rejected lines' }).click(),
    ])
    expect(readFileSync(await download.path(), 'utf8')).toBe(`${lines[700]}\n${lines[1_200]}\n`)
    // The same file again. The confirmation still counts.
    await button(page, 'Import').click()
    await status(page, 'Done. 0 created, 1,298 existed, 2 rejected.')
    await expectFailedLoads('401 imports')
    // Once it has expired, there is another one for the import, which goes on.
    const expired = JSON.stringify({ code: 'step_up_required', title: 'Second factor is required' })
    await page.route('**/users/import', (route) => route.fulfill({ status: 401, body: expired }), {
      times: 1,
    })
    await button(page, 'Import').click()
    await dialogOf(page, 'Confirm that it is you').getByText('began an import').waitFor()
    await owner.confirm()
    await status(page, 'Done. 0 created, 1,298 existed, 2 rejected.')
    await expectFailedLoads('401 import', '401 imports')
    // They were not counted yet.
    await owner.open('/console/acme')
    await page.getByRole('row', { name: /^app more than 100 / }).waitFor()
    await owner.open('/console/acme/app')
    // The import above, and those of other tests.
    await page.getByText(/^1,[23]\d\d users$/).waitFor()
  })

  it('jumps with the keyboard, and creates and deletes a database', async ({ owner }) => {
    const { page, expectFailedLoads } = owner
    await owner.open('/console/acme/app')
    await headingOf(page, 'acme/app').waitFor()
    await page.keyboard.press('Control+k')
    const jump = dialogOf(page, 'Jump to a screen or a database')
    await jump.waitFor()
    await status(page, '12 shown.')
    // An unknown workspace is not looked into, which would be a failed load.
    await page.keyboard.type('globe/sh')
    await page.getByText('Nothing found.').waitFor()
    await jump.getByRole('searchbox').fill('globex/sh')
    await jump.getByRole('link', { name: 'globex/shop' }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    await page.keyboard.press('Enter')
    await headingOf(page, 'globex/shop').waitFor()
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await page.getByText('Sign a first user up').waitFor()
    // A letter alone does nothing.
    await page.keyboard.press('k')
    expect(await jump.count()).toBe(0)

    await page.getByRole('link', { name: 'globex', exact: true }).click()
    await button(page, 'Create a database').click()
    await dialogOf(page, 'Create a database').getByLabel('Name').fill('old')
    await button(page, 'Create').click()
    await headingOf(page, 'globex/old').waitFor()
    expect(await page.title()).toBe('globex/old – Usher')
    await page.getByRole('link', { name: 'Users', exact: true }).click()
    await button(page, 'Add a user').click()
    const add = dialogOf(page, 'Add a user')
    expect(await add.getByLabel('Mail a code').isDisabled()).toBe(true)
    expect(await errorsOf(page)).toEqual([])
    await add.getByRole('link', { name: 'settings' }).click()
    await headingOf(page, 'Settings').waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await button(page, 'Delete the database').click()
    const deletion = dialogOf(page, 'Delete the database')
    await deletion.getByLabel('Type it to confirm').fill('globex/old')
    await deletion.getByRole('button', { name: 'Delete the database' }).click()
    await owner.confirm()
    await headingOf(page, 'Databases of globex').waitFor()
    expect(await page.getByRole('link', { name: 'old' }).count()).toBe(0)
    await expectFailedLoads('401 old')

    await owner.open('/console/acme/app')
    await page.getByRole('img', { name: /^Logins: [\d,]+ in 30 days/ }).waitFor()
    expect(await errorsOf(page, true)).toEqual([])
    const chart = page.getByRole('slider', { name: 'Logins by day', exact: true })
    const figure = page.getByRole('figure').filter({ hasText: 'Logins' }).first()
    const value = () => chart.getAttribute('aria-valuetext')
    await chart.focus()
    expect(await value()).toMatch(/^\d+ \w+: [\d,]+ so far today$/)
    await page.keyboard.press('ArrowLeft')
    const yesterday = await value()
    expect(yesterday).toMatch(/^\d+ \w+: [\d,]+$/)
    await figure.getByText(String(yesterday), { exact: true }).waitFor({ state: 'attached' })
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowLeft')
    expect(await chart.getAttribute('aria-valuenow')).toBe('0')
    expect(await errorsOf(page)).toEqual([])
    await button(page, '90 days').click()
    await page.getByText('The last 90 days as a table').click()
    const table = page.getByRole('table', { name: 'The last 90 days' })
    expect(await table.getByRole('row').count()).toBe(91)
    expect(await narrowErrorsOf(page)).toEqual([])
  })

  it('has its navigation at the side, and on a phone in a sheet that the keyboard opens and closes', async ({
    owner,
  }) => {
    const { page } = owner
    await owner.open('/console/acme/app/users')
    await headingOf(page, 'Users').waitFor()
    const current = page.getByRole('navigation', { name: 'Database' }).locator('[aria-current=page]')
    expect(await current.textContent()).toBe('Users')
    expect(await button(page, 'Menu').isVisible()).toBe(false)
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await current.isVisible()).toBe(false)
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await button(page, 'Menu').focus()
    await page.keyboard.press('Enter')
    const sheet = dialogOf(page, 'Menu')
    await sheet.getByRole('link', { name: 'Users' }).waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    expect(await overflowOf(page)).toBe(0)
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    expect(await focused()).toBe('Menu')
    await page.keyboard.press('Enter')
    await sheet.getByRole('link', { name: 'Keys' }).click()
    await headingOf(page, 'Keys').waitFor()
    expect([await sheet.count(), await focused()]).toEqual([0, 'Keys'])
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('lets support help a user, and explains what it may not do', async ({ server, open }) => {
    const user = { email: 'helped@example.com', password: 'four random common words' }
    const id = await addUser(server, user)
    const { page, expectFailedLoads } = await open([server.url])
    await server.logIn(page, { email: 'support@example.com', workspace: 'acme', role: 'support' })
    await server.lockUser(user.email)
    const show = (path: string) => page.goto(server.url + path)
    const buttons = async () => {
      await loaded(page)
      return page.getByRole('main').getByRole('button').allTextContents()
    }
    await show(`${users}/${id}`)
    await headingOf(page, user.email).waitFor()
    const mayDo = ['Log out everywhere', 'Mail a reset link', 'Mail a verification link']
    expect(await buttons()).toEqual([...mayDo, 'Unlock'])
    await button(page, 'Mail a reset link').click()
    await status(page, 'A reset link is on its way')
    await button(page, 'Log out everywhere').click()
    await status(page, 'The user is logged out everywhere.')
    await button(page, 'Unlock').click()
    await status(page, 'The user can log in immediately.')
    await button(page, 'Unlock').waitFor({ state: 'detached' })
    expect(await buttons()).toEqual(mayDo)
    expect(await errorsOf(page)).toEqual([])
    await show('/console/acme/app/connections/google')
    await headingOf(page, 'google').waitFor()
    expect(await buttons()).toEqual(['Check', 'Copy'])
    await show('/console/acme/app/import')
    await page.getByText('Your role in this workspace does not allow imports.').waitFor()
    expect(await buttons()).toEqual([])
    await show('/console/actions')
    await page.getByRole('alert').getByText('Ask an owner for a higher role.').waitFor()
    expect(await errorsOf(page)).toEqual([])
    await expectFailedLoads('403 actions')
  })

  it('shows an admin of one workspace nothing of others', async ({ server, open }) => {
    const { page, expectFailedLoads } = await open([server.url])
    await server.logIn(page, { email: 'admin@example.com', workspace: 'acme', role: 'admin' })
    await page.goto(`${server.url}/console`)
    await page.getByRole('rowheader', { name: 'acme' }).waitFor()
    expect(await page.getByRole('rowheader').allTextContents()).toHaveLength(1)
    expect(await button(page, 'Create a workspace').count()).toBe(0)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('globex')
    await page.getByText('Nothing found.').waitFor()
    await page.keyboard.press('Escape')
    for (const path of ['/globex/shop/connections/google', '/nothing/app']) {
      await page.goto(`${server.url}/console${path}`)
      await headingOf(page, 'Page not found').waitFor()
      expect(await page.getByRole('navigation', { name: 'Database' }).count()).toBe(0)
    }
    expect(await errorsOf(page)).toEqual([])
    await page.getByRole('main').getByRole('link', { name: 'Workspaces' }).click()
    await page.getByRole('link', { name: 'acme', exact: true }).click()
    await page.getByRole('link', { name: 'app', exact: true }).click()
    await page.getByRole('link', { name: 'Connections' }).click()
    await button(page, 'Add a connection').waitFor()
    await expectFailedLoads('404 google', '404 statistics')
  })

  it('logs a command line in, after the login of the operator, and can cancel', async ({
    owner,
    server,
    commandLine,
  }) => {
    const { page } = owner
    await owner.open('/console')
    await page.getByRole('button', { name: email }).click()
    await button(page, 'Log out').click()
    await page.getByRole('form', { name: 'Log in' }).waitFor()
    const heading = headingOf(page, 'Log in a command line')

    const elsewhere = commandLine('--no-browser')
    await page.goto('about:blank')
    await page.goto(await elsewhere.address)
    await owner.logIn()
    await owner.expectFailedLoads('401 login')
    await heading.waitFor()
    await page.waitForURL(`${server.url}/console/authorize`)
    await page.getByText('owner of the installation').waitFor()
    expect(await errorsOf(page, true)).toEqual([])
    await button(page, 'Allow').click()
    await owner.confirm()
    await page.getByText('Return to the terminal.').waitFor()
    await owner.expectFailedLoads('401 codes')
    expect(await errorsOf(page)).toEqual([])
    await elsewhere.type(String(await page.locator('.secret').textContent()))
    expect(await elsewhere.ended).toMatchObject({ code: 0 })

    const here = commandLine()
    // Only what follows # differs from the page that is open.
    await page.goto(await here.address)
    await button(page, 'Allow').click()
    await owner.confirm()
    await headingOf(page, 'Return to the terminal').waitFor()
    await owner.expectFailedLoads('401 codes')
    expect(await here.ended).toMatchObject({ code: 0, stdout: `Logged in to ${server.url} as ${email}.\n` })

    const cancelled = commandLine()
    await page.goto(await cancelled.address)
    await button(page, 'Cancel').click()
    await headingOf(page, 'Cancelled').waitFor()
    expect(await cancelled.ended).toMatchObject({ code: 1 })
    // The browser has returned to the command line, and has asked nobody else.
    const returned = owner.errors.splice(0)
    expect(returned).toHaveLength(2)
    for (const each of returned) expect(each).toMatch(/^request to http:\/\/127\.0\.0\.1:\d+\/\?/)

    await owner.open('/console/authorize#purpose=login&port=80')
    await page.getByText('The link is incomplete.').waitFor()
  })

  it('adds a viewer, who enrols a second factor and is offered no changes', async ({
    owner,
    server,
    open,
  }) => {
    const { page, expectFailedLoads } = owner
    await owner.open('/console')
    await addAuthenticator(page)
    await page.getByRole('button', { name: email }).click()
    await page.getByRole('link', { name: 'My account' }).click()
    await page.getByRole('form', { name: 'Profile' }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    await button(page, 'Add Passkeys').click()
    const proof = dialogOf(page, 'Confirm that it is you')
    await proof.getByLabel('Password', { exact: true }).fill(operatorPassword)
    await proof.getByRole('button', { name: 'Continue' }).click()
    await owner.prove(proof)
    await page
      .getByRole('form', { name: 'How you log in' })
      .getByRole('listitem')
      .filter({ hasText: 'Added on' })
      .waitFor()
    await expectFailedLoads('401 passkey')

    await button(page, email).click()
    await page.getByRole('link', { name: 'Operators' }).click()
    await button(page, 'Add an operator').click()
    const add = dialogOf(page, 'Add an operator')
    await add.getByLabel('Address').fill('new@example.com')
    await add.getByLabel('Workspace').fill('acme')
    await add.getByLabel('Role').selectOption('support')
    await add.getByRole('button', { name: 'Save' }).click()
    await button(page, 'Use a passkey').click()
    const secret = dialogOf(page, 'Link for the new operator')
    await secret.getByText('The link is valid for an hour.').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    const link = String(await secret.locator('code').textContent())
    await secret.getByRole('button', { name: 'I have stored it' }).click()
    await button(page, 'Change the rights of new@example.com').click()
    const change = dialogOf(page, 'Change a right')
    const selected = (label: string) =>
      change.getByLabel(label).evaluate((select) => (select as HTMLSelectElement).selectedOptions[0]?.text)
    expect([await selected('Right'), await selected('Role')]).toEqual(['support of acme', 'support'])
    await change.getByLabel('Role').selectOption('viewer')
    await change.getByRole('button', { name: 'Save' }).click()
    await button(page, 'Use a passkey').click()
    await page.getByRole('cell', { name: 'viewer of acme' }).waitFor()
    await button(page, 'Change the rights of new@example.com').click()
    await change.getByLabel('Right').selectOption('a new right in a workspace')
    expect(await selected('Role')).toBe('Choose a role')
    await change.getByLabel('Workspace').fill('glob')
    await page.locator('datalist option[value=globex]').waitFor({ state: 'attached' })
    expect(await errorsOf(page)).toEqual([])
    await change.getByRole('button', { name: 'Cancel' }).click()
    expect(await errorsOf(page)).toEqual([])
    await owner.open('/console/actions')
    await page
      .getByRole('row', {
        name: new RegExp(`${email} added the operator email, workspace, role – [\\da-f-]{36} done`),
      })
      .first()
      .waitFor()
    expect(await errorsOf(page)).toEqual([])
    expect(await page.evaluate(() => document.querySelector('td bdi')?.getClientRects().length)).toBe(1)
    owner.expectOnly(/^401 (operators|[\da-f-]{36})$/)

    const id = await addUser(server, { email: 'viewed@example.com', privateMetadata: { secret: 'hidden' } })
    const { page: viewer, expectFailedLoads: expectOfViewer } = await open([server.url])
    await viewer.goto(link)
    await viewer.getByText('If you have no second factor').waitFor()
    await viewer.getByLabel('New password', { exact: true }).fill(operatorPassword)
    await viewer.getByRole('button', { name: /save/i }).click()
    // The password does not prove enough for the console.
    await viewer.getByText('Your password is set. Log in to add your second factor.').waitFor()
    await fillLogin(viewer, 'new@example.com')
    await enrol(viewer, server)
    await expectOfViewer('401 me', '401 login')
    await viewer.getByRole('rowheader', { name: 'acme' }).waitFor()
    expect(await viewer.getByRole('rowheader', { name: 'globex' }).count()).toBe(0)
    const changes =
      /create|add\b|change|delete|disable|rotate|revoke|replace|retry|drop|check|retire|remove|mail a|log out e|review/i
    const showsNoChange = async (name: string) => {
      await headingOf(viewer, name).waitFor()
      await loaded(viewer)
      const buttons = viewer.getByRole('main').getByRole('button', { name: changes })
      expect([name, await buttons.allTextContents()]).toEqual([name, []])
    }
    const follow = (name: string) => viewer.getByRole('link', { name, exact: true }).click()
    await follow('acme')
    await showsNoChange('Databases of acme')
    await follow('app')
    await showsNoChange('acme/app')
    for (const section of [
      'Tenants',
      'Connections',
      'Keys',
      'Settings',
      'Deliveries',
      'Recorded actions',
      'Users',
    ]) {
      await follow(section)
      await showsNoChange(section)
    }
    await viewer.goto(`${server.url}${users}/${id}`)
    await showsNoChange('viewed@example.com')
    expect(await viewer.content()).not.toContain('hidden')
    expect(await viewer.getByRole('link', { name: 'Import' }).count()).toBe(0)
    await viewer.goto(`${server.url}/console/actions`)
    await viewer.getByRole('alert').getByText('Ask an owner for a higher role.').waitFor()
    await viewer.goto(`${server.url}/console/operators`)
    await viewer.getByRole('alert').getByText('Ask an owner for a higher role.').waitFor()
    expect(await viewer.getByRole('main').getByRole('button', { name: changes }).allTextContents()).toEqual(
      [],
    )
    await viewer.goto(`${server.url}/console/globex`)
    await headingOf(viewer, 'Page not found').waitFor()
    await expectOfViewer('403 actions', '403 operators', '404 databases')
  })
})

describe('files of the console', () => {
  const folder = fileURLToPath(new URL('../../server/dist/console', import.meta.url))
  const sizeOf = (name: string) => gzipSync(readFileSync(join(folder, 'assets', name)), { level: 9 }).length
  const files = readdirSync(join(folder, 'assets'))

  it('keep their budget, and name the licences of bundled code', () => {
    const isFirst = (name: string) =>
      /^(index|login|ui|jsxRuntime|text|failure|dist|installation|table|find|setup|missing|secret|copy|versions|edit)-/.test(
        name,
      )
    const total = (names: string[]) => names.map(sizeOf).reduce((sum, size) => sum + size, 0)
    expect(total(files.filter((name) => name.endsWith('.js') && isFirst(name)))).toBeLessThan(55_000)
    expect(total(files.filter((name) => name.endsWith('.css')))).toBeLessThan(8_000)
    for (const name of files.filter((each) => each.endsWith('.js') && !isFirst(each)))
      expect([name, sizeOf(name) < 12_000]).toEqual([name, true])
    expect(readFileSync(join(folder, 'licences.md'), 'utf8')).toMatch(
      /## preact.*\(MIT\)[\s\S]*## uqr.*\(MIT\)/,
    )
  })

  it('have no inline script or style', () => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8')
    expect(page).not.toMatch(/<style|<script(?![^>]* src=)| style=| on\w+=/)
  })
})
