import { Window } from 'happy-dom'
import { expect, onTestFinished, vi } from 'vitest'
import { password, validUser } from '../support/app.js'
import { createAuthenticator } from '../support/authenticator.js'
import { stubBrowser } from '../support/passkey-browser.js'
import { snippetsOf } from '../support/snippets.js'
import { it as guideTest } from './guide-files.js'

const [page] = (await snippetsOf('docs/guides/passkeys.md')).filter(({ language }) => language === 'html')

const it = guideTest
  .extend('guide', async ({ load, clock }) => {
    clock.now = Date.now()
    const { document, localStorage } = new Window({ url: 'http://localhost' })
    vi.stubGlobal('localStorage', localStorage)
    onTestFinished(() => void vi.unstubAllGlobals())
    document.body.innerHTML = page?.code ?? ''
    const [form] = document.forms
    const browser = stubBrowser(createAuthenticator())
    const guide = await load(
      'passkeys',
      "export * from './usher'; export * from './login'; export * from './passkeys'",
    )
    return {
      ...guide,
      ...browser,
      connect: () => guide.connect(form),
      click: () => form?.querySelector('button')?.click(),
      alert: () => form?.querySelector('[role=alert]')?.textContent,
    }
  })
  /** A user with a passkey, who has logged out. */
  .extend('factor', async ({ guide, database }) => {
    const { email } = validUser()
    await guide.usher.createUser({ email, password })
    await database.markVerified(email)
    expect((await guide.add('Phone', password)).recoveryCodes).toHaveLength(8)
    const [factor] = (await guide.list()).data.factors
    await guide.usher.signOut()
    return factor
  })

it('logs in by the button and by the list of the field', async ({ guide, factor: _ }) => {
  const login = vi.spyOn(guide.passkeys, 'login')
  const first = guide.connect()
  await vi.waitFor(() => expect(guide.lists).toHaveLength(1), 10_000)
  guide.click()
  await first
  expect((await login.mock.results[0]?.value)?.data).toBeDefined()
  await guide.usher.signOut()
  guide.connect()
  await vi.waitFor(() => expect(guide.lists).toHaveLength(2), 10_000)
  guide.lists[1].choose()
  await vi.waitFor(() => expect(guide.usher.state).toBe('signedIn'), 10_000)
  expect(guide.alert()).toBe('')
})

it('asks for a passkey to add and to remove one, and tells the device', async ({ guide, factor }) => {
  await guide.passkeys.login()
  const removal = guide.remove(factor.id)
  await vi.waitFor(() => expect(guide.questions.current?.options).toBeDefined(), 10_000)
  await guide.answer()
  expect((await removal).error).toBeUndefined()
  expect((await guide.list()).data.factors).toEqual([])
  await guide.usher.signOut()
  const connected = guide.connect()
  await vi.waitFor(() => expect(guide.lists).toHaveLength(1), 10_000)
  guide.click()
  await vi.waitFor(() => expect(guide.alert()).toBe('Passkey belongs to no account'), 10_000)
  expect(guide.signals.unknown).toHaveBeenCalledOnce()
  await connected
})
