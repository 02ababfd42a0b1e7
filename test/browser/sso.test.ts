import { randomUUID } from 'node:crypto'
import { Scope } from '@usher/contract/management'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { startProvider } from '../../server/testing/provider.js'
import { validUser } from '../support/app.js'
import { createApiKey, setDatabase } from '../support/operator-changes.js'
import { freePort } from '../support/postgres-server.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { hasBrowser } from './browser.js'
import { servePage } from './elements.js'
import {
  confirm,
  expectTexts,
  fieldOf,
  fill,
  formOf,
  logIn,
  openTeam,
  press,
  send,
  sendAddress,
} from './forms.js'
import { it as journeyTest } from './journeys.js'

const people = [
  { name: 'Ada', email: 'ada@acme.example' },
  { name: 'Grace', email: 'grace@looms.example' },
]

const it = journeyTest
  .extend('provider', { scope: 'file' }, async ({ executable: _ }, { onCleanup }) => {
    const client = { clientId: 'usher', title: 'Acme', accepts: () => true }
    const provider = await startProvider(people, client)
    onCleanup(provider.close)
    return provider
  })
  .extend('givenPort', { scope: 'file' }, ({ executable: _ }) => freePort())
  .extend('settings', { scope: 'file' }, ({ folder, provider, givenPort }) => ({
    BASE_URL: `http://127.0.0.1:${givenPort}`,
    DATA_DIR: folder,
    PRIVATE_ISSUERS: provider.origin,
  }))
  // The provider returns to it.
  .extend('origin', { scope: 'file' }, ({ usher, givenPort }) =>
    usher.app.listen({ host: '127.0.0.1', port: givenPort }),
  )
  .extend('ready', { scope: 'file' }, async ({ usher, database, example }) => {
    const settings = { singleSignOn: true, tenantOperations: true, secondFactor: 'optional' } as const
    await setDatabase(usher.store, database, settings)
    usher.clock.cacheAhead += 6_000
    return example
  })
  /** Opens the example in a new browser, which may use the provider. */
  .extend('visit', ({ open, origin, ready, provider }) => async (path = '/') => {
    const visit = await open([origin, ready, provider.origin])
    await visit.page.goto(path.startsWith('/') ? ready + path : path)
    return visit
  })
  /** Creates a team with an owner. Returns what a backend does with its single sign-on. */
  .extend('newTeam', ({ usher, database, ready: _ }) => async (name: string) => {
    const owner = validUser()
    const { id, tenants } = await database.signedUp({ ...owner, newTenant: name })
    await database.markVerified(owner.email)
    const context = { store: usher.store, now: new Date(usher.clock.now) }
    const key = { name, scopes: Scope.options, expiresInSeconds: 86_400 }
    const { key: token } = await createApiKey(context, database, key)
    const byKey = async (method: 'POST' | 'PATCH', path: string, payload: object = {}) => {
      const url = database.users.replace(/users$/, `management/tenants/${tenants[0]}/sso${path}`)
      const response = await usher.send({
        method,
        url,
        payload,
        headers: { authorization: `Bearer ${token}` },
      })
      expect(response.statusCode).toBeLessThan(300)
      return response.json()
    }
    return { ...owner, id, byKey, tenantId: tenants[0] ?? '' }
  })

const providerOf = (page: Page) => formOf(page, 'Identity provider')
const domainsOf = (page: Page) => formOf(page, 'Mail domains')
const peopleOf = (page: Page) => formOf(page, 'People')
const settingsOf = (page: Page) => formOf(page, 'Settings')
const isAccessible = async (page: Page) =>
  expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])

/** Connects a provider in the dialog. Returns the dialog, and the callback URL that it shows before. */
async function connect(page: Page, issuer: string) {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await press(providerOf(page), 'Connect a provider')
  const dialog = formOf(page, 'Connect a provider')
  await fieldOf(dialog, 'Provider').selectOption('oidc')
  await press(dialog, 'Continue')
  const client = formOf(page, 'Another one with OpenID Connect')
  const shown = await client.getByText('Callback URL: ').textContent()
  const callbackUrl = /http\S+\/connections\/[\da-f-]{36}\/callback/.exec(shown ?? '')?.[0] ?? ''
  await press(client, 'Copy the callback URL')
  await client.getByText('Copied', { exact: true }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(callbackUrl)
  await fill(client, { Issuer: issuer, 'Client ID': 'usher', 'Client secret': 'secret' })
  await isAccessible(page)
  await press(client, 'Save and check')
  return { client, callbackUrl }
}

describe.skipIf(!hasBrowser)('single sign-on', () => {
  it('is set up by the link of a portal, which opens once, and then required', async ({
    newTeam,
    provider,
    usher,
    database,
    visit,
  }) => {
    const { id, byKey, tenantId } = await newTeam('Engines')
    await usher.store.prisma.user.updateMany({
      where: { databaseId: database.id, id },
      data: { needsSecondStep: true },
    })
    await byKey('PATCH', '', { exempt: [id] })
    const { url } = await byKey('POST', '/portal', { mayRequire: true })
    const { page, expectFailedLoads } = await visit(url)
    await providerOf(page).waitFor()
    expect(await page.evaluate('location.hash')).toBe('')
    await isAccessible(page)
    const { client: first, callbackUrl } = await connect(page, `${provider.origin}/other`)
    await first.getByRole('alert').filter({ hasText: 'The provider has not accepted this: ' }).waitFor()
    await press(first, 'Cancel')
    await first.waitFor({ state: 'detached' })
    // It may be registered already.
    const again = await connect(page, `${provider.origin}/other`)
    expect(again.callbackUrl).toBe(callbackUrl)
    const { client } = again
    const refused = client.getByRole('alert').filter({ hasText: 'The provider has not accepted this: ' })
    await refused.waitFor()
    await expectFailedLoads('409 connections', '409 connections')
    await send(client, { Issuer: provider.origin }, 'Save and check')
    await expectTexts(
      providerOf(page),
      provider.origin,
      `Callback URL: ${callbackUrl}`,
      'No login was tested yet.',
    )

    await press(domainsOf(page), 'Add a domain')
    await send(formOf(page, 'Add a domain'), { Domain: 'acme.example' }, 'Add')
    const record = await domainsOf(page).getByText('Add this TXT record').textContent()
    const [, name = '', value = ''] = /Name: (\S+)\. Text: (\S+)/.exec(record ?? '') ?? []
    await press(domainsOf(page), 'Check acme.example')
    await domainsOf(page).getByRole('alert').filter({ hasText: 'The record was not found.' }).waitFor()
    await expectFailedLoads('409 check')
    usher.dns.set(name, [value])
    await press(domainsOf(page), 'Check acme.example')
    await domainsOf(page).getByText('Proven.', { exact: true }).first().waitFor()

    const connectionId = callbackUrl.split('/').at(-2) ?? ''
    const known = { issuer: provider.origin, subject: 'owner', provesFrom: new Date(usher.clock.now) }
    const entry = { databaseId: database.id, tenantId, connectionId, userId: id, ...known }
    await usher.store.prisma.tenantEntry.create({ data: { ...entry, id: randomUUID() } })
    const opened = page.waitForEvent('popup')
    await press(providerOf(page), 'Test a login OpenID Connect')
    const popup = await opened
    const closed = popup.waitForEvent('close')
    await popup.getByRole('link', { name: 'Ada', exact: true }).click()
    await closed
    await expectTexts(providerOf(page), 'The login works.')
    await expectTexts(peopleOf(page), 'ada@acme.example', 'Ada')
    await press(settingsOf(page), 'Require single sign-on Required')
    await press(formOf(page, 'Require single sign-on'), 'Require single sign-on')
    await expectTexts(settingsOf(page), 'The team opens only after a login at the provider.')
    await isAccessible(page)

    await press(peopleOf(page), 'Disconnect owner')
    await press(formOf(page, 'Are you sure?'), 'Disconnect')
    await peopleOf(page).getByText('Removed.', { exact: true }).waitFor()
    expect(await peopleOf(page).getByRole('listitem').count()).toBe(1)

    await press(providerOf(page), 'Turn off OpenID Connect')
    await providerOf(page).getByRole('alert').filter({ hasText: 'Add another way first.' }).waitFor()
    await expectFailedLoads(`409 ${connectionId}`)
    await press(settingsOf(page), 'Allow other ways Required')
    await expectTexts(settingsOf(page), 'Other ways to log in open the team, too.')
    await press(providerOf(page), 'Turn off OpenID Connect')
    await expectTexts(providerOf(page), 'Switched off: nobody logs in with it.')
    await isAccessible(page)
    await press(providerOf(page), 'Turn on OpenID Connect')
    await providerOf(page).getByRole('button', { name: 'Test a login' }).waitFor()

    await page.reload()
    await expectTexts(settingsOf(page), 'Other ways to log in open the team, too.')
    const other = await visit(url)
    await formOf(other.page, 'This link is no longer valid').waitFor()
    await isAccessible(other.page)
    await other.expectFailedLoads('400 portal')
  })

  it('leads from the address to the provider, and opens the team only', async ({
    newTeam,
    provider,
    usher,
    visit,
  }) => {
    const { byKey } = await newTeam('Looms')
    const client = { issuer: provider.origin, clientId: 'usher', secret: 'secret', title: 'Looms login' }
    await byKey('POST', '/connections', client)
    const { record } = await byKey('POST', '/domains', { domain: 'looms.example' })
    usher.dns.set(record.name, [record.value])
    await byKey('POST', '/domains/looms.example/check')
    const { page } = await visit()
    await sendAddress(page, 'grace@looms.example')
    const routed = formOf(page, 'Log in')
    await routed.getByRole('button', { name: 'Continue with Looms login' }).waitFor()
    await isAccessible(page)
    await press(routed, 'Other ways')
    await fieldOf(routed, 'Password').waitFor()
    await press(routed, 'Use another account')
    await sendAddress(page, 'grace@looms.example')
    await press(routed, 'Continue with Looms login')
    const account = formOf(page, 'Grace')
    await expectTexts(
      account,
      'grace@looms.example',
      'Looms',
      'You are logged in to one team only. To change your account, log out, and log in to it another way.',
    )
    await isAccessible(page)
    expect(await page.getByRole('form').count()).toBe(1)
    await press(account, 'Log out')
    await sendAddress(page, 'grace@other.example')
    await fieldOf(formOf(page, 'Log in'), 'Password').waitFor()
  })

  it('is set up by an owner, who confirms the first change', async ({
    newTeam,
    provider,
    usher,
    database,
    visit,
  }) => {
    const { email, tenantId } = await newTeam('Mills')
    const second = validUser()
    const { id: userId } = await database.signedUp(second)
    const membership = { databaseId: database.id, tenantId, userId, role: 'owner' }
    await usher.store.prisma.membership.create({
      data: { ...membership, joinedAt: new Date(usher.clock.now) },
    })
    const { page, expectFailedLoads } = await visit()
    // Owners are on any page of the members.
    await page.route(/\/members\?/, (route) => {
      const url = new URL(route.request().url())
      url.searchParams.set('limit', '1')
      return route.continue({ url: url.href })
    })
    await logIn(page, email)
    await openTeam(page, 'Mills')
    await press(formOf(page, 'Single sign-on'), 'Set up')
    await connect(page, provider.origin)
    await confirm(page)
    await expectTexts(providerOf(page), provider.origin)
    await expectFailedLoads('401 connections')
    await press(settingsOf(page), 'Change')
    const dialog = formOf(page, 'Settings').last()
    await fieldOf(dialog, 'A login counts for').selectOption('86400')
    await isAccessible(page)
    await press(dialog, 'Save')
    await expectTexts(settingsOf(page), '1 day', 'Saved.')
    await press(settingsOf(page), 'Require single sign-on Required')
    const choice = fieldOf(formOf(page, 'Require single sign-on'), 'Owner who keeps another way in')
    await choice.waitFor()
    expect((await choice.getByRole('option').allTextContents()).sort()).toEqual([email, second.email].sort())
    await press(formOf(page, 'Require single sign-on'), 'Require single sign-on')
    const refused = formOf(page, 'Require single sign-on').getByRole('alert')
    await refused.filter({ hasText: 'One owner with a second factor must keep another way in' }).waitFor()
    await isAccessible(page)
    await expectFailedLoads('409 sso')
  })

  it('is a component of React', async ({ open, onTestFinished }) => {
    const served = await servePage({
      script: `
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { SsoSetup } from '@usher/sdk/ui/react'
import { startSsoSetup } from '@usher/sdk/ui/sso'
import { createStubClient } from './test/support/ui-client.js'
startSsoSetup()
const { client } = createStubClient({ isLoggedIn: true })
const onChange = () => document.querySelector('h1').append('Changed')
const props = { client, tenant: 'engines', className: 'setup', onChange }
createRoot(document.querySelector('main')).render(createElement(SsoSetup, props))`,
      body: '<h1></h1><main></main>',
      server: 'http://localhost:3000',
    })
    onTestFinished(served.close)
    const { page } = await open([served.url])
    await page.goto(served.url)
    await press(page.locator('usher-sso-setup.setup'), 'Turn off Okta')
    await page.getByText('Changed', { exact: true }).waitFor()
  })
})
