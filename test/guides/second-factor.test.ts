import { Window } from 'happy-dom'
import { expect, onTestFinished, vi } from 'vitest'
import { password, validUser } from '../support/app.js'
import { setDatabase } from '../support/operator-changes.js'
import { freePort } from '../support/postgres-server.js'
import { totpAt } from '../support/second-factor.js'
import { snippetsOf } from '../support/snippets.js'
import { it as guideTest } from './guide-files.js'

const [page] = (await snippetsOf('docs/guides/second-factor.md')).filter(
  ({ language }) => language === 'html',
)

const it = guideTest
  // Backends verify tokens of a server that is at its BASE_URL.
  .extend('settings', { scope: 'file' }, async () => {
    const port = await freePort()
    return { PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` }
  })
  .extend('origin', { scope: 'file' }, ({ usher }) =>
    usher.app.listen({ host: '127.0.0.1', port: usher.config.port }),
  )
  /** The page of the guide, whose time is that of the server. */
  .extend('guide', async ({ load, clock }) => {
    clock.now = Date.now()
    vi.useFakeTimers({ now: clock.now, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { document, localStorage, Event } = new Window({ url: 'http://localhost' })
    vi.stubGlobal('localStorage', localStorage)
    document.body.innerHTML = page?.code ?? ''
    const [form] = document.forms
    const guide = await load(
      'second-factor',
      "export * from './usher'; export * from './question'; export * from './factors'; export * from './step-up'; export * from './backend'",
    )
    guide.connect(form)
    vi.stubGlobal('fetch', sendTo(guide.createPayout))
    const input = form?.querySelector('input')
    return {
      ...guide,
      /** Waits for the form, and fills it in. Returns the error that it shows. */
      async answer(code: string | undefined) {
        await vi.waitFor(() => expect(form?.hidden).toBe(false), 10_000)
        const error = form?.querySelector('[role=alert]')?.textContent
        if (input) input.value = code ?? ''
        form?.dispatchEvent(new Event(code === undefined ? 'reset' : 'submit'))
        return error
      },
      isAsked: () => form?.hidden === false,
      /** Returns a code of an app that was not used. */
      nextCode(secret: string) {
        clock.now += 30_000
        vi.setSystemTime(clock.now)
        return totpAt(secret, clock.now)
      },
    }
  })
  /** A user with an app. */
  .extend('user', async ({ guide, clock, database }) => {
    const { email } = validUser()
    await guide.usher.createUser({ email, password })
    await database.markVerified(email)
    const { challenge, secret, image } = await guide.start({ password })
    expect(decodeURIComponent(image)).toMatch(/^data:image\/svg\+xml,<svg /)
    const wrong = await guide.finish(challenge, '000000', 'My phone')
    expect(wrong).toMatchObject({ recoveryCodes: [], error: { code: 'second_factor_invalid' } })
    const { recoveryCodes } = await guide.finish(challenge, totpAt(secret, clock.now), 'My phone')
    expect(recoveryCodes).toHaveLength(8)
    return { email, secret: String(secret), recoveryCodes: recoveryCodes as string[] }
  })

const payouts = 'https://backend.example.com/payouts'

/** Returns `fetch` with the backend of the guide. */
function sendTo(createPayout: (request: Request) => Promise<Response>): typeof fetch {
  const { fetch } = globalThis
  return (url, init) => (url === payouts ? createPayout(new Request(payouts, init)) : fetch(url, init))
}

it('asks for a code in logins, and before a sensitive action of the backend', async ({ guide, user }) => {
  const { email, secret } = user
  const pay = () => guide.send(payouts, { method: 'POST' })
  expect((await pay()).status).toBe(200)
  await guide.usher.signOut()
  const cancelled = guide.logIn(email, password)
  await guide.answer(undefined)
  expect(await cancelled).toMatchObject({ error: { title: 'Second factor is required' } })

  const login = guide.logIn(email, password)
  expect(await guide.answer('000000')).toBe('')
  await vi.waitFor(
    async () => expect(await guide.answer(guide.nextCode(secret))).toBe('Second factor is wrong'),
    10_000,
  )
  expect((await login).error).toBeUndefined()
  const paid = await pay()
  expect([paid.status, await paid.json()]).toEqual([200, { createdBy: expect.any(String) }])

  for (let minutes = 0; minutes < 11; minutes += 0.5) guide.nextCode(secret)
  const declined = pay()
  await guide.answer(undefined)
  expect((await declined).status).toBe(401)
  const payout = pay()
  await guide.answer('000000')
  await vi.waitFor(
    async () => expect(await guide.answer(guide.nextCode(secret))).toBe('Second factor is wrong'),
    10_000,
  )
  expect((await payout).status).toBe(200)
})

it('replaces a lost phone by recovery codes', async ({ guide, user }) => {
  const { email, recoveryCodes } = user
  await guide.usher.signOut()
  const login = guide.logIn(email, password)
  await guide.answer(recoveryCodes[0])
  expect((await login).error).toBeUndefined()
  const [lost] = (await guide.list()).data.factors
  const starting = guide.start({ password })
  await guide.answer(recoveryCodes[1])
  const { challenge, secret } = await starting
  const added = await guide.finish(challenge, guide.nextCode(secret), 'New phone')
  expect(added).toEqual({ recoveryCodes: [], error: undefined })
  const removal = guide.remove(lost.id)
  await guide.answer(guide.nextCode(secret))
  expect((await removal).error).toBeUndefined()
  const codes = guide.newRecoveryCodes()
  await guide.answer(guide.nextCode(secret))
  expect((await codes).data.codes).toHaveLength(8)
  const { factors, recoveryCodes: left } = (await guide.list()).data
  expect([factors.map(({ name }: { name: string }) => name), left]).toEqual([['New phone'], 8])
})

it('leaves the response of the backend to the page if the user has no app', async ({ guide }) => {
  await guide.usher.createUser({ email: validUser().email, password })
  const response = await guide.send(payouts, { method: 'POST' })
  expect([response.status, (await response.json()).code]).toEqual([401, 'step_up_required'])
  expect(guide.isAsked()).toBe(false)
})

it('adds an app in a login if the database requires one', async ({ usher, database, guide, clock }) => {
  const { email } = validUser()
  await database.verifiedUser({ email })
  await setDatabase(usher.store, database, { secondFactor: 'required', secondFactorGrace: 0 })
  usher.clock.cacheAhead += 6_000
  clock.now += 1_000
  onTestFinished(async () => void (await setDatabase(usher.store, database, { secondFactor: 'optional' })))
  const { challenge, error } = await guide.logIn(email, password)
  expect(error.code).toBe('enrolment_required')
  const started = await guide.start({ challenge })
  const { recoveryCodes } = await guide.finish(started.challenge, totpAt(started.secret, clock.now), 'Phone')
  expect([recoveryCodes.length, guide.usher.state]).toEqual([8, 'signedIn'])
})
