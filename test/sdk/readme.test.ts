import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { problems } from '@usher/contract'
import { Scope } from '@usher/contract/management'
import { build } from 'esbuild'
import { Window } from 'happy-dom'
import { type ComponentType, createElement, StrictMode } from 'react'
import { afterEach, expect, vi } from 'vitest'
import { createDatabase } from '../../server/domain/management/databases.js'
import { createWorkspace } from '../../server/domain/management/workspaces.js'
import { it as apiTest } from '../support/api.js'
import { createApiKey } from '../support/operator-changes.js'
import { snippetsOf } from '../support/snippets.js'
import { renderPage } from './happy-dom.js'

const it = apiTest
  .extend('folder', { scope: 'file' }, async ({ store }, { onCleanup }) => {
    await createWorkspace(store, 'demo', new Date())
    const settings = {
      appUrl: 'https://app.example.com',
      loginMail: 'both',
      requireVerifiedInviter: false,
    } as const
    await createDatabase({ store, now: new Date() }, { workspaceSlug: 'demo', databaseName: 'app' }, settings)
    const folder = await mkdtemp(resolve('node_modules', '.usher-readme-'))
    onCleanup(() => rm(folder, { recursive: true }))
    return folder
  })
  /** Runs the snippet under a heading with the address of the test server. Returns its exports and its log. */
  .extend('runSnippet', ({ origin, folder }) => async (heading: string, apiKey = '') => {
    const snippet = (await snippetsOf('sdk/README.md')).find(
      (each) => each.heading === heading && each.language !== 'sh',
    )
    const { outputFiles } = await build({
      stdin: {
        contents:
          snippet?.code.replaceAll('http://localhost:3000', origin).replace('usher_KEY', apiKey) ?? '',
        loader: 'tsx',
        resolveDir: resolve('test/sdk'),
      },
      bundle: true,
      external: ['react'],
      conditions: ['@usher/source'],
      jsx: 'automatic',
      format: 'esm',
      write: false,
    })
    const file = join(folder, `${heading.replaceAll(' ', '-')}.mjs`)
    await writeFile(file, outputFiles[0]?.contents ?? '')
    const log = vi.spyOn(console, 'log').mockReturnValue()
    const exported = await import(/* @vite-ignore */ file)
    return { exported, logged: log.mock.calls }
  })

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})
// A connection whose only request was aborted before it was sent never becomes idle.
it.afterAll(({ usher }) => usher.app.server.closeAllConnections())

// The order matters: the first snippet signs up the user of the others, and one changes name and password.
it('runs the snippet First call', async ({ runSnippet }) => {
  const { logged } = await runSnippet('First call')
  expect(logged).toEqual([[expect.stringMatching(/^[0-9a-f-]{36}$/), []], ['ada@example.com']])
})

it('runs the snippet Errors', async ({ runSnippet }) => {
  expect((await runSnippet('Errors')).logged).toEqual([['Invalid email or password.']])
})

it('runs the snippet The token', async ({ runSnippet }) => {
  const { localStorage } = new Window({ url: 'http://localhost' })
  vi.stubGlobal('localStorage', localStorage)
  const { logged } = await runSnippet('The token')
  expect(logged).toEqual([['signedIn'], [expect.stringMatching(/^ey/), expect.any(Date)], ['signedOut']])
  expect(localStorage.length).toBe(0)
})

it('runs the snippet Manage users from a backend', async ({ store, runSnippet }) => {
  const path = { workspaceSlug: 'demo', databaseName: 'app' }
  const described = { name: 'backend', scopes: Scope.options, expiresInSeconds: 60 }
  const { key } = await createApiKey({ store, now: new Date() }, path, described)
  const { logged } = await runSnippet('Manage users from a backend', key)
  expect(logged).toEqual([['ada@example.com'], [1]])
})

it('runs the snippet Only some operations', async ({ runSnippet }) => {
  expect((await runSnippet('Only some operations')).logged).toEqual([['ada@example.com']])
})

it('runs the snippet Stay logged in', async ({ usher, runSnippet }) => {
  const { localStorage } = new Window({ url: 'http://localhost' })
  vi.stubGlobal('localStorage', localStorage)
  await runSnippet('Stay logged in')
  expect(localStorage.length).toBe(0)
  expect(usher.logged().match(/"audit":"session\.\w+"/g)).toEqual([
    '"audit":"session.opened"',
    '"audit":"session.ended"',
  ])
})

it('runs the snippet Manage the account', async ({ usher, runSnippet }) => {
  // The store's clock also sets from when on tokens are valid.
  usher.clock.now = Date.now()
  const { logged } = await runSnippet('Manage the account')
  expect(logged).toEqual([[null, true]])
  expect(usher.logged()).toContain('"audit":"user.tokens_revoked"')
})

it('runs the snippet Login by mail', async ({ runSnippet }) => {
  vi.stubGlobal('location', new URL('https://app.example.com/login'))
  expect((await runSnippet('Login by mail')).logged).toEqual([
    ['These are not the digits of the mail.'],
    ['Enter the digits where you started.'],
  ])
})

it('runs the snippets Log in with Google and other providers, and Log in with a popup', async ({
  runSnippet,
}) => {
  const hash = `#error=access_denied&login=${crypto.randomUUID()}`
  const { document, location, history } = new Window({ url: `https://app.example.com/login${hash}` })
  for (const [name, value] of Object.entries({ document, location, history })) vi.stubGlobal(name, value)
  const { logged } = await runSnippet('Log in with Google and other providers')
  expect(logged).toEqual([['You have cancelled the login.']])
  expect(location.hash).toBe('')
  const popup = { close: vi.fn() }
  vi.stubGlobal('open', () => popup)
  const { exported, logged: reported } = await runSnippet('Log in with a popup')
  await exported.onClick(new AbortController().signal)
  expect(reported.at(-1)).toEqual([problems.connection_not_found.title])
  expect(popup.close).toHaveBeenCalled()
})

it('runs the snippet Second factor', async ({ store, runSnippet }) => {
  const where = { email: 'ada@example.com', database: { workspace: { slug: 'demo' } } }
  await store.prisma.user.updateMany({ where, data: { emailVerifiedAt: new Date() } })
  expect((await runSnippet('Second factor')).logged).toEqual([
    [expect.stringMatching(/^otpauth:/)],
    ['That is not the code of the app.'],
    [undefined],
  ])
})

it('runs the snippet Passkeys, without a browser', async ({ runSnippet }) => {
  expect((await runSnippet('Passkeys')).logged).toEqual([['No passkeys here'], [undefined]])
})

it('runs the snippet Tenants and invitations', async ({ runSnippet }) => {
  expect((await runSnippet('Tenants and invitations')).logged).toEqual([
    [['grace@example.com admin']],
    [problems.code_invalid.title],
  ])
})

it('runs the snippet Recover the account', async ({ runSnippet }) => {
  expect((await runSnippet('Recover the account')).logged).toEqual([
    ['This link has expired. Ask for another mail.'],
    [problems.code_invalid.title],
  ])
})

it('runs the snippet What the database offers', async ({ runSnippet }) => {
  expect((await runSnippet('What the database offers')).logged).toEqual([
    ['Choose a password of at least 8 characters.'],
    [['owner', 'admin', 'member'].map((name) => `${name} has the rights of ${name}`)],
  ])
})

it('runs the snippet Timeout and retries', async ({ runSnippet }) => {
  expect((await runSnippet('Timeout and retries')).logged).toEqual([['no_answer']])
})

it('runs the snippet React', async ({ runSnippet }) => {
  const { exported } = await runSnippet('React')
  const page = await renderPage(createElement(StrictMode, null, createElement(exported.App as ComponentType)))

  const submit = async (password: string, expected: string) => {
    await vi.waitFor(() => expect(page.button('Log in')?.disabled).toBe(false), 10_000)
    page.fill({ email: 'ada@example.com', password })
    page.button('Log in')?.click()
    await vi.waitFor(() => expect(page.text()).toContain(expected), 10_000)
  }
  await submit('a wrong password', 'Invalid email or password')
  await submit('four random common words', 'Hello Countess')
  page.button('Log out')?.click()
  await vi.waitFor(() => expect(page.button('Log in')).toBeDefined(), 10_000)
  await page.close()
})

it('runs every snippet of the README', async () => {
  const headings = (await snippetsOf('sdk/README.md'))
    .filter(({ language }) => language !== 'sh')
    .map((each) => each.heading)
  expect(headings).toEqual([
    'First call',
    'Errors',
    'The token',
    'Stay logged in',
    'Manage the account',
    'Log in with Google and other providers',
    'Log in with a popup',
    'Login by mail',
    'Second factor',
    'Passkeys',
    'Tenants and invitations',
    'Recover the account',
    'What the database offers',
    'Timeout and retries',
    'React',
    'Manage users from a backend',
    'Only some operations',
  ])
})
