import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startUsher } from '@usher/server/testing'
import type { CDPSession, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { password } from '../support/app.js'
import { freePort } from '../support/postgres-server.js'
import { totpAt } from '../support/second-factor.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { it as browserTest, hasBrowser } from './browser.js'
import { startExample } from './example.js'

interface VirtualCredential {
  credentialId: string
  signCount: number
  [field: string]: unknown
}

/** An authenticator of Chromium (https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn). */
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
    const folder = await mkdtemp(join(tmpdir(), 'usher-example-'))
    onCleanup(async () => {
      await server.stop()
      await rm(folder, { recursive: true })
    })
    const ports = [await freePort(), await freePort()]
    const origins = ports.map((port) => `http://localhost:${port}`)
    const database = await server.createDatabase({ passkeyDomain: 'localhost', passkeyOrigins: origins })
    const place = { ...server, ...database }
    const apps = [
      await startExample(join(folder, 'one'), place, ports[0] ?? 0),
      await startExample(join(folder, 'other'), place, ports[1] ?? 0),
    ] as const
    return { server, apps }
  })
  /** Opens the first app in a new browser, and signs a user up. */
  .extend('signUp', ({ open, site }) => async (email: string) => {
    const visit = await open([site.server.baseUrl, ...site.apps])
    const { page } = visit
    await page.goto(`${site.apps[0]}/#sign-up`)
    const signUp = formOf(page, 'Sign up')
    await signUp.getByLabel('Email').fill(email)
    await signUp.getByLabel('Password').fill(password)
    await signUp.getByRole('button', { name: 'Sign up' }).click()
    await showsAccount(page, email)
    return visit
  })

const formOf = (page: Page, name: string) => page.getByRole('form', { name, exact: true })
const showsAccount = (page: Page, email: string) =>
  formOf(page, 'Profile').getByText(email, { exact: true }).waitFor()
const logOut = (page: Page) => page.getByRole('button', { name: 'Log out', exact: true }).click()

/** Logs out, and in again with the button. The authenticator would immediately choose a passkey in the list of the field. */
async function logInAgain(page: Page) {
  await logOutWithoutList(page)
  await formOf(page, 'Log in').getByRole('button', { name: 'Log in with a passkey' }).click()
}

/** Logs out. The page shows no list of passkeys until it is loaded again. */
async function logOutWithoutList(page: Page) {
  await page.evaluate(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false
  })
  await logOut(page)
}

async function addPasskey(page: Page) {
  const factors = formOf(page, 'Second factor')
  await factors.getByLabel('Password').fill(password)
  await factors.getByRole('button', { name: 'Add a passkey' }).click()
  const codes = formOf(page, 'Recovery codes')
  await codes.waitFor()
  await codes.getByRole('button', { name: 'I have kept them' }).click()
  await factors.getByRole('button', { name: /^Remove / }).waitFor()
}

describe.skipIf(!hasBrowser)('passkeys', () => {
  it('log in at both apps of a database, also from the list of the field, until they are removed', async ({
    site,
    signUp,
  }) => {
    const email = 'ada@example.com'
    const { page, expectFailedLoads } = await signUp(email)
    const phone = await addAuthenticator(page)
    await addPasskey(page)
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await logInAgain(page)
    await showsAccount(page, email)
    await logOutWithoutList(page)
    await page.goto(site.apps[1])
    // Chosen in the list of the field, without a click.
    await showsAccount(page, email)
    const factors = formOf(page, 'Second factor')
    await factors.getByRole('button', { name: /^Remove / }).click()
    await page.locator('#second-factor').getByRole('button', { name: 'Use your passkey' }).click()
    await factors.getByText('A code of an app on your phone').waitFor()
    // The authenticator of Chromium keeps it, although the page has told which passkeys the user has.
    expect(await phone.credentials()).toHaveLength(1)
    await logInAgain(page)
    await formOf(page, 'Log in').getByText('Passkey belongs to no account').waitFor()
    await expectFailedLoads('401 removal', '401 confirm')
  })

  it('of a key that does not verify its user prove a second factor', async ({ site, signUp }) => {
    const email = 'grace@example.com'
    const { page, expectFailedLoads } = await signUp(email)
    await addAuthenticator(page, securityKey)
    await addPasskey(page)
    const factors = formOf(page, 'Second factor')
    await factors.getByLabel('Password').fill(password)
    await factors.getByRole('button', { name: 'Add an app' }).click()
    const prompt = page.locator('#second-factor')
    const prove = () => prompt.getByRole('button', { name: 'Use your passkey' }).click()
    await prove()
    const enrol = formOf(page, 'Add an authenticator app')
    const secret = ((await enrol.getByRole('code').textContent()) ?? '').replaceAll(' ', '')
    await enrol.getByLabel('First code of the app').fill(totpAt(secret, site.server.now()))
    await enrol.getByRole('button', { name: 'Turn on' }).click()
    await factors.getByText('Authenticator app').waitFor()
    await logOut(page)
    const logIn = formOf(page, 'Log in')
    await logIn.getByLabel('Email').fill(email)
    await logIn.getByLabel('Password').fill(password)
    await logIn.getByRole('button', { name: 'Log in', exact: true }).click()
    await prompt.waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await prove()
    await showsAccount(page, email)
    await expectFailedLoads('401 totp', '401 login')
  })

  it('are refused if they are a copy of a key that counts', async ({ signUp }) => {
    const { page, expectFailedLoads } = await signUp('alan@example.com')
    const key = await addAuthenticator(page)
    await addPasskey(page)
    const copies = await key.credentials()
    await logInAgain(page)
    await showsAccount(page, 'alan@example.com')
    await key.forget()
    for (const copy of copies) await key.add(copy)
    await logInAgain(page)
    await formOf(page, 'Log in').getByText('Passkey is not accepted').waitFor()
    await expectFailedLoads('401 confirm')
  })

  it('of a deleted account log nobody in, and the account that is made again gets a new one', async ({
    signUp,
  }) => {
    const email = 'mary@example.com'
    const { page, expectFailedLoads } = await signUp(email)
    const phone = await addAuthenticator(page)
    await addPasskey(page)
    const deletion = formOf(page, 'Delete account')
    await deletion.getByLabel('Password').fill(password)
    await deletion.getByRole('button', { name: 'Delete' }).click()
    await page.locator('#second-factor').getByRole('button', { name: 'Use your passkey' }).click()
    // Chosen in the list of the field.
    await formOf(page, 'Log in').getByText('Passkey belongs to no account').waitFor()
    await page.goto(`${new URL(page.url()).origin}/#sign-up`)
    const again = formOf(page, 'Sign up')
    await again.getByLabel('Email').fill(email)
    await again.getByLabel('Password').fill(password)
    await again.getByRole('button', { name: 'Sign up' }).click()
    await showsAccount(page, email)
    await addPasskey(page)
    expect((await phone.credentials()).length).toBeGreaterThanOrEqual(1)
    await expectFailedLoads('401 deletion', '401 confirm')
  })
})
