// Takes the screenshots of the example, of /docs and of mails for the documentation. Starts its own server.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from 'playwright-core'
import { previewFields } from '../server/domain/mail/preview.js'
import { renderMail } from '../server/domain/mail/render.js'
import { defaultTemplates } from '../server/domain/mail/templates.js'
import { findChromium, launchChromium } from '../test/support/chromium.js'
import { freePort } from '../test/support/postgres-server.js'

const dataFolder = await mkdtemp(join(tmpdir(), 'usher-screenshots-'))
const [apiPort, examplePort] = [String(await freePort()), String(await freePort())]
const api = `http://localhost:${apiPort}`

/** Starts a child process and waits until it prints the text. */
async function start(args: string[], env: Record<string, string>, text: string) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  await new Promise<void>((resolve) => lines.on('line', (line) => line.includes(text) && resolve()))
  return child
}
const children = await Promise.all([
  start(['server/bin/usher.js', 'serve'], { DATA_DIR: dataFolder, PORT: apiPort }, 'Server listening'),
  start(
    ['node_modules/vite/bin/vite.js', 'sdk/example', '--port', examplePort],
    { VITE_USHER_URL: api },
    'Local:',
  ),
])
const browser = await launchChromium(findChromium())

async function example(page: Page) {
  await page.goto(`http://localhost:${examplePort}`)
  await page.getByRole('button', { name: 'Create an account' }).click()
  const signUp = page.getByRole('form', { name: 'Sign up' })
  const submit = signUp.getByRole('button', { name: 'Sign up', exact: true })
  await signUp.getByLabel('Name').fill('Ada Lovelace')
  await signUp.getByLabel('Email address').fill('ada@example')
  await signUp.getByLabel('Password', { exact: true }).fill('ada')
  await submit.click()
  await signUp.getByText('Type at least 8').waitFor()
  await page.screenshot({ path: 'docs/example-sign-up.png' })

  await page.emulateMedia({ colorScheme: 'dark' })
  await signUp.getByLabel('Email address').fill('ada@example.com')
  await signUp.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await submit.click()
  await page.getByRole('form', { name: 'Devices' }).waitFor()
  await page.screenshot({ path: 'docs/example-account.png' })
}

async function reference(page: Page) {
  const users = `${api}/workspaces/demo/databases/app/users`
  const credentials = { email: 'grace@example.com', password: 'correct horse battery' }
  const signedUp = await page.request.post(users, { data: { ...credentials, preferredName: 'Grace' } })

  await page.goto(`${api}/docs`)
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  const dialog = page.locator('.modal-ux')
  await dialog.getByRole('textbox').fill((await signedUp.json()).token.jwt)
  await dialog.getByRole('button', { name: 'Authorize' }).click()
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()

  const me = page.locator('#operations-users-getMe')
  await me.locator('.opblock-summary-control').click()
  await me.getByPlaceholder('workspaceSlug').fill('demo')
  await me.getByPlaceholder('databaseName').fill('app')
  await me.getByRole('button', { name: 'Execute' }).click()
  const bottom = await me.getByText('Response headers').boundingBox()
  const top = await page.locator('.opblock-tag-section').first().boundingBox()
  if (!top || !bottom) throw new Error('the response is not on the page')
  const clip = { x: 0, y: top.y + 16, width: 1000, height: bottom.y - top.y - 16 }
  await page.screenshot({ path: 'docs/reference.png', clip })
}

/** Takes pictures of a mail with the colors of an app. Its name is an example. */
async function mails() {
  for (const [locale, colorScheme] of [
    ['en', 'light'],
    ['de', 'dark'],
    ['ar', 'light'],
  ] as const) {
    const fields = {
      ...previewFields('password_reset', { appUrl: 'https://app.acme.example', now: Date.UTC(2026, 2, 1) }),
      until: undefined,
    }
    const { html } = renderMail('password_reset', fields, {
      app: 'Acme',
      appUrl: 'https://app.acme.example',
      logoUrl: null,
      color: '#7a2e8e',
      own: new Map(),
      templates: defaultTemplates,
      languages: [locale],
    })
    const page = await browser.newPage({ viewport: { width: 660, height: 100 }, colorScheme })
    await page.setContent(html)
    await page.screenshot({ path: `docs/guides/mail-${locale}-${colorScheme}.png`, fullPage: true })
  }
}

try {
  const settings = { locale: 'en-GB', timezoneId: 'UTC' }
  await example(
    await browser.newPage({ ...settings, viewport: { width: 440, height: 760 }, deviceScaleFactor: 1.5 }),
  )
  await reference(await browser.newPage({ ...settings, viewport: { width: 1000, height: 1600 } }))
  await mails()
} finally {
  await browser.close()
  for (const child of children) child.kill()
  await rm(dataFolder, { recursive: true })
}
