import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createElement, StrictMode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, onTestFinished, vi } from 'vitest'
import { renderPage } from '../sdk/happy-dom.js'
import { password, validUser } from '../support/app.js'
import { hosts, it } from './guide-files.js'
import { createEvents } from './sveltekit-events.js'

const run = promisify(execFile)

/** Stops the clock of the server and that of the test at the same instant. */
function startNow(clock: { now: number }) {
  const now = Date.now()
  clock.now = now
  vi.useFakeTimers({ now, toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  return now
}

afterEach(() => vi.unstubAllGlobals())
it.afterAll(({ usher }) => usher.app.server.closeAllConnections())

it('compiles every guide', async ({ folder }) => {
  // The types of pg are installed.
  const { pg: _, ...untyped } = hosts
  const paths = {
    ...Object.fromEntries(Object.entries(untyped).map(([name, file]) => [name, [file]])),
    '$lib/*': [join(folder, 'sveltekit/src/lib/*')],
  }
  // What the templates of Vite, Next.js and SvelteKit declare.
  await writeFile(
    join(folder, 'platform.d.ts'),
    "declare module '*.css'\ndeclare function $props(): { children: unknown }\n",
  )
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    jsx: 'react-jsx',
    paths,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*'] }))
  const compile = run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder])
  expect(await compile.catch(({ stdout }) => ({ stdout }))).toMatchObject({ stdout: '' })
})

const newPassword = 'four random common words'
const day = 86_400_000

it('signs up, stays logged in, recovers the account, and logs out with Next.js', async ({
  load,
  linkTo,
  clock,
}) => {
  const now = startNow(clock)
  const guide = await load(
    'nextjs',
    `export { default as LogIn } from './app/log-in/page'
    export { default as ForgotPassword } from './app/forgot-password/page'
    export { default as ResetPassword } from './app/reset-password/page'
    export { default as Home } from './app/page'
    export * from './app/actions'
    export * from './proxy'
    export { jar, runAction } from 'next/headers'`,
  )
  const { email } = validUser()
  const form = (values: object) => {
    const data = new FormData()
    for (const [name, value] of Object.entries(values)) data.set(name, value)
    return data
  }
  const sent = vi.spyOn(globalThis, 'fetch')
  /**
   * Opens the page as Next.js does: the proxy sees a copy of the cookies, and the browser gets those of the response.
   */
  const visit = async () => {
    const cookies = new Map(guide.jar)
    const request = {
      headers: new Headers({ 'X-Forwarded-For': '203.0.113.7' }),
      cookies: {
        get: (name: string) => cookies.get(name),
        set: (name: string, value: string) => cookies.set(name, { value }),
        delete: (name: string) => cookies.delete(name),
      },
    }
    const { changes } = await guide.proxy(request)
    for (const [name, cookie] of changes) {
      if (cookie.maxAge) guide.jar.set(name, cookie)
      else guide.jar.delete(name)
    }
    expect([...guide.jar.keys()]).toEqual([...cookies.keys()])
    return renderToStaticMarkup(await guide.Home())
  }
  await expect(visit()).rejects.toThrow('redirect to /log-in')
  expect(sent).not.toHaveBeenCalled()

  const failure = await guide.runAction(guide.signUp, undefined, form({ email: 'ada', password: '' }))
  expect(failure).toMatchObject({
    code: 'validation_failed',
    errors: [{ path: 'email' }, { path: 'password' }],
  })
  await expect(guide.runAction(guide.signUp, undefined, form({ email, password }))).rejects.toThrow(
    'redirect to /',
  )
  const attributes = { httpOnly: true, secure: true, sameSite: 'lax', path: '/', maxAge: 7_776_000 }
  expect([...guide.jar]).toEqual([
    [expect.stringMatching(/^[\w.-]+$/), { value: expect.stringMatching(/^ey/), ...attributes }],
    [expect.stringMatching(/^[\w.-]+\.session$/), { value: expect.any(String), ...attributes }],
  ])
  expect(await visit()).toContain(email)
  const cookies = [...guide.jar.values()]
  for (let days = 1; days < 30; days += 10) {
    clock.now = now + days * day
    vi.setSystemTime(clock.now)
    expect(await visit()).toContain(email)
  }
  expect([...guide.jar.values()]).not.toEqual(cookies)
  for (const [, init] of sent.mock.calls)
    expect(init?.headers).toMatchObject({ 'X-Forwarded-For': '203.0.113.7' })

  await expect(guide.runAction(guide.signOut)).rejects.toThrow('redirect to /log-in')
  expect(guide.jar.size).toBe(0)
  await expect(visit()).rejects.toThrow('redirect to /log-in')

  const forgot = await renderPage(createElement(guide.ForgotPassword))
  await vi.waitFor(() => expect(forgot.button('Send a link')).toBeDefined(), 10_000)
  forgot.fill({ email })
  forgot.button('Send a link')?.click()
  await vi.waitFor(() => expect(forgot.text()).toContain('If an account has this address'), 10_000)
  await forgot.close()
  const url = await linkTo(email)
  const reset = await renderPage(createElement(StrictMode, null, createElement(guide.ResetPassword)), { url })
  await vi.waitFor(() => expect(reset.button('Change password')).toBeDefined(), 10_000)
  reset.fill({ newPassword: 'password1' })
  reset.button('Change password')?.click()
  await vi.waitFor(() => expect(reset.text()).toContain('must not be a common password'), 10_000)
  await reset.close()
  const code = url.split('#code=')[1]
  await expect(guide.runAction(guide.resetPassword, undefined, form({ code, newPassword }))).rejects.toThrow(
    'redirect to /',
  )
  expect(await visit()).toContain(email)
  await expect(guide.runAction(guide.signOut)).rejects.toThrow('redirect to /log-in')

  const page = await renderPage(createElement(guide.LogIn))
  await vi.waitFor(() => expect(page.button('Log in')).toBeDefined(), 10_000)
  page.fill({ email, password })
  page.button('Log in')?.click()
  await vi.waitFor(() => expect(page.text()).toContain('Invalid email or password'), 10_000)
  await page.close()
  await expect(
    guide.runAction(guide.logIn, undefined, form({ email, password: newPassword })),
  ).rejects.toThrow('redirect to /')
})

it('logs in, stays logged in, recovers the account, and logs out with SvelteKit', async ({
  load,
  linkTo,
  clock,
}) => {
  const now = startNow(clock)
  const guide = await load(
    'sveltekit',
    `export * as home from './src/routes/+page.server'
    export * as logIn from './src/routes/log-in/+page.server'
    export * as forgot from './src/routes/forgot-password/+page.server'
    export * as reset from './src/routes/reset-password/+page.server'
    export * as resetPage from './src/routes/reset-password/+page'
    export { usherOf } from './src/lib/server/usher'`,
  )
  const jar = new Map<string, string>()
  const event = createEvents(jar)
  const expectHome = async (email: string) =>
    expect(await guide.home.load(event())).toMatchObject({ user: { email } })
  const { email } = validUser()
  await guide.usherOf(event()).createUser({ email, password })
  await expectHome(email)
  for (let days = 1; days < 30; days += 10) {
    clock.now = now + days * day
    vi.setSystemTime(clock.now)
    await expectHome(email)
  }
  await expect(guide.home.actions.default(event())).rejects.toThrow('303 to /log-in')
  expect(jar.size).toBe(0)
  const sent = vi.spyOn(globalThis, 'fetch')
  await expect(guide.home.load(event())).rejects.toThrow('303 to /log-in')
  expect(sent).not.toHaveBeenCalled()

  expect(await guide.forgot.actions.default(event({ email }))).toEqual({ isSent: true })
  vi.stubGlobal('location', new URL(await linkTo(email)))
  const { code } = guide.resetPage.load()
  const common = await guide.reset.actions.default(event({ code, newPassword: 'password1' }))
  expect(common).toMatchObject({ status: 400, data: { error: { errors: [{ path: 'newPassword' }] } } })
  await expect(guide.reset.actions.default(event({ code, newPassword }))).rejects.toThrow('303 to /')
  await expectHome(email)
  await expect(guide.home.actions.default(event())).rejects.toThrow('303 to /log-in')

  const wrong = await guide.logIn.actions.default(event({ email, password }))
  expect(wrong).toMatchObject({ status: 401, data: { error: { code: 'invalid_credentials' } } })
  await expect(guide.logIn.actions.default(event({ email, password: newPassword }))).rejects.toThrow(
    '303 to /',
  )
  expect([...jar.keys()]).toEqual(Array(2).fill(expect.stringMatching(/^[\w.-]+$/)))
})

it('stays logged in by a session of the page', async ({ load, origin, database }) => {
  const items = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  })
  const page = await load('sessions', "export * from './page'")
  const { email } = validUser()
  expect(await page.currentUser()).toBeUndefined()
  await page.usher.createUser({ email, password })
  const reloaded = await load('sessions', "export * from './page'")
  const { workspaceSlug, databaseName } = database
  const url = `${origin}/workspaces/${workspaceSlug}/databases/${databaseName}/users/me`
  expect((await reloaded.fetchFromBackend(url)).status).toBe(200)
  expect(await reloaded.currentUser()).toMatchObject({ email })
  await reloaded.usher.signOut()
  expect(items.size).toBe(0)
  const sent = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response())
  await reloaded.fetchFromBackend('https://backend.example.com')
  expect(new Headers(sent.mock.lastCall?.[1]?.headers).has('authorization')).toBe(false)
})

it('stays logged in by a session of a backend', async ({ load, database }) => {
  const backend = await load('sessions', "export * from './backend'")
  const { email } = validUser()
  await database.signedUp({ email })
  const request = (body?: object, cookie = '') =>
    new Request('https://app.example.com/session', {
      method: 'POST',
      headers: { cookie },
      ...(body && { body: JSON.stringify(body) }),
    })
  const cookieOf = ({ headers }: Response) => headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const wrong = await backend.logIn(request({ email, password: 'a wrong password' }))
  expect([wrong.status, await wrong.json()]).toMatchObject([401, { code: 'invalid_credentials' }])
  const loggedIn = await backend.logIn(request({ email, password }))
  expect(loggedIn.headers.get('set-cookie')).toMatch(
    /^__Host-session=[\w.-]+; Max-Age=1209600; .*HttpOnly; Secure/,
  )
  const again = await backend.logIn(request({ email, password }, cookieOf(loggedIn)))
  expect((await backend.refresh(request(undefined, cookieOf(loggedIn)))).status).toBe(401)
  const refreshed = await backend.refresh(request(undefined, cookieOf(again)))
  expect((await database.me((await refreshed.json()).jwt)).statusCode).toBe(200)
  const loggedOut = await backend.logOut(request(undefined, cookieOf(refreshed)))
  expect([loggedOut.status, cookieOf(loggedOut)]).toEqual([204, '__Host-session='])
  for (const cookie of [cookieOf(refreshed), ''])
    expect((await backend.refresh(request(undefined, cookie))).status).toBe(401)
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('<h1>Welcome</h1>'))
  expect((await backend.logIn(request({ email, password }))).status).toBe(503)
})

it('logs in, stays logged in after a restart, recovers the account, and logs out with Expo', async ({
  load,
  linkTo,
  clock,
  database,
}) => {
  clock.now = Date.now()
  const { email } = validUser()
  await database.createUser({ email, password })
  const start = () =>
    load(
      'expo',
      `export { default as Index } from './app/index'
      export { default as ResetPassword } from './app/reset-password'
      export { openBy } from 'expo-linking'
      export { items } from 'expo-secure-store'`,
    )
  const { Index, items } = await start()
  const page = await renderPage(createElement(StrictMode, null, createElement(Index)))
  await vi.waitFor(() => expect(page.button('Log in')).toBeDefined(), 10_000)
  page.fill({ Email: email, Password: 'a wrong password' })
  page.button('Log in')?.click()
  await vi.waitFor(() => expect(page.text()).toContain('Invalid email or password'), 10_000)
  page.fill({ Password: password })
  page.button('Log in')?.click()
  await vi.waitFor(() => expect(page.text()).toContain(email), 10_000)
  await page.close()

  const restarted = await start()
  await vi.waitFor(() => expect(items.size).toBe(1), 10_000)
  const [[key, value]] = items
  expect(key).toMatch(/\.session$/)
  restarted.items.set(key, value)
  const later = await renderPage(createElement(StrictMode, null, createElement(restarted.Index)))
  await vi.waitFor(() => expect(later.text()).toContain(email), 10_000)
  later.button('Log out')?.click()
  await vi.waitFor(() => expect(later.button('Forgot password')).toBeDefined(), 10_000)
  await vi.waitFor(() => expect(restarted.items.size).toBe(0), 10_000)
  later.fill({ Email: email })
  later.button('Forgot password')?.click()
  await vi.waitFor(() => expect(later.text()).toContain('If an account has this address'), 10_000)
  await later.close()

  restarted.openBy(await linkTo(email))
  const linked = await renderPage(createElement(restarted.ResetPassword))
  await vi.waitFor(() => expect(linked.button('Change password')).toBeDefined(), 10_000)
  linked.fill({ 'New password': newPassword })
  linked.button('Change password')?.click()
  await vi.waitFor(() => expect(linked.text()).toContain('Your password is changed.'), 10_000)
  await linked.close()
  const home = await renderPage(createElement(restarted.Index))
  await vi.waitFor(() => expect(home.text()).toContain(email), 10_000)
  await home.close()
  expect((await database.login({ email, password: newPassword })).statusCode).toBe(200)
})
