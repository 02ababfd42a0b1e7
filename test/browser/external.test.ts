import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startUsher } from '@usher/server/testing'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { freePort } from '../support/postgres-server.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { it as browserTest, hasBrowser } from './browser.js'
import { startExample } from './example.js'

const people = [
  { name: 'Ada', email: 'ada@gmail.com' },
  { name: 'Grace', email: 'grace@example.com', emailVerified: false },
  { name: 'Alan', email: 'alan@gmail.com' },
  { name: 'Joan', email: 'joan@gmail.com' },
]

const it = browserTest
  .extend('examplePort', { scope: 'file' }, ({ executable: _ }) => freePort())
  .extend('server', { scope: 'file' }, async ({ examplePort }, { onCleanup }) => {
    const server = await startUsher({ appUrl: `http://localhost:${examplePort}`, loginMail: 'code' })
    onCleanup(server.stop)
    return server
  })
  .extend('provider', { scope: 'file' }, ({ server }) => server.addProvider({ connection: 'google', people }))
  .extend('example', { scope: 'file' }, async ({ server, examplePort }, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-example-'))
    onCleanup(() => rm(folder, { recursive: true }))
    return startExample(folder, server, examplePort)
  })
  /** Opens the example in a new browser. */
  .extend('visit', ({ open, server, provider, example }) => async (query = '') => {
    const visit = await open([server.baseUrl, provider.issuer, example])
    await visit.page.goto(example + query)
    return visit
  })

const formOf = (page: Page, name: string) => page.getByRole('form', { name, exact: true })
const account = (page: Page) => formOf(page, 'Profile')
const logInAtGoogle = (page: Page) => page.getByRole('button', { name: 'Log in with Google' }).click()
const choose = (page: Page, person: string) => page.getByRole('link', { name: person, exact: true }).click()
const showsAccount = (page: Page, email: string) => account(page).getByText(email, { exact: true }).waitFor()

describe.skipIf(!hasBrowser)('a login at a provider', () => {
  it('signs up by a redirect, and the session resumes after a reload', async ({ visit, example }) => {
    const { page } = await visit()
    await page.getByRole('button', { name: 'Log in with Google' }).waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await logInAtGoogle(page)
    await choose(page, 'Ada')
    await showsAccount(page, 'ada@gmail.com')
    expect(page.url()).toBe(`${example}/#account`)
    await page.reload()
    await showsAccount(page, 'ada@gmail.com')
    await page.goBack()
    expect(page.url()).not.toContain('code=')
  })

  it('ends in two tabs, each with its own person, and leaves no verifier', async ({ visit, example }) => {
    const { page } = await visit()
    const tab = await page.context().newPage()
    await tab.goto(example)
    for (const each of [page, tab]) await logInAtGoogle(each)
    await choose(tab, 'Alan')
    await showsAccount(tab, 'alan@gmail.com')
    await choose(page, 'Ada')
    for (const each of [page, tab]) await showsAccount(each, 'ada@gmail.com')
    expect(await page.evaluate('localStorage["usher.logins"]')).toBeUndefined()
  })

  it('logs in by a popup, which closes', async ({ visit, example }) => {
    const { page } = await visit('/?popup')
    const opened = page.waitForEvent('popup')
    await logInAtGoogle(page)
    const popup = await opened
    const closed = popup.waitForEvent('close')
    await choose(popup, 'Ada')
    await Promise.all([showsAccount(page, 'ada@gmail.com'), closed])
    expect(page.url()).toBe(`${example}/?popup#account`)
  })

  it('goes on in the popup if the page that has opened it was closed', async ({ visit }) => {
    const { page } = await visit('/?popup')
    const opened = page.waitForEvent('popup')
    await logInAtGoogle(page)
    const popup = await opened
    await popup.getByRole('link', { name: 'Ada', exact: true }).waitFor()
    await page.close()
    await choose(popup, 'Ada')
    await showsAccount(popup, 'ada@gmail.com')
  })

  it('shows why a login was refused: cancelled, or without the verifier of this browser', async ({
    visit,
    example,
  }) => {
    const { page } = await visit()
    await logInAtGoogle(page)
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByText('The login was cancelled').waitFor()
    expect(page.url()).toBe(`${example}/`)
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Start again' }).click()

    await logInAtGoogle(page)
    const ada = page.getByRole('link', { name: 'Ada', exact: true })
    const url = new URL((await ada.getAttribute('href')) ?? '', page.url())
    const victim = await visit()
    await victim.page.goto(url.href)
    await victim.page.getByText('Finish the login in the browser where you started it').waitFor()
    expect(await victim.page.evaluate('localStorage.length')).toBe(0)
  })

  it('asks for a mailed code if the provider does not prove the address', async ({ visit, server }) => {
    const { page, expectFailedLoads } = await visit()
    await logInAtGoogle(page)
    await choose(page, 'Grace')
    const proof = formOf(page, 'Prove your address')
    await proof.waitFor()
    expect(await proof.getByLabel('Email').inputValue()).toBe('grace@example.com')
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await proof.getByRole('button').click()
    const digits = /\d{3} ?\d{3}/.exec((await server.mailTo('grace@example.com')).text)?.[0] ?? ''
    const form = formOf(page, 'Enter the digits')
    await form.getByLabel('Digits').fill(digits)
    await form.getByRole('button').click()
    await showsAccount(page, 'grace@example.com')
    await expectFailedLoads('409 finish')
  })

  it('links and removes an identity on the page of the account', async ({ visit }) => {
    const { page, expectFailedLoads } = await visit('/#sign-up')
    const password = 'correct horse battery'
    const signUp = formOf(page, 'Sign up')
    await signUp.getByLabel('Email').fill('joan@example.com')
    await signUp.getByLabel('Password').fill(password)
    await signUp.getByRole('button', { name: 'Sign up' }).click()
    const identities = formOf(page, 'Other ways to log in')
    const link = identities.getByRole('button', { name: 'Link Google' })
    await link.waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    const linkAs = async (given: string) => {
      await identities.getByLabel('Password').fill(given)
      const opened = page.waitForEvent('popup')
      await link.click()
      await choose(await opened, 'Joan')
    }
    await linkAs('wrong')
    await identities.getByText('Wrong password').waitFor()
    await expectFailedLoads('400 identities')
    await linkAs(password)
    await identities.getByText('Login linked.').waitFor()
    await identities.getByText('joan@gmail.com, linked', { exact: false }).waitFor()
    await identities.getByLabel('Password').fill(password)
    await identities.getByRole('button', { name: 'Remove Google' }).click()
    await link.waitFor()
    await showsAccount(page, 'joan@example.com')
  })
})
