import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, vi } from 'vitest'
import { hasBrowser } from '../browser/browser.js'
import { password, validUser } from '../support/app.js'
import { it as guideTest, hosts } from './guide-files.js'

/** Returns a page with the scripts and styles of a bundle. */
const pageWith = (body: string) => `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>Example</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/page.css">
  ${body}
  <script type="module" src="/page.js"></script>
</html>`

/** `it` with the pages of a guide in Chromium, whose server has the time of the browser. */
const it = guideTest
  /** Bundles a script of a guide for browsers. Returns its files by their paths. */
  .extend('bundle', ({ folder }) => async (guide: string, contents: string) => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: join(folder, guide), loader: 'tsx' },
      bundle: true,
      // React says more than in production.
      define: { 'process.env.NODE_ENV': '"development"' },
      alias: { ...hosts, $lib: join(folder, guide, 'src/lib') },
      conditions: ['@usher/source'],
      jsx: 'automatic',
      format: 'esm',
      outdir: 'out',
      write: false,
    })
    const [js, css] = ['.js', '.css'].map((ending) => outputFiles.find(({ path }) => path.endsWith(ending)))
    return (url: string) => (url === '/page.js' ? js : css)?.contents ?? ''
  })
  /** Serves pages by their paths, or one for all paths, and files. Opens the first path. */
  .extend('visit', ({ open, origin }, { onCleanup }) => async (site: Site, path = '/') => {
    const server = createServer(async ({ url = '/' }, response) => {
      const isFile = /\.\w+$/.test(url)
      const type = /\.m?js$/.test(url) ? 'text/javascript' : url.endsWith('.css') ? 'text/css' : 'text/html'
      response.setHeader('Content-Type', type)
      response.end(await (isFile ? site.fileOf(url) : site.pageOf(url)))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    onCleanup(() => void server.close())
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const visit = await open([origin, address])
    await visit.page.goto(address + path)
    /** Opens the link of a mail. */
    const follow = (link: string) => {
      const { pathname, hash } = new URL(link)
      return visit.page.goto(address + pathname + hash)
    }
    return { ...visit, address, follow }
  })

interface Site {
  pageOf(url: string): string
  fileOf(url: string): string | Uint8Array | Promise<string | Uint8Array>
}

it.beforeEach(({ clock }) => {
  clock.now = Date.now()
})
it.afterAll(({ usher }) => usher.app.server.closeAllConnections())

const formOf = (page: Page, name: string) => page.getByRole('form', { name, exact: true })

async function logIn(page: Page, email: string, text = password) {
  const form = formOf(page, 'Log in')
  const address = form.getByLabel('Email address')
  // After a wrong password, the address stays.
  if (await address.isEditable()) await address.fill(email)
  const password = form.getByLabel('Password', { exact: true })
  // The address comes first where there are other ways than a password.
  if ((await password.count()) === 0) await form.getByRole('button', { name: 'Continue' }).click()
  await password.fill(text)
  await form.getByRole('button', { name: 'Log in', exact: true }).click()
}

/** Logs out by the menu of the user. */
async function logOut(page: Page) {
  await page.locator('usher-user-menu [data-part=menu]').click()
  await page.getByRole('button', { name: 'Log out' }).click()
}

describe.skipIf(!hasBrowser)('in Chromium', () => {
  it('signs up, stays logged in, changes the account, logs out of all tabs, and recovers the account with React', async ({
    bundle,
    visit,
    linkTo,
  }) => {
    const { email } = validUser()
    const site = {
      pageOf: () => pageWith('<div id="root"></div>'),
      fileOf: await bundle('react', "import './src/main'"),
    }
    const { page, address, follow } = await visit(site)
    await formOf(page, 'Log in').getByRole('button', { name: 'Create an account' }).click()
    const signUp = formOf(page, 'Sign up')
    await signUp.getByLabel('Email address').fill(email)
    await signUp.getByLabel('Password', { exact: true }).fill(password)
    await signUp.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText(`Hello ${email}`).waitFor()
    await page.waitForURL(`${address}/`)

    const profile = formOf(page, 'Profile')
    await profile.getByRole('button', { name: 'Change' }).click()
    await formOf(page, 'Name').getByLabel('Name').fill('Ada')
    await formOf(page, 'Name').getByRole('button', { name: 'Save' }).click()
    await profile.getByText('Saved.').waitFor()
    await page.reload()
    await page.getByText('Hello Ada').waitFor()

    const otherTab = await page.context().newPage()
    await otherTab.goto(address)
    await logOut(otherTab)
    for (const tab of [otherTab, page]) await formOf(tab, 'Log in').waitFor()
    await otherTab.close()

    await formOf(page, 'Log in').getByLabel('Email address').fill(email)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Forgot your password?' }).click()
    await page.getByRole('button', { name: 'Send a mail' }).click()
    await follow(await linkTo(email, 'reset-password'))
    const reset = formOf(page, 'Choose a new password')
    await reset.getByLabel('New password').fill('four random common words')
    await reset.getByRole('button', { name: 'Save the password' }).click()
    await page.getByText('Hello Ada').waitFor()
  })

  it('lists members and invites with TanStack Query', async ({ bundle, visit, database, lineTo }) => {
    const [email, invited] = [validUser().email, validUser().email]
    await database.signedUp({ email, newTenant: 'Engines' })
    await database.markVerified(email)
    const script = `import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
      import { createRoot } from 'react-dom/client'
      import { Team } from './src/team'
      import { usher } from './src/usher'
      const { data } = await usher.login(${JSON.stringify({ email, password })})
      const { memberships: [team] } = (await usher.me()).data
      createRoot(document.querySelector('main')).render(
        <QueryClientProvider client={new QueryClient()}><Team userId={data.id} team={team} /></QueryClientProvider>
      )`
    const site = { pageOf: () => pageWith('<main></main>'), fileOf: await bundle('react', script) }
    const { page, expectFailedLoads } = await visit(site)
    await page.getByText(`${email}, owner`).waitFor()
    await page.getByLabel('Email').fill('ada@example')
    await page.getByRole('button', { name: 'Invite' }).click()
    await expectFailedLoads('400 invitations')
    await page.getByText('must be an email address').waitFor()
    await page.getByLabel('Email').fill(invited)
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByText('Invitation sent.').waitFor()
    await lineTo(invited, /\/invitation#code=/)
  })

  it('verifies the address, logs in, stays logged in, adds an authenticator app, logs out of all tabs, and logs in by mail without a build', async ({
    folder,
    visit,
    linkTo,
    digitsTo,
    signedUp,
  }) => {
    const [email, mailed] = [validUser().email, validUser().email]
    await signedUp(email)
    const html = await readFile(join(folder, 'script/index.html'), 'utf8')
    const uqr = '/usher-sdk/uqr.mjs'
    const site = {
      pageOf: () => html,
      fileOf: (url: string) =>
        url === '/favicon.ico'
          ? ''
          : readFile(
              url === uqr ? 'node_modules/uqr/dist/index.mjs' : url.replace('/usher-sdk/', 'sdk/dist/'),
            ),
    }
    const { page, address, follow, expectFailedLoads } = await visit(site)
    await formOf(page, 'Log in').waitFor()
    await follow(await linkTo(email))
    await formOf(page, 'Verify your email address').getByRole('button', { name: 'Verify' }).click()
    await page.getByText('Your address is verified.').waitFor()
    await logIn(page, email, 'a wrong password')
    await page.getByText('Email or password is wrong.').waitFor()
    await expectFailedLoads('401 login')
    await logIn(page, email)
    await formOf(page, 'How you log in').getByText('Verified').waitFor()
    await page.waitForURL(`${address}/`)
    await page.reload()

    await formOf(page, 'Second factor').getByRole('button', { name: 'Add Authenticator app' }).click()
    const stepUp = formOf(page, 'Confirm that it is you')
    await stepUp.getByLabel('Password', { exact: true }).fill(password)
    await stepUp.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
    await expectFailedLoads('400 totp')

    const otherTab = await page.context().newPage()
    await otherTab.goto(address)
    await logOut(otherTab)
    for (const tab of [otherTab, page]) await formOf(tab, 'Log in').waitFor()
    await otherTab.close()

    await formOf(page, 'Log in').getByLabel('Email address').fill(mailed)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Log in by mail' }).click()
    await page.getByLabel('Six digits from the mail').fill(await digitsTo(mailed))
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await formOf(page, 'How you log in').getByText(mailed).waitFor()
  })

  it('renders the pages of Next.js on the server without a request, and hydrates them without an error', async ({
    load,
    bundle,
    visit,
    database,
  }) => {
    const { email } = validUser()
    await database.signedUp({ email })
    const sent = vi.spyOn(globalThis, 'fetch')
    const warnings = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn')]
    const pages = await load(
      'nextjs',
      `export { default as linked, generateStaticParams } from './app/[page]/page'
      export { default as account } from './app/account/page'`,
    )
    const linked = renderToString(createElement(pages.linked))
    const account = renderToString(createElement(pages.account))
    for (const spy of [sent, ...warnings]) expect(spy).not.toHaveBeenCalled()
    expect(linked).toBe('<usher-sign-in redirect-to="/account"></usher-sign-in>')
    expect(account).toBe('<usher-user-menu></usher-user-menu><usher-account></usher-account>')
    expect(pages.generateStaticParams()).toContainEqual({ page: 'reset-password' })

    const script = `import { StrictMode } from 'react'
      import { hydrateRoot } from 'react-dom/client'
      import Linked from './app/[page]/page'
      import Account from './app/account/page'
      const Page = location.pathname === '/account' ? Account : Linked
      const onRecoverableError = (error) => console.error(error)
      hydrateRoot(document.querySelector('main'), <StrictMode><Page /></StrictMode>, { onRecoverableError })`
    const site = {
      pageOf: (url: string) => pageWith(`<main>${url === '/account' ? account : linked}</main>`),
      fileOf: await bundle('nextjs', script),
    }
    const { page, address } = await visit(site, '/account')
    await page.waitForURL('**/log-in')
    await logIn(page, email)
    await formOf(page, 'How you log in').getByText('Not verified yet').waitFor()
    await page.waitForURL(`${address}/account`)
    await page.reload()
    await logOut(page)
    await formOf(page, 'Log in').waitFor()
  })

  it('logs in, stays logged in, and logs out with the elements of SvelteKit', async ({
    folder,
    load,
    bundle,
    visit,
    database,
  }) => {
    const { email } = validUser()
    await database.signedUp({ email })
    const { match } = await load('sveltekit', "export { match } from './src/params/usher'")
    expect(['log-in', 'reset-password', 'account'].map(match)).toEqual([true, true, false])
    const markupOf = async (file: string) => {
      const component = await readFile(join(folder, 'sveltekit/src/routes', file), 'utf8')
      return component.replace(/<script.*<\/script>/s, '')
    }
    const [linked, account] = await Promise.all(
      ['[page=usher]/+page.svelte', 'account/+page.svelte'].map(markupOf),
    )
    const script = `globalThis.$props = () => ({})
      await import('./src/routes/+layout.svelte.ts')
      if (location.pathname === '/account') await import('./src/routes/account/+page.svelte.ts')`
    const site = {
      pageOf: (url: string) => pageWith((url === '/account' ? account : linked) ?? ''),
      fileOf: await bundle('sveltekit', script),
    }
    const { page, address } = await visit(site, '/account')
    await page.waitForURL('**/log-in')
    await logIn(page, email)
    await formOf(page, 'How you log in').getByText('Not verified yet').waitFor()
    await page.waitForURL(`${address}/account`)
    await page.reload()
    await logOut(page)
    await formOf(page, 'Log in').waitFor()
  })
})
