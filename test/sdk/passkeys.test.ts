import { createPasskeys, type Passkeys } from '@usher/sdk/passkeys'
import { usePasskeyLogin } from '@usher/sdk/react'
import { createSessionClient } from '@usher/sdk/session'
import { type StartOptions, startUsher } from '@usher/server/testing'
import { createElement, StrictMode } from 'react'
import { afterEach, it as apiTest, expect, vi } from 'vitest'
import { password } from '../support/app.js'
import { createAuthenticator } from '../support/authenticator.js'
import { newGate } from '../support/gate.js'
import { type Given, stubBrowser } from '../support/passkey-browser.js'
import { verifyAddress } from '../support/verified-address.js'
import { renderPage } from './happy-dom.js'
import { memoryStore } from './stub-fetch.js'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const origin = 'https://app.example.com'
const it = apiTest
  .extend('options', { scope: 'file' }, { appUrl: origin } as StartOptions)
  .extend('usher', { scope: 'file' }, async ({ options }, { onCleanup }) => {
    const usher = await startUsher(options)
    onCleanup(usher.stop)
    return usher
  })
  .extend('page', ({ usher }) => async (email: string, authenticator = createAuthenticator()) => {
    const browser = stubBrowser(authenticator)
    const client = createSessionClient({ ...usher, retries: 0, sessionStore: memoryStore().store })
    const passkeys = createPasskeys(client)
    await client.createUser({ email, password })
    await verifyAddress(usher, email)
    return { ...browser, authenticator, client, passkeys }
  })

it('adds a passkey, logs in with it, and proves a second factor', async ({ page }) => {
  const { client, passkeys, signals } = await page('ada@example.com')
  const added = await passkeys.add({ password, name: 'Phone' })
  expect(added.data).toMatchObject({ factor: { kind: 'passkey', name: 'Phone' } })
  await client.signOut()
  expect((await passkeys.login()).data).toMatchObject({ confirmation: { maxAge: 600 } })
  const { data: begun } = await client.beginStepUp()
  const proof = begun?.options && (await passkeys.prove(begun.options))
  expect((await client.stepUp(proof ?? {})).data).toBeDefined()
  await passkeys.signal()
  const { credentialId, userHandle } = added.data?.factor.passkey ?? {}
  const accepted = { rpId: 'app.example.com', userId: userHandle, allAcceptedCredentialIds: [credentialId] }
  expect(signals.accepted.mock.calls).toEqual([[accepted]])
})

it('logs in by the list of a field, with a challenge that it renews', async ({ page, usher }) => {
  const { client, passkeys, lists } = await page('grace@example.com')
  await passkeys.add({ password })
  await client.signOut()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const login = passkeys.autofill()
  await vi.waitFor(() => expect(lists).toHaveLength(1))
  usher.advanceSeconds(241)
  await vi.advanceTimersByTimeAsync(240_000)
  vi.useRealTimers()
  await vi.waitFor(() => expect(lists).toHaveLength(2))
  expect(lists[0]?.signal.aborted).toBe(true)
  lists[1]?.choose()
  expect((await login)?.data).toBeDefined()
})

it('ends the list when another passkey is used, or the page aborts', async ({ page }) => {
  const { passkeys, client, lists } = await page('alan@example.com')
  await passkeys.add({ password })
  await client.signOut()
  const waiting = passkeys.autofill()
  await vi.waitFor(() => expect(lists).toHaveLength(1))
  expect((await passkeys.login()).data).toBeDefined()
  expect(await waiting).toBeUndefined()
  const controller = new AbortController()
  const aborted = passkeys.autofill({ signal: controller.signal as never })
  await vi.waitFor(() => expect(lists).toHaveLength(2))
  controller.abort()
  expect(await aborted).toBeUndefined()
})

it('lets a list that begins late end no login of a click', async ({ page }) => {
  const { passkeys, client, lists } = await page('edith@example.com')
  await passkeys.add({ password })
  await client.signOut()
  const signals: AbortSignal[] = []
  const choice = newGate()
  const { get } = navigator.credentials
  const waits = async (given: never) => {
    const { mediation, signal } = given as Given
    if (mediation) return get(given)
    signals.push(signal)
    await choice.opened
    return get(given)
  }
  vi.stubGlobal('navigator', { credentials: { get: waits } })
  const late = passkeys.autofill()
  const login = passkeys.login()
  const later = passkeys.autofill()
  await vi.waitFor(() => expect(signals).toHaveLength(1))
  expect([await late, await later, lists.length]).toEqual([undefined, undefined, 0])
  choice.open()
  expect((await login).data).toBeDefined()
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
})

it.for([
  ['NotAllowedError', 'passkey_cancelled'],
  ['AbortError', 'passkey_cancelled'],
  ['InvalidStateError', 'passkey_exists'],
  ['SecurityError', 'passkeys_unsupported'],
])('returns the error of the browser %s as %s', async ([error, code], { page }) => {
  const { passkeys, authenticator } = await page(`${error}@example.com`)
  stubBrowser(authenticator, { error })
  expect((await passkeys.login()).error?.code).toBe(code)
  expect((await passkeys.add({ password })).error?.code).toBe(code)
})

it('returns an error where there are no passkeys, and tells a device of a removed one', async ({ page }) => {
  const { passkeys, client, signals, authenticator } = await page('joan@example.com')
  const { data } = await passkeys.add({ password })
  const confirmation = data?.confirmation.value
  await client.removeFactor(data?.factor.id ?? '', { confirmation })
  expect((await passkeys.login()).error?.code).toBe('passkey_unknown')
  const credentialId = Buffer.from(authenticator.credentials[0]?.id ?? '').toString('base64url')
  expect(signals.unknown.mock.calls).toEqual([[{ rpId: 'app.example.com', credentialId }]])
  vi.stubGlobal('PublicKeyCredential', undefined)
  expect((await passkeys.login()).error?.code).toBe('passkeys_unsupported')
  expect(await passkeys.autofill()).toBeUndefined()
})

it('shows a login with React, in strict mode, and ends the list with the component', async () => {
  const signals: AbortSignal[] = []
  const autofill = ({ signal }: { signal: AbortSignal }) => {
    signals.push(signal)
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
  }
  const error = { code: 'passkey_cancelled' }
  const passkeys = { autofill, login: async () => ({ data: undefined, error }) } as unknown as Passkeys
  let login: () => Promise<void> = async () => {}
  const View = () => {
    const state = usePasskeyLogin(passkeys)
    login = state.login
    return createElement('p', null, state.isPending ? 'pending' : (state.error?.code ?? 'ready'))
  }
  const page = await renderPage(createElement(StrictMode, null, createElement(View)))
  await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]))
  expect(page.text()).toBe('ready')
  await login()
  await vi.waitFor(() => expect(page.text()).toBe('passkey_cancelled'))
  await page.close()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
})
