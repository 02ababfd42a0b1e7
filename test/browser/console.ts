import { rm } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { runUsher } from '../support/command-line.js'
import { type ConsoleServer, operatorPassword, startConsole } from '../support/console-server.js'
import { createDataFolder, openTestStore } from '../support/store.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { it as browserTest, openPage, overflowOf, type Visit } from './browser.js'

export const email = 'ada@example.com'

/** `it` with one server, and one operator who logs in once. */
export const it = browserTest
  .extend('store', { scope: 'file' }, async ({ storeKind }, { onCleanup }) => {
    const store = await openTestStore(storeKind)
    onCleanup(store.close)
    return store
  })
  .extend('server', { scope: 'file' }, async ({ store }, { onCleanup }) => {
    const server = await startConsole({ ...store, close: async () => undefined })
    onCleanup(server.stop)
    return server
  })
  .extend('account', { scope: 'file' }, async ({ browser, server }, { onCleanup }) => {
    const visit = await openPage(browser, [server.url])
    const context = visit.page.context()
    onCleanup(() => context.close())
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const secret = await createFirstOperator(visit, server)
    return { ...visit, nextCode: () => server.nextCode(secret) }
  })
  /** The page of the owner of the installation. */
  .extend('owner', ({ account, server }, { onCleanup }) => {
    onCleanup(() => {
      const { errors, failedLoads } = account
      expect({ errors: errors.splice(0), failedLoads: failedLoads.splice(0) }).toEqual({
        errors: [],
        failedLoads: [],
      })
    })
    const { page, nextCode, expectFailedLoads, errors } = account
    /** Enters a code of the authenticator app. */
    const prove = (form: Locator, name = 'Verify') => fillCode(form, nextCode(), name)
    return {
      page,
      errors,
      expectFailedLoads,
      /** Expects only such failed loads. */
      expectOnly(pattern: RegExp) {
        expect(account.failedLoads.splice(0).filter((each) => !pattern.test(each))).toEqual([])
      },
      open: (path: string) => page.goto(server.url + path),
      async logIn() {
        await fillLogin(page, email)
        await prove(page.getByRole('form', { name: 'Second step' }))
        await page.getByRole('banner').waitFor()
      },
      prove,
      /** Confirms an operation with a code of the authenticator app. */
      async confirm() {
        const dialog = dialogOf(page, 'Confirm that it is you')
        await prove(dialog, 'Confirm')
        await dialog.waitFor({ state: 'detached' })
      },
    }
  })

  /** Starts `usher login`. The test opens its address, and may type a code. */
  .extend('commandLine', async ({ server }, { onCleanup }) => {
    const folder = await createDataFolder()
    onCleanup(() => rm(folder, { recursive: true, force: true }))
    return (...options: string[]) => {
      let show = (_address: string) => {}
      let type = (_code: string) => {}
      const address = new Promise<string>((resolve) => {
        show = resolve
      })
      const typed = new Promise<string>((resolve) => {
        type = resolve
      })
      const ended = runUsher(
        ['login', server.url, ...options],
        { XDG_CONFIG_HOME: folder, SSH_CONNECTION: 'test' },
        async (shown) => {
          const [found] = /http\S+#\S+/.exec(shown) ?? []
          if (found) show(found)
          return found && typed
        },
      )
      return { address, type: (code: string) => type(code), ended }
    }
  })

/** Creates the first operator with the link of the server, and logs in. Returns the secret of the authenticator app. */
async function createFirstOperator({ page, expectFailedLoads }: Visit, server: ConsoleServer) {
  const setupLink = await server.setupLink()
  await page.goto(`${server.url}/console`)
  await page.getByText('There is no operator yet.').waitFor()
  await page.goto(`${setupLink}x`)
  await headingOf(page, 'Create the first operator').waitFor()
  expect(await errorsOf(page)).toEqual([])
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(operatorPassword)
  await button(page, 'Create the operator').click()
  await page.getByRole('alert').getByText('Code is invalid').waitFor()
  await expectFailedLoads('400 first-operator')

  // Another hash alone would not load the page.
  await page.goto('about:blank')
  await page.goto(setupLink)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(operatorPassword)
  expect(await page.evaluate('location.href')).not.toContain('code')
  await button(page, 'Create the operator').click()
  await page.getByText('Your password is set. Log in to add your second factor.').waitFor()
  await fillLogin(page, email)
  const secret = await enrol(page, server)
  await headingOf(page, 'Workspaces').waitFor()
  await expectFailedLoads('401 login')
  return secret
}

export async function fillLogin(page: Page, address: string) {
  const form = page.getByRole('form', { name: 'Log in' })
  await form.getByLabel('Email').fill(address)
  await form.getByRole('button', { name: 'Continue' }).click()
  await form.getByLabel('Password', { exact: true }).fill(operatorPassword)
  await form.getByRole('button', { name: 'Log in', exact: true }).click()
}

/** Adds the authenticator app that the login demands. Returns its secret. */
export async function enrol(page: Page, server: ConsoleServer) {
  await button(page, 'Add an authenticator app').click()
  const secret = String(await page.locator('[data-part=secret]').textContent())
  await page.getByLabel('Code from your app').fill(server.nextCode(secret))
  await button(page, 'Verify').click()
  await page.getByRole('listitem').nth(7).waitFor()
  expect(await page.getByRole('banner').count()).toBe(0)
  await page.getByRole('button', { name: /stored/ }).click()
  await page.getByRole('banner').waitFor()
  return secret
}

async function fillCode(place: Locator, code: string, name: string) {
  await place.getByLabel('Code').fill(code)
  await place.getByRole('button', { name }).click()
}

/** Waits until all parts of a screen are loaded. */
export const loaded = (page: Page) => page.getByText('Loading…').first().waitFor({ state: 'detached' })

export const headingOf = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true })
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
export const status = (page: Page, text: string) =>
  page.getByRole('status').filter({ hasText: text }).waitFor()

/** Adds a phone whose owner touches it whenever it is asked. */
export async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const phone = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
  const owner = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
  await session.send('WebAuthn.addVirtualAuthenticator', { options: { ...phone, ...owner } })
}

/**
 * Returns what is wrong with a page on a desk and on a phone.
 *
 * @param isAlsoDark whether to look at dark colors too
 */
export const errorsOf = async (page: Page, isAlsoDark = false) => [
  ...(await accessibilityErrorsOf(page, 'html', isAlsoDark ? ['dark', 'light'] : ['light'])),
  ...(await narrowErrorsOf(page)),
]

/** Returns what is wrong with the width of a page. It must not scroll sideways. On a phone, a table shows two columns. */
export async function narrowErrorsOf(page: Page) {
  await page.setViewportSize({ width: 390, height: 800 })
  const errors = await page.evaluate(() => {
    const columns = [...document.querySelectorAll('table:not(.versions, .numbers) thead tr')].map(
      ({ children }) => [...children].filter((cell) => (cell as HTMLElement).offsetWidth > 0).length,
    )
    return columns.filter((count) => count > 2).map((count) => `${count} columns`)
  })
  const overflow = await overflowOf(page)
  if (overflow > 0) errors.push(`${overflow} pixels too wide for a phone`)
  await page.setViewportSize({ width: 1280, height: 800 })
  const wide = await overflowOf(page)
  return wide > 0 ? [...errors, `${wide} pixels too wide for a desk`] : errors
}
