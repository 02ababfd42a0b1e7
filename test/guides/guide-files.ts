import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { expect, vi } from 'vitest'
import { it as browserTest } from '../browser/browser.js'
import { setDatabase } from '../support/operator-changes.js'
import { startSmtp } from '../support/smtp.js'
import { snippetsOf } from '../support/snippets.js'

const guides = (await readdir('docs/guides')).filter((name) => name.endsWith('.md') && name !== 'README.md')
export const hosts: Record<string, string> = {
  'next/headers': resolve('test/guides/hosts/next-headers.ts'),
  'next/navigation': resolve('test/guides/hosts/next-navigation.ts'),
  'next/server': resolve('test/guides/hosts/next-server.ts'),
  '@sveltejs/kit': resolve('test/guides/hosts/sveltejs-kit.ts'),
  svelte: resolve('test/guides/hosts/svelte.ts'),
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
      for (const { heading, language, code } of await snippetsOf(`docs/guides/${guide}`)) {
        // Commands are below the file that they belong to.
        if (language === 'sh') continue
        // A heading names the file, such as "First page: `src/main.ts`".
        const name = /`(.+\.\w+)`/.exec(heading)?.[1] ?? heading.replaceAll('`', '')
        const file = join(folder, guide.replace('.md', ''), name)
        await mkdir(dirname(file), { recursive: true })
        const connected = code
          .replace('http://localhost:3000', origin)
          .replace("workspace: 'demo'", `workspace: '${database.workspaceSlug}'`)
          .replace("database: 'app'", `database: '${database.databaseName}'`)
        await writeFile(file, connected)
        // TypeScript does not compile components of Svelte.
        const script = /<script lang="ts">(.*)<\/script>/s.exec(connected)?.[1]
        if (name.endsWith('.svelte')) await writeFile(`${file}.ts`, script ?? 'export {}')
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
      loader: { '.css': 'empty' },
      jsx: 'automatic',
      format: 'esm',
      write: false,
    })
    const file = join(folder, `${guide}-${Math.random()}.mjs`)
    await writeFile(file, outputFiles[0]?.contents ?? '')
    return await import(/* @vite-ignore */ file)
  })
