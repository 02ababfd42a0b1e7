import { createClient } from '@usher/sdk'
import { createLoginByMail } from '@usher/sdk/login-by-mail'
import { useLoginByMail } from '@usher/sdk/react'
import { createSessionClient } from '@usher/sdk/session'
import { Window } from 'happy-dom'
import { createElement, StrictMode } from 'react'
import { afterEach, expect, vi } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { validUser } from '../support/app.js'
import { mailOf } from '../support/login-mail.js'
import { setDatabase } from '../support/operator-changes.js'
import { renderPage } from './happy-dom.js'
import { memoryStore } from './stub-fetch.js'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const it = apiTest
  .extend('options', { scope: 'file' }, async ({ usher, store, origin, database }) => {
    await setDatabase(store, database, { appUrl: 'https://app.example.com', loginMail: 'both' })
    usher.clock.cacheAhead += 6_000
    const { workspaceSlug: workspace, databaseName } = database
    return { baseUrl: origin, workspace, database: databaseName, retries: 0 }
  })
  /** Returns a browser with a client, and a function that starts a login and returns the mail. */
  .extend('openBrowser', ({ usher, database, options }) => () => {
    const { store, items } = memoryStore()
    const client = createSessionClient({ ...options, sessionStore: memoryStore().store })
    const finishLogin = vi.fn(client.finishLogin)
    const byMail = createLoginByMail({ ...client, finishLogin }, { store })
    const start = async (email: string) => {
      const { data, error } = await byMail.start({ email })
      return mailOf(usher, database.id, { login: data?.login ?? expect.fail(error?.title), email })
    }
    return { client, finishLogin, byMail, start, items }
  })

it('signs up and logs in by digits, also after a wrong try, and opens a session', async ({
  openBrowser,
  options,
}) => {
  const { byMail, client, start, items } = openBrowser()
  const { email } = validUser()
  const { digits } = await start(email)
  const wrong = await byMail.finishWithDigits(digits === '000000' ? '000001' : '000000')
  expect([wrong.error?.code, client.state]).toEqual(['code_invalid', 'signedOut'])
  const more = { newTenant: 'Engines', preferredName: 'Ada' }
  const signedUp = await byMail.finishWithDigits(` ${digits.slice(0, 3)} ${digits.slice(3)}`, more)
  expect(signedUp.data).toMatchObject({ isNewUser: true, tenants: [expect.any(String)] })
  expect((await client.me()).data).toMatchObject({ email, preferredName: 'Ada', emailVerified: true })
  expect((await client.listSessions()).data?.sessions).toHaveLength(1)
  expect(items.size).toBe(0)

  const simple = createClient(options)
  const login = createLoginByMail(simple, { store: memoryStore().store })
  expect((await login.finishWithDigits(digits)).error?.code).toBe('started_elsewhere')
  expect(simple.token).toBeUndefined()
})

it('logs in by a link, only in the browser that has started, and removes the code from the address bar', async ({
  openBrowser,
}) => {
  const { byMail, client, finishLogin, start } = openBrowser()
  const { email } = validUser()
  const { code } = await start(email)
  const page = new Window({ url: `https://app.example.com/login?from=mail#code=${code}` })
  vi.stubGlobal('location', page.location)
  vi.stubGlobal('history', page.history)

  const other = openBrowser()
  const elsewhere = await other.byMail.finishWithLink(`#code=${code}`)
  expect(elsewhere.error).toMatchObject({ code: 'started_elsewhere', detail: /where you started/ })
  expect(other.finishLogin).not.toHaveBeenCalled()
  expect(page.location.href).toBe('https://app.example.com/login?from=mail')

  const asked = await byMail.finishWithLink(code, { mayCreate: false })
  expect([asked.error?.code, client.state]).toEqual(['account_missing', 'signedOut'])
  const link = `https://app.example.com/login#code=${code}`
  const twice = await Promise.all([byMail.finishWithLink(link), byMail.finishWithLink(link)])
  expect(twice).toMatchObject([{ data: { isNewUser: true } }, { data: { isNewUser: true } }])
  expect(finishLogin).toHaveBeenCalledTimes(2)
  expect((await client.me()).data).toMatchObject({ email })
  expect((await byMail.finishWithLink('no link')).error?.code).toBe('started_elsewhere')
})

it('accepts the digits of an earlier mail, as after a second start within a minute, which sends none', async ({
  openBrowser,
}) => {
  const { byMail, start } = openBrowser()
  const { email } = validUser()
  const { digits } = await start(email)
  for (let time = 0; time < 2; time++) await byMail.start({ email })
  expect((await byMail.finishWithDigits(digits)).data).toMatchObject({ isNewUser: true })
})

it('keeps the last three logins, for an hour', async ({ openBrowser }) => {
  const { byMail, finishLogin, start, items } = openBrowser()
  const { code } = await start(validUser().email)
  for (let time = 0; time < 3; time++) await byMail.start({ email: validUser().email })
  expect([...items.values()][0]?.split(',')).toHaveLength(3)
  expect((await byMail.finishWithLink(code)).error?.code).toBe('started_elsewhere')
  vi.useFakeTimers({ now: Date.now() + 3_600_001, toFake: ['Date'] })
  expect((await byMail.finishWithDigits('123456')).error?.code).toBe('started_elsewhere')
  expect(finishLogin).not.toHaveBeenCalled()
})

it('keeps a login that was started before another one has ended', async ({ openBrowser }) => {
  const { byMail, client, finishLogin, start } = openBrowser()
  const { digits } = await start(validUser().email)
  const later = validUser().email
  let code = ''
  finishLogin.mockImplementationOnce(async (...parameters) => {
    const result = await client.finishLogin(...parameters)
    code = (await start(later)).code
    return result
  })
  expect((await byMail.finishWithDigits(digits)).data).toBeDefined()
  expect((await byMail.finishWithLink(code)).data).toMatchObject({ isNewUser: true })
  expect((await client.me()).data?.email).toBe(later)
})

it('sends a link again that got no response', async ({ openBrowser, options }) => {
  const { store } = memoryStore()
  const fetch = vi.fn(globalThis.fetch)
  const byMail = createLoginByMail(createClient({ ...options, fetch }), { store })
  await byMail.start({ email: validUser().email })
  const [item = ''] = String(await store.getItem('usher.logins')).split('.')
  fetch.mockRejectedValueOnce(new TypeError('fetch failed'))
  const code = `${item}.${'x'.repeat(43)}`
  expect((await byMail.finishWithLink(code)).error?.code).toBe('no_answer')
  expect((await byMail.finishWithLink(code)).error?.code).toBe('code_invalid')
  expect((await openBrowser().byMail.finishWithLink(code)).error?.code).toBe('started_elsewhere')
})

it('works with an asynchronous store and the crypto of an app, and without a store', async ({
  usher,
  database,
  options,
}) => {
  const { store, items } = memoryStore()
  const late = {
    getItem: async (key: string) => store.getItem(key),
    setItem: async (key: string, value: string) => store.setItem(key, value),
    removeItem: async (key: string) => store.removeItem(key),
  }
  const digest = vi.fn((algorithm: string, data: BufferSource) => crypto.subtle.digest(algorithm, data))
  const given = {
    getRandomValues: (array: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(array),
    subtle: { digest },
  }
  const logIn = async (of: Parameters<typeof createLoginByMail>[1]) => {
    const byMail = createLoginByMail(createClient(options), of)
    const { email } = validUser()
    const { data } = await byMail.start({ email })
    const { digits } = await mailOf(usher, database.id, { login: data?.login ?? '', email })
    const stored = items.size
    return [stored, (await byMail.finishWithDigits(digits)).data?.isNewUser]
  }
  vi.stubGlobal('crypto', undefined)
  await expect(logIn({ store: late })).rejects.toThrow('crypto.subtle is missing')
  vi.unstubAllGlobals()
  expect(await logIn({ store: late, crypto: given })).toEqual([1, true])
  expect([items.size, digest.mock.calls.length]).toEqual([0, 1])
  expect(await logIn({})).toEqual([0, true])
})

it('shows the steps with React, and sends a link once under StrictMode', async ({ openBrowser }) => {
  const { byMail, client, finishLogin, start } = openBrowser()
  const thrown: string[] = []
  const show = (link?: string) => {
    const View = () => {
      const { step, isPending, error, start, finishWithDigits, restart } = useLoginByMail(byMail, link)
      const text = [step, isPending && 'pending', error?.code].filter(Boolean).join(' ')
      const button = (label: string, onClick: () => unknown) =>
        createElement('button', { key: label, type: 'button', onClick }, label)
      return [
        createElement('p', { key: 'text' }, text),
        button('start', () => start({ email: 'ada' })),
        button('send', () => start({ email: validUser().email })),
        button('finish', () => finishWithDigits('1')),
        button('insecure', () => start({ email: 'ada' }).catch((error) => thrown.push(error.message))),
        button('restart', restart),
      ]
    }
    return renderPage(createElement(StrictMode, null, createElement(View)))
  }
  const { code } = await start(validUser().email)
  const linked = await show(`#code=${code}`)
  await vi.waitFor(() =>
    expect([linked.text().startsWith('email'), client.state]).toEqual([true, 'signedIn']),
  )
  expect(finishLogin).toHaveBeenCalledTimes(1)
  await linked.close()

  const refused = await show(`#code=${crypto.randomUUID()}.${'x'.repeat(43)}`)
  const shows = (text: string, { text: shown }: typeof refused) =>
    vi.waitFor(() => expect(shown().split('start', 1)[0]).toBe(text), 10_000)
  await vi.waitFor(() => expect(refused.text()).toMatch(/^link started_elsewhere/), 10_000)
  refused.button('restart')?.click()
  await shows('email', refused)
  refused.button('start')?.click()
  await shows('email validation_failed', refused)
  refused.button('send')?.click()
  await shows('digits', refused)
  refused.button('finish')?.click()
  await shows('digits validation_failed', refused)

  // What throws is no result, and ends the step, too.
  const { crypto: given } = globalThis
  vi.stubGlobal('crypto', undefined)
  refused.button('insecure')?.click()
  await vi.waitFor(() => expect(thrown).toEqual([expect.stringContaining('crypto.subtle is missing')]))
  vi.stubGlobal('crypto', given)
  await shows('email', refused)
  await refused.close()
})
