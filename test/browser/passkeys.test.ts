import { startUsher } from '@usher/server/testing'
import type { CDPSession, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { password } from '../support/app.js'
import { freePort } from '../support/postgres-server.js'
import { totpAt } from '../support/second-factor.js'
import { verifyAddress } from '../support/verified-address.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { it as browserTest, hasBrowser } from './browser.js'
import { serveExample } from './elements.js'
import {
  confirm,
  expectAlert,
  expectTexts,
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

interface VirtualCredential {
  credentialId: string
  signCount: number
  [field: string]: unknown
}

/** An authenticator of Chromium, which also chooses its passkey in the list of a field (https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn). */
async function addAuthenticator(page: Page, options: object = {}) {
  const session: CDPSession = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const device = { protocol: 'ctap2' as const, hasResidentKey: true, automaticPresenceSimulation: true }
  const phone = { transport: 'internal' as const, hasUserVerification: true, isUserVerified: true }
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...device, ...phone, ...options } as never,
  })
  const of = { authenticatorId }
  return {
    credentials: async () =>
      (await session.send('WebAuthn.getCredentials', of)).credentials as unknown as VirtualCredential[],
    add: (credential: VirtualCredential) =>
      session.send('WebAuthn.addCredential', { ...of, credential: credential as never }),
    forget: () => session.send('WebAuthn.clearCredentials', of),
  }
}

const securityKey = { transport: 'usb', hasUserVerification: false, isUserVerified: false }

const it = browserTest
  .extend('site', { scope: 'file' }, async ({ executable: _ }, { onCleanup }) => {
    const server = await startUsher()
    const ports = [await freePort(), await freePort()] as const
    const [one, other] = ports.map((port) => `http://localhost:${port}`) as [string, string]
    const database = await server.createDatabase({
      passkeyDomain: 'localhost',
      passkeyOrigins: [one, other],
    })
    const pages = await Promise.all(ports.map((port) => serveExample({ ...server, ...database }, port)))
    onCleanup(async () => {
      await Promise.all(pages.map(({ close }) => close()))
      await server.stop()
    })
    return { server, database, apps: [one, other] as const }
  })
  /** Opens the first app in a new browser, and signs a user up. */
  .extend('visit', ({ open, site }) => async (email: string) => {
    const visit = await open([site.server.baseUrl, ...site.apps])
    await visit.page.goto(site.apps[0])
    await signUp(visit.page, email)
    await verifyAddress(site.server, email, site.database)
    return visit
  })

const promptOf = (page: Page) => formOf(page, 'Second step')
/** Returns the button of each passkey. */
const itemsOf = (page: Page) => loginsOf(page).getByRole('button', { name: 'Change Passkey' })

/** Returns what proves the second factor of a change. */
const prove = (page: Page) => () => press(stepUpOf(page), 'Use your passkey')

/** Logs in with the button. The authenticator would choose its passkey in the list of the field, so there is none until a reload. */
async function logInWithPasskey(page: Page) {
  await page.evaluate('PublicKeyCredential.isConditionalMediationAvailable = undefined')
  await logOut(page)
  await press(formOf(page, 'Log in'), 'Log in with a passkey')
}

async function addPasskey(page: Page) {
  await press(loginsOf(page), 'Add Passkeys')
  await confirm(page)
  await press(formOf(page, 'Store your recovery codes'), 'I have stored them')
  await itemsOf(page).waitFor()
}

describe.skipIf(!hasBrowser)('passkeys', () => {
  it('log in at both apps of a database, also from the list of the field, until they are removed', async ({
    site,
    visit,
  }) => {
    const email = 'ada@example.com'
    const { page, expectFailedLoads } = await visit(email)
    const phone = await addAuthenticator(page)
    await addPasskey(page)
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await logInWithPasskey(page)
    await showsAccount(page, email)
    await logOut(page)
    await page.goto(site.apps[1])
    // Chosen in the list of the field, without a click.
    await showsAccount(page, email)
    await itemsOf(page).click()
    await press(formOf(page, 'Passkey'), 'Remove')
    await confirm(page, password, prove(page))
    await expectTexts(loginsOf(page), 'Removed.')
    expect(await itemsOf(page).count()).toBe(0)
    const [left] = await phone.credentials()
    await logInWithPasskey(page)
    await expectAlert(
      formOf(page, 'Log in'),
      left ? 'This passkey belongs to no account. Log in another way.' : 'The passkey was not used.',
    )
    await expectFailedLoads('400 passkey', '401 removal', ...(left ? ['401 confirm'] : []))
  })

  it('of a key that does not verify its user prove a second factor', async ({ site, visit }) => {
    const email = 'grace@example.com'
    const { page, expectFailedLoads } = await visit(email)
    await addAuthenticator(page, securityKey)
    await addPasskey(page)
    await press(formOf(page, 'Second factor'), 'Add Authenticator app')
    const enrol = formOf(page, 'Add an authenticator app')
    const secret = ((await enrol.getByRole('code').textContent()) ?? '').replaceAll(' ', '')
    await send(enrol, { 'Code from your app': totpAt(secret, site.server.now()) }, 'Verify')
    await formOf(page, 'Second factor').getByRole('button', { name: 'Change Authenticator app' }).waitFor()
    await logOut(page)
    await sendLogin(page, email)
    await promptOf(page).waitFor()
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await press(promptOf(page), 'Use your passkey')
    await showsAccount(page, email)
    await expectFailedLoads('400 passkey', '401 login')
  })

  it('are refused if they are a copy of a key that counts', async ({ visit }) => {
    const { page, expectFailedLoads } = await visit('alan@example.com')
    const key = await addAuthenticator(page)
    await addPasskey(page)
    const copies = await key.credentials()
    await logInWithPasskey(page)
    await showsAccount(page, 'alan@example.com')
    await key.forget()
    for (const copy of copies) await key.add(copy)
    await logInWithPasskey(page)
    await expectAlert(
      formOf(page, 'Log in'),
      'The passkey was not accepted. Try again, or log in another way.',
    )
    await expectFailedLoads('400 passkey', '401 confirm')
  })

  it('of a deleted account log nobody in, and the account that is made again gets a new one', async ({
    visit,
    site,
  }) => {
    const email = 'mary@example.com'
    const { page, expectFailedLoads } = await visit(email)
    const phone = await addAuthenticator(page)
    await addPasskey(page)
    await press(formOf(page, 'Delete your account'), 'Delete the account')
    await press(formOf(page, 'Are you sure?'), 'Delete the account')
    // The passkey has proven who it is. Chosen in the list of the field.
    await expectAlert(formOf(page, 'Log in'), 'This passkey belongs to no account. Log in another way.')
    await signUp(page, email)
    await verifyAddress(site.server, email, site.database)
    await addPasskey(page)
    expect((await phone.credentials()).length).toBeGreaterThanOrEqual(1)
    await expectFailedLoads('400 passkey', '400 passkey', '401 confirm')
  })
})
