import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { build } from 'esbuild'
import { Window } from 'happy-dom'
import { createElement, StrictMode } from 'react'
import { expect, vi } from 'vitest'
import { it as browserTest } from '../browser/browser.js'
import { renderPage } from '../sdk/happy-dom.js'
import { setDatabase } from '../support/operator-changes.js'
import { startSmtp } from '../support/smtp.js'
import { snippetsOf } from '../support/snippets.js'

const guides = (await readdir('docs/guides')).filter((name) => name !== 'README.md')
export const hosts: Record<string, string> = {
  'next/headers': resolve('test/guides/hosts/next-headers.ts'),
  'next/navigation': resolve('test/guides/hosts/next-navigation.ts'),
  'next/server': resolve('test/guides/hosts/next-server.ts'),
  '@sveltejs/kit': resolve('test/guides/hosts/sveltejs-kit.ts'),
  'expo-crypto': resolve('test/guides/hosts/expo-crypto.ts'),
  'expo-linking': resolve('test/guides/hosts/expo-linking.ts'),
  'expo-secure-store': resolve('test/guides/hosts/expo-secure-store.ts'),
  'react-native': resolve('test/guides/hosts/react-native.tsx'),
  pg: resolve('test/guides/hosts/pg.ts'),
}

/** `it` with the files of all guides, connected to a server whose mails the test reads. */
export const it = browserTest
  .extend('smtp', { scope: 'file' }, async ({ storeKind: _ }, { onCleanup }) => {
    const smtp = await startSmtp()
    onCleanup(smtp.close)
    return smtp
  })
  .extend(
    'settings',
    { scope: 'file' },
    ({ smtp }): Record<string, string> => ({
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Acme <accounts@acme.example>',
    }),
  )
  /** Returns a line in the mails to an address. */
  .extend(
    'lineTo',
    ({ smtp }) =>
      (email: string, line: RegExp) =>
        vi.waitFor(() => {
          const mails = smtp.mails.filter(({ recipients }) => recipients.includes(email))
          const lines = mails.flatMap(({ parsed }) => parsed.text?.split('\n') ?? [])
          return lines.find((each) => line.test(each)) ?? expect.fail(`no mail to ${email}`)
        }, 10_000),
  )
  /** Returns the link in the mails to an address, with the name of its page if there are several. */
  .extend(
    'linkTo',
    ({ lineTo }) =>
      (email: string, page = '') =>
        lineTo(email, new RegExp(`^http.*${page}`)),
  )
  .extend(
    'digitsTo',
    ({ lineTo }) =>
      (email: string) =>
        lineTo(email, /^\d{6}$/),
  )
  .extend('database', { scope: 'file' }, async ({ usher }) => {
    const database = await usher.newDatabase()
    await setDatabase(usher.store, database, { appUrl: 'https://app.example.com', loginMail: 'both' })
    return database
  })
  /** Signs a user up, and requests the mail that verifies the address. */
  .extend('signedUp', ({ database }) => async (email: string) => {
    const { token } = await database.signedUp({ email })
    expect((await database.as(token.jwt, 'POST', 'me/email-verification')).statusCode).toBe(202)
  })
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
      external: ['react', '@tanstack/react-query', 'node:*'],
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

/** `it` with a browser of the React guide, whose storage stays. */
export const reactIt = it.extend('openApp', ({ load }) => {
  const { localStorage } = new Window({ url: 'http://localhost' })
  /** Opens the app at an address. */
  return async (address: string) => {
    const { pathname, hash } = new URL(address)
    const replaceState = vi.fn()
    vi.stubGlobal('location', { pathname, hash })
    vi.stubGlobal('history', { replaceState })
    const { App, usher } = await load('react', "export * from './src/app'; export * from './src/usher'")
    const client = new QueryClient()
    const page = await renderPage(
      createElement(StrictMode, null, createElement(QueryClientProvider, { client }, createElement(App))),
    )
    vi.stubGlobal('localStorage', localStorage)
    const press = async (label: string) => {
      await vi.waitFor(() => expect(page.button(label)?.disabled).toBe(false), 10_000)
      page.button(label)?.click()
    }
    const shows = (text: string) => vi.waitFor(() => expect(page.text()).toContain(text), 10_000)
    return { page, press, shows, usher, replaceState }
  }
})
