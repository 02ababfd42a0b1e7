import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startUsher } from '@usher/server/testing'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { password } from '../support/app.js'
import { freePort } from '../support/postgres-server.js'
import { totpAt } from '../support/second-factor.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { it as browserTest, hasBrowser } from './browser.js'
import { startExample } from './example.js'

const it = browserTest
  .extend('server', { scope: 'file' }, async ({ executable: _ }, { onCleanup }) => {
    const server = await startUsher()
    onCleanup(server.stop)
    return server
  })
  /** Opens the example of a database in a new browser, and signs a user up. */
  .extend('signUp', ({ open, server }, { onCleanup }) => async (email: string, database = server) => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-example-'))
    onCleanup(() => rm(folder, { recursive: true }))
    const example = await startExample(folder, { ...server, ...database }, await freePort())
    const visit = await open([server.baseUrl, example])
    const { page } = visit
    await page.goto(`${example}/#sign-up`)
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

async function logInAgain(page: Page, email: string) {
  await page.getByRole('button', { name: 'Log out', exact: true }).click()
  const logIn = formOf(page, 'Log in')
  await logIn.getByLabel('Email').fill(email)
  await logIn.getByLabel('Password').fill(password)
  await logIn.getByRole('button', { name: 'Log in', exact: true }).click()
}

/** Adds the app whose key the page shows. Returns its codes, and the recovery codes. */
async function addApp(page: Page, now: () => number) {
  const enrol = formOf(page, 'Add an authenticator app')
  const secret = ((await enrol.getByRole('code').textContent()) ?? '').replaceAll(' ', '')
  const isDrawn = 'document.querySelector("#enrol img").naturalWidth > 0'
  await expect.poll(() => page.evaluate(isDrawn)).toBe(true)
  expect(await accessibilityErrorsOf(page)).toEqual([])
  await enrol.getByLabel('First code of the app').fill(totpAt(secret, now()))
  await enrol.getByLabel('Name of the device').fill('Ada’s phone')
  await enrol.getByRole('button', { name: 'Turn on' }).click()
  const codes = formOf(page, 'Recovery codes')
  await codes.waitFor()
  expect(await accessibilityErrorsOf(page)).toEqual([])
  const recoveryCodes = await codes.getByRole('code').allTextContents()
  expect(recoveryCodes).toHaveLength(8)
  await codes.getByRole('button', { name: 'I have kept them' }).click()
  return { secret, recoveryCodes }
}

describe.skipIf(!hasBrowser)('the second factor', () => {
  it('is added with a QR code, asked for at login and before changes, and removed', async ({
    server,
    signUp,
  }) => {
    const email = 'ada@example.com'
    const { page, expectFailedLoads } = await signUp(email)
    const factors = formOf(page, 'Second factor')
    await factors.getByLabel('Password').fill(password)
    await factors.getByRole('button', { name: 'Add an app' }).click()
    const { secret, recoveryCodes } = await addApp(page, server.now)
    await factors.getByText('Ada’s phone').waitFor()
    await factors.getByText('8 recovery codes left').waitFor()
    const nextCode = () => {
      server.advanceSeconds(30)
      return totpAt(secret, server.now())
    }

    await logInAgain(page, email)
    const prompt = page.locator('#second-factor')
    const prove = async (label: string, code: string) => {
      await prompt.getByLabel(label).fill(code)
      await prompt.getByRole('button', { name: 'Continue' }).click()
    }
    await prompt.waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await prove('Code of your authenticator app', '000000')
    await prompt.getByText('Wrong code. Try again.').waitFor()
    await prove('Code of your authenticator app', nextCode())
    await showsAccount(page, email)
    await expectFailedLoads('401 login', '401 second-factor')

    const change = formOf(page, 'Change password')
    const changePassword = async () => {
      await change.getByLabel('Current password').fill(password)
      await change.getByLabel('New password').fill(password)
      await change.getByRole('button', { name: 'Change password' }).click()
      await prompt.waitFor()
    }
    await changePassword()
    await prompt.getByRole('button', { name: 'Cancel' }).click()
    await change.getByText('This needs your second factor.').waitFor()
    await changePassword()
    await prove('Code of your authenticator app', nextCode())
    await change.getByText('Password changed.').waitFor()
    await expectFailedLoads('401 password', '401 password')

    await logInAgain(page, email)
    await prompt.getByText('You do not have your phone?').click()
    await prove('Recovery code', recoveryCodes[0] ?? '')
    await showsAccount(page, email)
    await factors.getByText('7 recovery codes left').waitFor()
    await factors.getByRole('button', { name: 'Remove Ada’s phone' }).click()
    await prove('Code of your authenticator app', nextCode())
    await factors.getByText('A code of an app on your phone').waitFor()
    await logInAgain(page, email)
    await showsAccount(page, email)
    await expectFailedLoads('401 login', '401 removal')
  })

  it('is added during a login if the database requires it', async ({ server, signUp }) => {
    const database = await server.createDatabase({ secondFactor: 'required', secondFactorGrace: 0 })
    const email = 'grace@example.com'
    const { page, expectFailedLoads } = await signUp(email, { ...server, ...database })
    await logInAgain(page, email)
    await addApp(page, server.now)
    await showsAccount(page, email)
    await formOf(page, 'Second factor').getByText('Ada’s phone').waitFor()
    await expectFailedLoads('401 login')
  })
})
