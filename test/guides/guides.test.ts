import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { User } from '@usher/sdk'
import { build } from 'esbuild'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, describe, expect, onTestFinished, vi } from 'vitest'
import { password, validUser } from '../support/app.js'
import { it as browserTest, hasBrowser } from '../support/browser.js'
import { renderPage } from '../support/happy-dom.js'
import { snippetsOf } from '../support/snippets.js'

const run = promisify(execFile)
const guides = (await readdir('docs/guides')).filter((name) => name !== 'README.md')
const hosts: Record<string, string> = {
  'next/headers': resolve('test/guides/hosts/next-headers.ts'),
  'next/navigation': resolve('test/guides/hosts/next-navigation.ts'),
  '@sveltejs/kit': resolve('test/guides/hosts/sveltejs-kit.ts'),
  'expo-secure-store': resolve('test/guides/hosts/expo-secure-store.ts'),
  'react-native': resolve('test/guides/hosts/react-native.tsx'),
}

const it = browserTest
  .extend('folder', { scope: 'file' }, async ({ origin, database }, { onCleanup }) => {
    const folder = await mkdtemp(resolve('node_modules', '.usher-guides-'))
    onCleanup(() => rm(folder, { recursive: true }))
    for (const guide of guides) {
      for (const { heading, code } of await snippetsOf(`docs/guides/${guide}`)) {
        const file = join(folder, guide.replace('.md', ''), heading.replaceAll('`', ''))
        await mkdir(dirname(file), { recursive: true })
        const connected = code
          .replace('http://localhost:3000', origin)
          .replace("workspace: 'demo'", `workspace: '${database.workspaceSlug}'`)
          .replace("database: 'app'", `database: '${database.databaseName}'`)
        await writeFile(file, connected)
      }
    }
    return folder
  })
  /** Bundles the files of a guide, with stand-ins for its framework. Returns what `contents` exports. */
  .extend('load', ({ folder }) => async (guide: string, contents: string) => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: join(folder, guide) },
      bundle: true,
      external: ['react', '@tanstack/react-query'],
      alias: hosts,
      conditions: ['@usher/source'],
      jsx: 'automatic',
      format: 'esm',
      write: false,
    })
    const file = join(folder, `${guide}-${Math.random()}.mjs`)
    await writeFile(file, outputFiles[0]?.contents ?? '')
    return await import(/* @vite-ignore */ file)
  })

afterEach(() => vi.unstubAllGlobals())
it.afterAll(({ usher }) => usher.app.server.closeAllConnections())

it('compiles every guide', async ({ folder }) => {
  const paths = Object.fromEntries(Object.entries(hosts).map(([name, file]) => [name, [file]]))
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

it('signs up, stays logged in, and logs out with React and TanStack Query', async ({ load }) => {
  const start = () => load('react', "export * from './src/app'; export * from './src/usher'")
  const { App, usher } = await start()
  const page = await renderPage(
    createElement(QueryClientProvider, { client: new QueryClient() }, createElement(App)),
  )
  const { email } = validUser()
  const signUp = async (expected: string) => {
    await vi.waitFor(() => expect(page.button('Sign up')?.disabled).toBe(false), 10_000)
    page.button('Sign up')?.click()
    await vi.waitFor(() => expect(page.text()).toContain(expected), 10_000)
  }
  await vi.waitFor(() => expect(page.button('Sign up')).toBeDefined())
  page.fill({ email: 'ada@example', password })
  await signUp('must be an email address')
  page.fill({ email })
  await signUp(email)
  expect((await start()).usher.token).toBe(usher.token)

  page.button('Log out')?.click()
  await vi.waitFor(() => expect(page.button('Sign up')).toBeDefined())
  expect(usher.token).toBeUndefined()
  page.fill({ email, password })
  await signUp('Email address is already in use')
  await page.close()
})

it('signs up, shows the user, and logs out with Next.js', async ({ load }) => {
  const guide = await load(
    'nextjs',
    `export { default as SignUp } from './app/sign-up/page'
    export { default as Home } from './app/page'
    export { signOut, signUp } from './app/sign-up/actions'
    export { jar, runAction } from 'next/headers'`,
  )
  const { email } = validUser()
  const form = (values: object) => {
    const data = new FormData()
    for (const [name, value] of Object.entries(values)) data.set(name, value)
    return data
  }
  const sent = vi.spyOn(globalThis, 'fetch')
  await expect(guide.Home()).rejects.toThrow('redirect to /sign-up')

  const failure = await guide.runAction(guide.signUp, undefined, form({ email: 'ada', password: '' }))
  expect(failure).toMatchObject({
    code: 'validation_failed',
    errors: [{ path: 'email' }, { path: 'password' }],
  })
  await expect(guide.runAction(guide.signUp, undefined, form({ email, password }))).rejects.toThrow(
    'redirect to /',
  )
  expect([...guide.jar]).toEqual([
    [
      expect.stringMatching(/^[\w.-]+$/),
      { value: expect.stringMatching(/^ey/), httpOnly: true, secure: true, sameSite: 'lax' },
    ],
  ])
  expect(renderToStaticMarkup(await guide.Home())).toContain(email)
  for (const [, init] of sent.mock.calls)
    expect(init?.headers).toMatchObject({ 'X-Forwarded-For': '203.0.113.7' })

  await expect(guide.runAction(guide.signOut)).rejects.toThrow('redirect to /sign-up')
  expect(guide.jar.size).toBe(0)

  const page = await renderPage(createElement(guide.SignUp))
  await vi.waitFor(() => expect(page.button('Sign up')).toBeDefined())
  page.fill({ email, password })
  page.button('Sign up')?.click()
  await vi.waitFor(() => expect(page.text()).toContain('Email address is already in use'))
  await page.close()
})

it('logs in, shows the user, and logs out with SvelteKit', async ({ load }) => {
  const guide = await load(
    'sveltekit',
    `export * as home from './src/routes/+page.server'
    export * as logIn from './src/routes/log-in/+page.server'
    export { usherOf } from './src/lib/server/usher'`,
  )
  const jar = new Map<string, string>()
  const event = (values: Record<string, string> = {}) => ({
    cookies: {
      get: (name: string) => jar.get(name),
      set: (name: string, value: string) => void jar.set(name, value),
      delete: (name: string) => void jar.delete(name),
    },
    getClientAddress: () => '203.0.113.7',
    request: { formData: async () => new Map(Object.entries(values)) },
  })
  const { email } = validUser()
  await guide.usherOf(event()).createUser({ email, password })
  await guide.home.load(event()).then(({ user }: { user: User }) => expect(user.email).toBe(email))
  await expect(guide.home.actions.default(event())).rejects.toThrow('303 to /log-in')
  expect(jar.size).toBe(0)
  await expect(guide.home.load(event())).rejects.toThrow('303 to /log-in')

  const wrong = await guide.logIn.actions.default(event({ email, password: 'a wrong password' }))
  expect(wrong).toMatchObject({ status: 401, data: { error: { code: 'invalid_credentials' } } })
  await expect(guide.logIn.actions.default(event({ email, password }))).rejects.toThrow('303 to /')
  expect([...jar.keys()]).toEqual([expect.stringMatching(/^[\w.-]+$/)])
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
  expect((await reloaded.fetchFromBackEnd(url)).status).toBe(200)
  expect(await reloaded.currentUser()).toMatchObject({ email })
  await reloaded.usher.signOut()
  expect(items.size).toBe(0)
})

it('stays logged in by a session of a back end', async ({ load, database }) => {
  const backEnd = await load('sessions', "export * from './back-end'")
  const { email } = validUser()
  await database.signedUp({ email })
  const request = (body?: object, cookie = '') =>
    new Request('https://app.example.com/session', {
      method: 'POST',
      headers: { cookie },
      ...(body && { body: JSON.stringify(body) }),
    })
  const cookieOf = ({ headers }: Response) => headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const wrong = await backEnd.logIn(request({ email, password: 'a wrong password' }))
  expect([wrong.status, await wrong.json()]).toMatchObject([401, { code: 'invalid_credentials' }])
  const loggedIn = await backEnd.logIn(request({ email, password }))
  expect(loggedIn.headers.get('set-cookie')).toMatch(
    /^__Host-session=[\w.-]+; Max-Age=1209600; .*HttpOnly; Secure/,
  )
  const refreshed = await backEnd.refresh(request(undefined, cookieOf(loggedIn)))
  expect((await database.me((await refreshed.json()).jwt)).statusCode).toBe(200)
  const loggedOut = await backEnd.logOut(request(undefined, cookieOf(refreshed)))
  expect([loggedOut.status, cookieOf(loggedOut)]).toEqual([204, '__Host-session='])
  for (const cookie of [cookieOf(refreshed), ''])
    expect((await backEnd.refresh(request(undefined, cookie))).status).toBe(401)
})

it('logs in, stays logged in after a restart, and logs out with Expo', async ({ load, database }) => {
  const { email } = validUser()
  await database.createUser({ email, password })
  const start = () =>
    load(
      'expo',
      `export { default as Index } from './app/index'
      export { items } from 'expo-secure-store'`,
    )
  const { Index, items } = await start()
  const page = await renderPage(createElement(Index))
  await vi.waitFor(() => expect(page.button('Log in')).toBeDefined())
  page.fill({ Email: email, Password: 'a wrong password' })
  page.button('Log in')?.click()
  await vi.waitFor(() => expect(page.text()).toContain('Invalid email or password'))
  page.fill({ Password: password })
  page.button('Log in')?.click()
  await vi.waitFor(() => expect(page.text()).toContain(email))
  await page.close()

  const restarted = await start()
  const [[key, value]] = items
  restarted.items.set(key, value)
  const later = await renderPage(createElement(restarted.Index))
  await vi.waitFor(() => expect(later.text()).toContain(email))
  later.button('Log out')?.click()
  await vi.waitFor(() => expect(later.button('Log in')).toBeDefined())
  expect(restarted.items.size).toBe(0)
  await later.close()
})

describe.skipIf(!hasBrowser)('in Chromium', () => {
  it('logs in, stays logged in after a reload, and logs out of all tabs without a build', async ({
    folder,
    open,
    origin,
    database,
  }) => {
    const { email } = validUser()
    await database.createUser({ email, password })
    const server = createServer(({ url = '/' }, response) => {
      const isPage = url === '/'
      response.setHeader('Content-Type', isPage ? 'text/html' : 'text/javascript')
      if (url === '/favicon.ico') return response.end()
      const file = isPage ? join(folder, 'script/index.html') : url.replace('/usher-sdk/', 'sdk/dist/')
      return response.end(readFileSync(file))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void server.close())
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { page, expectFailedLoads } = await open([origin, address])
    await page.goto(address)
    const status = page.getByRole('status')
    const logIn = async (text: string) => {
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill(text)
      await page.getByRole('button', { name: 'Log in' }).click()
    }
    await logIn('a wrong password')
    await expect.poll(() => status.innerText()).toContain('Invalid email or password')
    await expectFailedLoads('401 login')
    await logIn(password)
    await expect.poll(() => status.innerText()).toBe(email)
    await page.reload()
    await expect.poll(() => status.innerText()).toBe(email)

    const otherTab = await page.context().newPage()
    await otherTab.goto(address)
    await otherTab.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    expect(await status.innerText()).toBe('')
  })
})
