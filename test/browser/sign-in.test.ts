import { startUsher } from '@usher/server/testing'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { password } from '../support/app.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { it as browserTest, hasBrowser } from './browser.js'
import { servePage } from './elements.js'

const script = (server: { baseUrl: string; workspace: string; database: string }) => `
import { createSessionClient } from '@usher/sdk/session'
import { start } from '@usher/sdk/ui'
import '@usher/sdk/ui.css'
const client = createSessionClient({
  ...${JSON.stringify({ baseUrl: server.baseUrl, workspace: server.workspace, database: server.database })},
  tokenStore: () => localStorage,
  sessionStore: () => localStorage,
})
Object.assign(globalThis, { client })
start({ client })
`

const it = browserTest
  .extend('server', { scope: 'file' }, async ({ executable: _ }, { onCleanup }) => {
    const server = await startUsher()
    onCleanup(server.stop)
    return server
  })
  .extend('visit', ({ open, server }, { onCleanup }) => async (body: string, path = '/') => {
    const page = await servePage({ script: script(server), body, server: server.baseUrl })
    onCleanup(page.close)
    const visit = await open([server.baseUrl, page.url])
    await visit.page.goto(page.url + path)
    return visit
  })

const formOf = (page: Page, name: string) => page.getByRole('form', { name, exact: true })

describe.skipIf(!hasBrowser)('usher-sign-in', () => {
  it('signs up, logs out, refuses a wrong password, and logs in', async ({ visit }) => {
    const { page, expectFailedLoads } = await visit('<usher-sign-in></usher-sign-in>')
    const logIn = formOf(page, 'Log in')
    await logIn.waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await logIn.getByRole('button', { name: 'Create an account' }).click()
    const signUp = formOf(page, 'Sign up')
    await signUp.getByLabel('Email').fill('ada@example.com')
    await signUp.getByLabel('Password', { exact: true }).fill('short')
    await signUp.getByRole('button', { name: 'Sign up' }).click()
    await signUp.getByText('Type at least 8 characters.').waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await expectFailedLoads('400 users')
    await signUp.getByLabel('Password', { exact: true }).fill(password)
    await signUp.getByRole('button', { name: 'Sign up' }).click()
    await formOf(page, 'You are logged in').waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await logIn.getByLabel('Email').fill('ada@example.com')
    await logIn.getByLabel('Password', { exact: true }).fill('wrong password')
    await logIn.getByRole('button', { name: 'Log in', exact: true }).click()
    await logIn.getByText('Email or password is wrong.').waitFor()
    await expectFailedLoads('401 login')
    await logIn.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await formOf(page, 'You are logged in').waitFor()
  })
})
