import { createExternalLogin } from '@usher/sdk/external'
import { createLoginByMail } from '@usher/sdk/login-by-mail'
import { useExternalLogin } from '@usher/sdk/react'
import { createSessionClient } from '@usher/sdk/session'
import { type StartOptions, startUsher, type TestProvider } from '@usher/server/testing'
import { Window } from 'happy-dom'
import { createElement, StrictMode } from 'react'
import { afterEach, it as apiTest, expect, vi } from 'vitest'
import { renderPage } from './happy-dom.js'
import { memoryStore } from './stub-fetch.js'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const body = { connection: 'google' }
const people = [
  { name: 'Ada', email: 'ada@gmail.com' },
  { name: 'Grace', email: 'grace@example.com', emailVerified: false },
  { name: 'Alan', email: 'alan@gmail.com' },
  { name: 'Joan', email: 'joan@gmail.com' },
  { name: 'Edsger', email: 'edsger@example.com', emailVerified: false },
]

const it = apiTest
  .extend('options', { scope: 'file' }, { loginMail: 'code' } as StartOptions)
  .extend('usher', { scope: 'file' }, async ({ options }, { onCleanup }) => {
    const usher = await startUsher(options)
    onCleanup(usher.stop)
    return usher
  })
  .extend('provider', { scope: 'file' }, ({ usher }) => usher.addProvider({ connection: 'google', people }))
  /** Returns a page of a browser, with a client. Pages with the same store are tabs of one browser. */
  .extend('openPage', ({ usher, provider }) => ({ store, items } = memoryStore()) => {
    const client = createSessionClient({ ...usher, retries: 0, sessionStore: memoryStore().store })
    const finishLogin = vi.fn(client.finishLogin)
    let opened = ''
    const open = (url: string) => {
      opened = url
    }
    const external = createExternalLogin({ ...client, finishLogin }, { store, open })
    /** Starts a login, and lets a person return. Returns the link. */
    const logIn = async (person: string) => {
      expect((await external.start(body)).error).toBeUndefined()
      return provider.logIn(opened, person)
    }
    return { client, finishLogin, external, logIn, cancel: () => provider.cancel(opened), items, store }
  })

/** Lets `window.open` open a popup, which returns with what the person does. */
function stubPopup(provider: TestProvider, returns: (link: string) => unknown, person = 'Ada') {
  const popup = {
    close: vi.fn(),
    location: { replace: async (url: string) => returns(await provider.logIn(url, person)) },
  }
  vi.stubGlobal('open', () => popup)
  return popup
}

it('signs up and logs in, opens a session, and removes the code from the address bar', async ({
  openPage,
}) => {
  const { client, external, finishLogin, logIn, items } = openPage()
  expect(await external.finish('https://app.example.com/login')).toBeUndefined()
  const link = await logIn('Ada')
  const page = new Window({ url: link.replace('#', '?from=ad#') })
  vi.stubGlobal('location', page.location)
  vi.stubGlobal('history', page.history)
  const twice = await Promise.all([external.finish(), external.finish(link)])
  expect(twice).toMatchObject([{ data: { isNewUser: true } }, { data: { isNewUser: true } }])
  expect(page.location.href).toBe('https://app.example.com/login?from=ad')
  expect(finishLogin).toHaveBeenCalledTimes(1)
  expect((await client.listSessions()).data?.sessions).toHaveLength(1)
  expect(items.size).toBe(0)
  expect(await external.finish(await logIn('Ada'))).toMatchObject({ data: { isNewUser: false } })
})

it('returns in another tab of the browser, and two logins do not disturb each other', async ({
  openPage,
}) => {
  const browser = memoryStore()
  const [one, other] = [openPage(browser), openPage(browser)]
  const links = [await one.logIn('Ada'), await other.logIn('Alan')] as const
  expect((await other.external.finish(links[0]))?.error).toBeUndefined()
  expect((await one.external.finish(links[1]))?.error).toBeUndefined()
  expect((await one.client.me()).data?.email).toBe('alan@gmail.com')
})

it('refuses a login that this browser has not started, and one that comes back cancelled', async ({
  openPage,
}) => {
  const { external, logIn, cancel } = openPage()
  const link = await logIn('Ada')
  const victim = openPage()
  expect((await victim.external.finish(link))?.error?.code).toBe('started_elsewhere')
  expect(victim.finishLogin).not.toHaveBeenCalled()
  const result = await external.finish(await cancel())
  expect(result?.error).toMatchObject({ code: 'access_denied', title: 'The login was cancelled' })
})

it('finishes a refused login again, and one whose address a mail proves', async ({ usher, openPage }) => {
  const { client, external, logIn } = openPage()
  expect((await external.requestMail('grace@example.com')).error?.code).toBe('started_elsewhere')
  expect((await external.finishWithDigits('123456')).error?.code).toBe('started_elsewhere')
  const refused = await external.finish(await logIn('Grace'), { mayCreate: false })
  expect(refused?.error?.code).toBe('email_not_proven')
  const { email } = refused?.error?.profile ?? {}
  expect((await external.requestMail(email ?? '')).error).toBeUndefined()
  const digits = /\d{3} ?\d{3}/.exec((await usher.mailTo('grace@example.com')).text)?.[0] ?? ''
  // Sends no second mail within a minute.
  await external.requestMail(email ?? '')
  const asked = await external.finishWithDigits(digits, { mayCreate: false })
  expect(asked.error?.code).toBe('account_missing')
  const created = await external.finishWithDigits(digits, { newTenant: 'Compilers' })
  expect(created.data).toMatchObject({ isNewUser: true, tenants: [expect.any(String)] })
  expect((await client.me()).data?.email).toBe('grace@example.com')
})

it('links an identity to the user who is logged in', async ({ openPage }) => {
  const { client, external, logIn } = openPage()
  const password = 'correct horse battery'
  await client.createUser({ email: 'alan@example.com', password })
  const link = await logIn('Joan')
  expect((await external.link(link, { password: 'wrong' }))?.error?.field('password')?.code).toBe(
    'password_wrong',
  )
  expect((await external.link(undefined, { password }))?.data).toMatchObject({ email: 'joan@gmail.com' })
  expect((await client.listIdentities()).data?.identities).toMatchObject([{ connection: 'google' }])
  expect((await external.finish(await logIn('Joan')))?.data).toMatchObject({ isNewUser: false })
  expect((await client.me()).data?.email).toBe('alan@example.com')
})

it('logs in by a popup, which hands its link over and closes', async ({ provider, openPage }) => {
  const browser = memoryStore()
  const [page, inPopup] = [openPage(browser), openPage(browser)]
  const close = vi.fn()
  vi.stubGlobal('close', close)
  let handedOver: unknown
  stubPopup(provider, (link) => {
    handedOver = inPopup.external.finish(link)
  })
  const { data: link = '' } = await page.external.openPopup(body)
  expect(await page.external.finish(link)).toMatchObject({ data: { tenants: [] } })
  expect(await handedOver).toMatchObject({ error: { code: 'finished_elsewhere' } })
  expect(close).toHaveBeenCalled()
  expect([page.client.state, inPopup.client.state]).toEqual(['signedIn', 'signedOut'])
})

it('finishes the login in the popup if the page that has opened it does not reply', async ({
  provider,
  openPage,
}) => {
  const browser = memoryStore()
  const [page, inPopup] = [openPage(browser), openPage(browser)]
  const controller = new AbortController()
  const returned = new Promise<string>((resolve) => {
    stubPopup(provider, resolve)
  })
  const opening = page.external.openPopup(body, { signal: controller.signal })
  const link = await returned
  controller.abort()
  expect((await opening).error?.code).toBe('access_denied')
  expect((await inPopup.external.finish(link))?.error).toBeUndefined()
  expect(inPopup.client.state).toBe('signedIn')
})

it('closes the popup if the login does not start or is aborted, and says that a popup was blocked', async ({
  provider,
  openPage,
}) => {
  const { external } = openPage()
  expect((await external.openPopup(body)).error?.code).toBe('popup_blocked')
  const popup = stubPopup(provider, () => {})
  expect((await external.openPopup({ connection: 'none' })).error?.code).toBe('connection_not_found')
  expect(popup.close).toHaveBeenCalledTimes(1)
  const aborted = await external.openPopup(body, { signal: AbortSignal.abort() })
  expect(aborted.error?.code).toBe('no_answer')
  vi.stubGlobal('crypto', undefined)
  await expect(external.openPopup(body)).rejects.toThrow('crypto.subtle is missing')
  expect(popup.close).toHaveBeenCalledTimes(3)
})

it('shares the logins of a browser with a login by mail', async ({ usher, openPage }) => {
  const { client, external, logIn, store } = openPage()
  const byMail = createLoginByMail(client, { store })
  await byMail.start({ email: 'ada@gmail.com' })
  const link = await logIn('Ada')
  const { text } = await usher.mailTo('ada@gmail.com')
  const digits = /\d{3} ?\d{3}/.exec(text)?.[0] ?? ''
  expect((await byMail.finishWithDigits(digits)).error).toBeUndefined()
  expect((await external.finish(link))?.error).toBeUndefined()
})

it('names an option that is invalid', ({ usher }) => {
  const client = createSessionClient(usher)
  expect(() => createExternalLogin(client, { open: 'url' as never })).toThrow('open cannot be url')
})

it('shows the steps with React, and sends a link once under StrictMode', async ({ openPage }) => {
  const { external, client, finishLogin, logIn } = openPage()
  const View = () => {
    const login = useExternalLogin(external)
    const { step, isPending, error } = login
    const text = [step, isPending && 'pending', error?.code].filter(Boolean).join(' ')
    const button = (label: string, onClick: () => unknown) =>
      createElement('button', { key: label, type: 'button', onClick }, label)
    return [
      createElement('p', { key: 'text' }, text),
      button('start', () => login.start(body)),
      button('popup', () => login.openPopup(body)),
      button('finish', () => login.finish({ newTenant: 'Engines' })),
      button('mail', () => login.requestMail('edsger@example.com')),
      button('digits', () => login.finishWithDigits('1')),
      button('restart', login.restart),
    ]
  }
  const show = async (url: string) => {
    const page = await renderPage(createElement(StrictMode, null, createElement(View)), { url })
    const shows = (text: string) =>
      vi.waitFor(() => expect(page.text().split('start', 1)[0]).toBe(text), 10_000)
    return { ...page, shows, click: (label: string) => page.button(label)?.click() }
  }
  const link = await logIn('Ada')
  const page = await show(link)
  await vi.waitFor(() => expect(client.state).toBe('signedIn'), 10_000)
  await page.shows('providers')
  expect(finishLogin).toHaveBeenCalledTimes(1)
  page.click('popup')
  await page.shows('providers popup_blocked')
  page.click('start')
  await page.shows('providers')
  await page.close()

  const refused = await show(await logIn('Edsger'))
  await refused.shows('returning email_not_proven')
  refused.click('mail')
  await refused.shows('digits')
  refused.click('digits')
  await refused.shows('digits validation_failed')
  refused.click('restart')
  await refused.shows('providers')
  await refused.close()
})
