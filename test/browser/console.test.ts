import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { accessibilityErrorsOf } from './accessibility.js'
import { it as browserTest, hasBrowser } from './browser.js'
import { type ConsoleServer, startConsole } from './console/server.js'

const it = browserTest
  .extend('server', { scope: 'file' }, async ({ executable: _ }, { onCleanup }) => {
    const server = await startConsole()
    onCleanup(server.stop)
    return server
  })
  .extend('visit', ({ open, server }) => async (path: string) => {
    const visit = await open([server.url])
    await visit.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await visit.page.goto(server.url + path)
    return visit
  })
  /** Opens a path as a new operator. */
  .extend('as', ({ visit, server }) => async (role: Role, path: string, workspace: string | null = null) => {
    const operator = await server.addOperator(role, { workspace })
    const visited = await visit(path)
    await logIn(visited.page, server, operator.email)
    await visited.expectFailedLoads('401 login')
    return { ...visited, operator }
  })

type Role = 'member' | 'support' | 'admin' | 'owner'

async function logIn(page: Page, server: ConsoleServer, email: string) {
  const form = page.getByRole('form', { name: 'Log in' })
  await form.getByLabel('Email').fill(email)
  await form.getByLabel('Password', { exact: true }).fill(server.password)
  await form.getByRole('button', { name: 'Log in', exact: true }).click()
  await proveSecondFactor(page, server)
}

async function proveSecondFactor(page: Page, server: ConsoleServer) {
  const form = page.getByRole('form', { name: 'Second step' })
  await form.getByLabel('Code').fill(server.nextCode())
  await form.getByRole('button', { name: 'Verify' }).click()
  await page.getByRole('banner').waitFor()
}

const headingOf = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
const status = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()

/** Confirms an operation with a code of the authenticator app. */
async function confirm(page: Page, server: ConsoleServer) {
  const dialog = dialogOf(page, 'Confirm that it is you')
  await dialog.getByLabel('Code').fill(server.nextCode())
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Adds a phone whose owner touches it whenever it is asked. */
async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const phone = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
  const owner = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
  await session.send('WebAuthn.addVirtualAuthenticator', { options: { ...phone, ...owner } })
}

/** Returns what is wrong with a page on a desk and on a phone. A phone must not scroll sideways. */
async function errorsOf(page: Page) {
  const errors = await accessibilityErrorsOf(page)
  await page.setViewportSize({ width: 390, height: 800 })
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  if (width > 390) errors.push(`${width} pixels wide`)
  const columns = await page
    .locator('thead tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].filter((cell) => (cell as HTMLElement).offsetWidth > 0).length),
    )
  if (!(await page.locator('.versions, .numbers').count()) && columns.some((count) => count > 2))
    errors.push(`${columns} columns`)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
  return errors
}

const users = '/console/acme/app/users'
const importUsers = (server: ConsoleServer, lines: readonly object[]) =>
  server.manage('POST', '/users/import', lines.map((line) => JSON.stringify(line)).join('\n'))
/** Adds a user of `acme/app`. Returns the ID. */
const addUser = async (server: ConsoleServer, body: object) =>
  String((await server.manage('POST', '/users', body)).id)

describe.skipIf(!hasBrowser)('console', () => {
  it('creates the first operator with the link of the server', async ({ visit, server }) => {
    const { page, expectFailedLoads } = await visit('/console')
    await page.getByText('There is no operator yet.').waitFor()
    await page.goto(`${server.setupLink}x`)
    await headingOf(page, 'Create the first operator').waitFor()
    expect(await errorsOf(page)).toEqual([])
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password').fill(server.password)
    await button(page, 'Create the operator').click()
    await page.getByRole('alert').getByText('Code is invalid').waitFor()
    await expectFailedLoads('400 first-operator')

    // Another hash alone would not load the page.
    await page.goto('about:blank')
    await page.goto(server.setupLink)
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password').fill(server.password)
    expect(page.url()).not.toContain('code')
    await button(page, 'Create the operator').click()

    const form = page.getByRole('form', { name: 'Log in' })
    await form.getByLabel('Email').fill('ada@example.com')
    await form.getByLabel('Password', { exact: true }).fill(server.password)
    await form.getByRole('button', { name: 'Log in', exact: true }).click()
    await button(page, 'Add an authenticator app').click()
    const secret = await page.locator('[data-part=secret]').textContent()
    await page.getByLabel('Code from your app').fill(server.nextCode(String(secret).replace(/\s/g, '')))
    await button(page, 'Verify').click()
    await page.getByRole('listitem').nth(7).waitFor()
    expect(await page.getByRole('banner').count()).toBe(0)
    await page.getByRole('button', { name: /stored/ }).click()
    await headingOf(page, 'Workspaces').waitFor()
    await expectFailedLoads('401 login')
  })

  it('returns to a deep link after the login, and keeps tokens out of the storage', async ({
    as,
    server,
    visit,
  }) => {
    const id = await addUser(server, { email: 'deep@example.com' })
    const { page, operator, expectFailedLoads } = await as('owner', `${users}/${id}`)
    await headingOf(page, 'deep@example.com').waitFor()
    expect(new URL(page.url()).pathname).toBe(`${users}/${id}`)
    expect(await page.title()).toBe('User of app – Usher')
    await page.reload()
    await headingOf(page, 'deep@example.com').waitFor()
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    )
    expect(stored).toMatch(/^\[\{"[^"]+":"cookie-[\da-f-]{36} ?"\},\{\},""\]$/)

    const other = await page.context().newPage()
    await other.goto(`${server.url}/console/acme`)
    await headingOf(other, 'Databases of acme').waitFor()
    await page.getByRole('button', { name: operator.email }).click()
    await button(page, 'Log out').click()
    await page.getByRole('form', { name: 'Log in' }).waitFor()
    await other.getByRole('form', { name: 'Log in' }).waitFor()
    await page.goto(`${server.url}/console/acme`)
    await page.getByRole('form', { name: 'Log in' }).waitFor()
    await logIn(page, server, operator.email)
    await headingOf(page, 'Databases of acme').waitFor()
    await page.reload()
    await headingOf(page, 'Databases of acme').waitFor()
    await expectFailedLoads('401 login')
    const { page: lost } = await visit('/console/acme/app/users/1/2')
    await lost.getByRole('form', { name: 'Log in' }).waitFor()
  })

  it('finds users by the start of the address, ID and external ID', async ({ as, server }) => {
    const lines = Array.from({ length: 60 }, (_, index) => ({
      email: `finder-${String(index).padStart(2, '0')}@example.com`,
      externalId: `customer-${index}`,
    }))
    await importUsers(server, lines)
    const { page } = await as('support', '/console/acme/app')
    await page.getByRole('link', { name: 'Users' }).click()
    await headingOf(page, 'Users').waitFor()
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    const find = async (way: string, text: string) => {
      await page.getByLabel(way, { exact: true }).check()
      await page.getByLabel('Text').fill(text)
      await button(page, 'Find').click()
    }
    const link = (email: string) => page.getByRole('link', { name: email })
    await find('start of address', 'FINDER-')
    await link('finder-49@example.com').waitFor()
    expect(await errorsOf(page)).toEqual([])
    await button(page, 'Next').click()
    await link('finder-59@example.com').waitFor()
    expect(await link('finder-49@example.com').count()).toBe(0)
    expect(await button(page, 'Next').isDisabled()).toBe(true)
    await button(page, 'Previous').click()
    await link('finder-00@example.com').waitFor()
    await find('external ID', 'customer-7')
    await link('finder-07@example.com').click()
    await headingOf(page, 'finder-07@example.com').waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1)
    expect(page.url()).not.toContain('@')
    await page.goBack()
    // The search stays, although it is not in the address.
    await link('finder-07@example.com').waitFor()
    expect(await page.getByLabel('Text').inputValue()).toBe('customer-7')
    await find('ID', String(id))
    await link('finder-07@example.com').waitFor()
    await find('start of address', 'nobody')
    await page.getByText('No user has this start of address.').waitFor()
    expect(await page.evaluate(() => location.href + JSON.stringify(history.state))).not.toContain('nobody')
  })

  it('disables, logs out, changes and deletes a user', async ({ as, server }) => {
    const id = await addUser(server, { email: 'grace@example.com', preferredName: 'Grace' })
    const { page, expectFailedLoads } = await as('admin', `${users}/${id}`, 'acme')
    await headingOf(page, 'grace@example.com').waitFor()
    await button(page, 'Disable').click()
    await status(page, 'The user is disabled.')
    await button(page, 'Enable').click()
    await status(page, 'The user is enabled.')
    await button(page, 'Log out everywhere').click()
    await status(page, 'The user is logged out everywhere.')
    await button(page, 'Mail a reset link').click()
    await status(page, 'A reset link is on its way')
    await button(page, 'Mark as verified').click()
    await status(page, 'The address counts as verified.')
    expect(await errorsOf(page)).toEqual([])

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

    await button(page, 'Delete the user').click()
    const deletion = dialogOf(page, 'Delete the user')
    await deletion.getByText('0 memberships').waitFor()
    await deletion.getByLabel('Type it to confirm').fill('grace@example.org')
    await deletion.getByRole('button', { name: 'Delete the user' }).click()
    await deletion.getByText('That is not the same.').waitFor()
    await deletion.getByLabel('Type it to confirm').fill('grace@example.com')
    await deletion.getByRole('button', { name: 'Delete the user' }).click()
    const stepUp = dialogOf(page, 'Confirm that it is you')
    await stepUp.getByLabel('Code').fill('000000')
    await stepUp.getByRole('button', { name: 'Confirm' }).click()
    await stepUp.getByText('Second factor is wrong', { exact: true }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    await confirm(page, server)
    await headingOf(page, 'Users').waitFor()
    await status(page, 'The user is deleted.')
    await expectFailedLoads(`401 ${id}`, '401 step-up')
  })

  it('shows hostile names as text', async ({ as, server }) => {
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
    const { page } = await as('owner', `${users}/${ids[0]}`)
    const dialogs: string[] = []
    page.on('dialog', (dialog) => dialogs.push(dialog.message()))
    await page.getByRole('link', { name: html }).waitFor()
    expect(await errorsOf(page)).toEqual([])
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

  it('shows a new API key once', async ({ as, server }) => {
    const { page, expectFailedLoads } = await as('admin', '/console/acme/app/keys', 'acme')
    await button(page, 'Create an API key').click()
    const create = dialogOf(page, 'Create an API key')
    await create.getByLabel('Name').fill('reports')
    await create.getByLabel('users:read').check()
    await create.getByRole('button', { name: 'Create' }).click()
    await confirm(page, server)
    const secret = dialogOf(page, 'The new API key')
    const key = await secret.locator('code').textContent()
    expect(key).toMatch(/^usher_/)
    await secret.getByRole('button', { name: 'Copy' }).click()
    await secret.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
    expect(await errorsOf(page)).toEqual([])
    await secret.getByRole('button', { name: 'I have stored it' }).click()
    await secret.waitFor({ state: 'detached' })
    await page.getByRole('rowheader', { name: 'reports' }).waitFor()
    expect(await page.content()).not.toContain(key)
    expect(await errorsOf(page)).toEqual([])
    await button(page, 'Rotate').click()
    await status(page, 'The next key is published.')
    // Only owners retire keys.
    expect(await page.getByRole('button', { name: /^Retire/ }).count()).toBe(0)
    await button(page, 'Revoke reports').click()
    await dialogOf(page, 'Revoke').getByRole('button', { name: 'Revoke' }).click()
    await dialogOf(page, 'Confirm that it is you').getByRole('button', { name: 'Cancel' }).click()
    await dialogOf(page, 'Revoke').getByText('Not confirmed').waitFor()
    await expectFailedLoads('401 api-keys', expect.stringMatching(/^401 /))
  })

  it('shows the difference of settings, and both versions after a conflict', async ({ as, server }) => {
    const { page, expectFailedLoads } = await as('admin', '/console/acme/app/settings', 'acme')
    await page.getByLabel('session idle time').fill('30')
    await page.getByLabel('app', { exact: false }).last().fill('https://new.acme.example')
    await button(page, 'Review 2 changes').click()
    const review = dialogOf(page, 'Review the changes')
    await review.getByRole('row', { name: 'session idle time 14 30' }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    server.changeSetting('sessionIdle', 7)
    await review.getByRole('button', { name: 'Save' }).click()
    await review.getByRole('row', { name: 'session idle time 30 7' }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    await review.getByRole('button', { name: 'Save my version' }).click()
    await confirm(page, server)
    await status(page, 'The settings are saved.')
    expect(['sessionIdle', 'appUrl'].map(server.settingOf)).toEqual([30, 'https://new.acme.example'])
    await expectFailedLoads('412 settings', '401 settings')
    expect(await errorsOf(page)).toEqual([])
  })

  it('retries and drops deliveries, and checks connections', async ({ as }) => {
    const { page, expectFailedLoads } = await as('admin', '/console/acme/app/deliveries')
    await page.getByRole('cell', { name: 'hooks.acme.example responded with 503' }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    await page.getByLabel('Only those that wait').check()
    await button(page, 'Retry all that wait').click()
    await status(page, '1 message delivered again')
    await page.getByText('Every mail and event was delivered.').waitFor()
    await page.getByLabel('Only those that wait').uncheck()
    await page.getByRole('button', { name: /^Drop the mail/ }).click()
    await dialogOf(page, 'Drop').getByRole('button', { name: 'Drop' }).click()
    await status(page, 'Deleted.')
    await page.getByRole('link', { name: 'Connections' }).click()
    await button(page, 'Check google').click()
    await status(page, 'google knows the client.')
    await button(page, 'Check acme-entra').click()
    const alert = page.getByRole('alert')
    await alert.getByText('The provider does not know the client ID.').waitFor()
    await alert.getByText(/^Request ID [\da-f-]{36}$/).waitFor()
    await expectFailedLoads('409 check')
    expect(await errorsOf(page)).toEqual([])
  })

  it('imports a file, and returns the rejected lines', async ({ as, server }) => {
    const lines = Array.from({ length: 1_300 }, (_, index) => `{"email":"import-${index}@example.com"}`)
    lines[700] = '{"email":"not an address"}'
    lines[1_200] = '{"email":'
    const file = {
      name: 'users.ndjson',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(`${lines.join('\n')}\n\n`),
    }
    const { page, expectFailedLoads } = await as('admin', '/console/acme/app/import', 'acme')
    await page.getByLabel('File').setInputFiles(file)
    await button(page, 'Check the file only').click()
    await status(page, 'Done. 1,299 lines can be sent, 1 rejected.')
    await page.getByText('Line 1,201: is not valid JSON').waitFor()
    await button(page, 'Import').click()
    await confirm(page, server)
    await status(page, 'Done. 1,298 created, 0 existed, 2 rejected.')
    expect(await errorsOf(page)).toEqual([])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the rejected lines' }).click(),
    ])
    expect(readFileSync(await download.path(), 'utf8')).toBe(`${lines[700]}\n${lines[1_200]}\n`)
    // The same file again. The confirmation still counts.
    await button(page, 'Import').click()
    await status(page, 'Done. 0 created, 1,298 existed, 2 rejected.')
    await expectFailedLoads('401 import')
  })

  it('offers no changes to a viewer', async ({ as, server }) => {
    const id = await addUser(server, { email: 'viewed@example.com', privateMetadata: { secret: 'hidden' } })
    const { page, expectFailedLoads } = await as('member', '/console', 'acme')
    await page.getByRole('rowheader', { name: 'acme' }).waitFor()
    expect(await page.getByRole('rowheader', { name: 'globex' }).count()).toBe(0)
    const changes =
      /create|add|change|delete|disable|rotate|revoke|replace|retry|drop|check|mail a|log out e|review/i
    for (const path of [
      'acme',
      'acme/app',
      ...['users', `users/${id}`, 'tenants', 'connections', 'keys', 'settings', 'deliveries'].map(
        (part) => `acme/app/${part}`,
      ),
    ]) {
      await page.goto(`${server.url}/console/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByText('Loading…').first().waitFor({ state: 'detached' })
      expect([
        path,
        await page.getByRole('main').getByRole('button', { name: changes }).allTextContents(),
      ]).toEqual([path, []])
      expect(await page.content()).not.toContain('hidden')
    }
    expect(await page.getByRole('link', { name: 'Import' }).count()).toBe(0)
    await page.goto(`${server.url}/console/actions`)
    await page.getByRole('alert').getByText('Ask an owner for a higher role.').waitFor()
    await page.goto(`${server.url}/console/operators`)
    await page.getByRole('alert').getByText('Role is not sufficient').waitFor()
    expect(await page.getByRole('main').getByRole('button', { name: changes }).allTextContents()).toEqual([])
    await page.goto(`${server.url}/console/globex`)
    await page.getByRole('alert').getByText('Role is not sufficient').waitFor()
    await expectFailedLoads('403 operators', '403 actions', '403 operators', '403 databases')
  })

  it('jumps with the keyboard, and creates and deletes a database', async ({ as, server }) => {
    const { page, expectFailedLoads } = await as('owner', '/console')
    await headingOf(page, 'Workspaces').waitFor()
    expect(await errorsOf(page)).toEqual([])
    await page.keyboard.press('Control+k')
    const jump = dialogOf(page, 'Jump to a screen or a database')
    await page.keyboard.type('globex/sh')
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
    await button(page, 'Delete the database').click()
    const deletion = dialogOf(page, 'Delete the database')
    await deletion.getByLabel('Type it to confirm').fill('old')
    await deletion.getByRole('button', { name: 'Delete the database' }).click()
    await confirm(page, server)
    await headingOf(page, 'Databases of globex').waitFor()
    expect(await page.getByRole('link', { name: 'old' }).count()).toBe(0)
    await expectFailedLoads('401 old')

    await page.goto(`${server.url}/console/acme/app`)
    await page.getByRole('img', { name: /^Logins: [\d,]+ in 30 days/ }).waitFor()
    await button(page, '90 days').click()
    await page.getByText('The last 90 days as a table').click()
    const table = page.getByRole('table', { name: 'The last 90 days' })
    expect(await table.getByRole('row').count()).toBe(91)
    expect(await errorsOf(page)).toEqual([])
  })

  it('adds an operator, who chooses a password, and records it', async ({ as, server, visit }) => {
    const { page, operator, expectFailedLoads } = await as('owner', '/console')
    await addAuthenticator(page)
    await page.getByRole('button', { name: operator.email }).click()
    await page.getByRole('link', { name: 'My account' }).click()
    await page.getByRole('form', { name: 'Profile' }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    const factors = page.getByRole('form', { name: 'Second factor and passkeys' })
    await factors.getByRole('textbox', { name: 'Current password' }).fill(server.password)
    await button(page, 'Add a passkey').click()
    const step = page.getByRole('form', { name: 'Second step' })
    await step.getByLabel('Code').fill(server.nextCode())
    await step.getByRole('button', { name: 'Verify' }).click()
    await page.getByRole('button', { name: 'I have stored them' }).click()
    await factors.getByRole('listitem').nth(1).waitFor()
    await expectFailedLoads('401 passkey')

    await page.getByRole('button', { name: operator.email }).click()
    await page.getByRole('link', { name: 'Operators' }).click()
    await button(page, 'Add an operator').click()
    const add = dialogOf(page, 'Add an operator')
    await add.getByLabel('Address').fill('new@example.com')
    await add.getByLabel('Workspace').fill('acme')
    await add.getByLabel('Role').selectOption('support')
    await add.getByRole('button', { name: 'Save' }).click()
    await button(page, 'Use a passkey').click()
    const secret = dialogOf(page, 'Link for the new operator')
    const link = new URL(String(await secret.locator('code').textContent()))
    await secret.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('cell', { name: 'support of acme' }).waitFor()
    expect(await errorsOf(page)).toEqual([])
    await page.goto(`${server.url}/console/actions`)
    await page.getByLabel('Operator').selectOption(operator.email)
    await page
      .getByRole('row', { name: new RegExp(`${operator.email}.*addOperator`) })
      .first()
      .waitFor()
    expect(await errorsOf(page)).toEqual([])
    await expectFailedLoads('401 operators')

    const { page: other, expectFailedLoads: expectOther } = await visit(`${link.pathname}${link.hash}`)
    await other.getByLabel('New password', { exact: true }).fill('another correct horse')
    await other.getByRole('button', { name: /save/i }).click()
    await button(other, 'Add an authenticator app').waitFor()
    await expectOther('401 confirm')
  })
})

describe('files of the console', () => {
  const folder = fileURLToPath(new URL('../../server/dist/console', import.meta.url))
  const sizeOf = (name: string) => gzipSync(readFileSync(join(folder, 'assets', name)), { level: 9 }).length
  const files = readdirSync(join(folder, 'assets'))

  it('keep their budget, and name the licences of bundled code', () => {
    const isFirst = (name: string) =>
      /^(index|login|ui|jsxRuntime|operations|failure|dist|installation|table|find|setup|missing|secret|versions|edit)-/.test(
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
