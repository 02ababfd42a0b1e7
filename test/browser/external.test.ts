import { startUsher } from '@usher/server/testing'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { freePort } from '../support/postgres-server.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { it as browserTest, hasBrowser } from './browser.js'
import { serveExample } from './elements.js'
import {
  confirm,
  expectAlert,
  expectFieldErrors,
  expectTexts,
  formOf,
  loginsOf,
  press,
  send,
  showsAccount,
  signUp,
  stepUpOf,
} from './forms.js'

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
    const example = await serveExample(server, examplePort)
    onCleanup(example.close)
    return example.url
  })
  /** Opens the example in a new browser. */
  .extend('visit', ({ open, server, provider, example }) => async () => {
    const visit = await open([server.baseUrl, provider.issuer, example])
    await visit.page.goto(example)
    return visit
  })

const logInAtGoogle = (page: Page) => press(formOf(page, 'Log in'), 'Continue with Google')
const choose = (page: Page, person: string) => page.getByRole('link', { name: person, exact: true }).click()

describe.skipIf(!hasBrowser)('a login at a provider', () => {
  it('signs up by a redirect, and the session resumes after a reload', async ({ visit, example }) => {
    const { page } = await visit()
    await page.getByRole('button', { name: 'Continue with Google' }).waitFor()
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await logInAtGoogle(page)
    await choose(page, 'Ada')
    await showsAccount(page, 'ada@gmail.com')
    await page.waitForURL(`${example}/`)
    await page.reload()
    await showsAccount(page, 'ada@gmail.com')
    await page.goBack()
    expect(await page.evaluate('location.href')).not.toContain('code=')
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

  it('shows why a login was refused: cancelled, or without the verifier of this browser', async ({
    visit,
    example,
  }) => {
    const { page } = await visit()
    await logInAtGoogle(page)
    await page.getByRole('link', { name: 'Cancel' }).click()
    await expectAlert(formOf(page, 'Log in'), 'You have cancelled.')
    await page.waitForURL(`${example}/login`)
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])

    await logInAtGoogle(page)
    const ada = page.getByRole('link', { name: 'Ada', exact: true })
    const url = new URL((await ada.getAttribute('href')) ?? '', page.url())
    const victim = await visit()
    await victim.page.goto(url.href)
    await expectAlert(formOf(victim.page, 'Log in'), 'This was started in another browser. Start again here.')
    expect(await victim.page.evaluate('localStorage.length')).toBe(0)
  })

  it('asks for a mailed code if the provider does not prove the address', async ({ visit, server }) => {
    const { page, expectFailedLoads } = await visit()
    await logInAtGoogle(page)
    await choose(page, 'Grace')
    const proof = formOf(page, 'Prove your email address')
    await proof.waitFor()
    expect(await proof.getByLabel('Email address').inputValue()).toBe('grace@example.com')
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    await press(proof, 'Send a mail')
    const digits = /\d{3} ?\d{3}/.exec((await server.mailTo('grace@example.com')).text)?.[0] ?? ''
    await send(formOf(page, 'Check your mail'), { 'Six digits from the mail': digits }, 'Log in')
    await showsAccount(page, 'grace@example.com')
    await expectFailedLoads('409 finish')
  })

  it('connects and disconnects an identity on the page of the account, by a popup that closes', async ({
    visit,
  }) => {
    const { page, expectFailedLoads } = await visit()
    await signUp(page, 'joan@example.com')
    const identities = loginsOf(page)
    await identities.getByRole('button', { name: 'Connect Google' }).waitFor()
    expect(await accessibilityErrorsOf(page, 'html', ['light'])).toEqual([])
    const opened = page.waitForEvent('popup')
    await press(identities, 'Connect Google')
    const popup = await opened
    const closed = popup.waitForEvent('close')
    await choose(popup, 'Joan')
    await closed
    await confirm(page, 'wrong')
    await expectFieldErrors(stepUpOf(page), { Password: 'The password is wrong.' })
    await confirm(page)
    await expectTexts(identities, 'Connected.', 'joan@gmail.com')
    await expectFailedLoads('400 identities', '400 step-up')
    await press(identities, 'Disconnect Google')
    await press(formOf(page, 'Are you sure?'), 'Disconnect')
    await identities.getByRole('button', { name: 'Connect Google' }).waitFor()
    await showsAccount(page, 'joan@example.com')
  })

  it('goes on in the popup if the page that has opened it was closed', async ({ visit }) => {
    const { page } = await visit()
    await signUp(page, 'mary@example.com')
    const opened = page.waitForEvent('popup')
    await press(loginsOf(page), 'Connect Google')
    const popup = await opened
    await popup.getByRole('link', { name: 'Ada', exact: true }).waitFor()
    await page.close()
    await choose(popup, 'Ada')
    await showsAccount(popup, 'ada@gmail.com')
  })
})
