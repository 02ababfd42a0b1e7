// Takes the pictures of the console for docs/console.md, or those of the screens that the arguments name. Starts its own server.
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { openInMemory } from '../server/store/in-memory.js'
import { findChromium, launchChromium } from '../test/support/chromium.js'
import { operatorPassword as password, startConsole } from '../test/support/console-server.js'
import { withPrisma } from '../test/support/open-store.js'
import { addPeople } from './console-people.js'
import { addActions, addServers } from './console-records.js'

const folder = 'docs/images/console'
const wanted = process.argv.slice(2)
const server = await startConsole(await withPrisma(await openInMemory(randomBytes(32))))
const browser = await launchChromium(findChromium())

/** Creates the first operator. Returns the ID. */
async function addOwner(email: string) {
  const [, code] = (await server.setupLink()).split('#code=')
  const response = await fetch(`${server.url}/operator/first-operator`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, email, password }),
  })
  return String((await response.json()).id)
}

/** Logs in for the first time, with a new authenticator app. */
async function logIn(page: Page, email: string) {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const secret = String(await page.locator('[data-part=secret]').textContent())
  await page.getByLabel('Code from your app').fill(server.nextCode(secret))
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByRole('button', { name: /stored/ }).click()
  await page.getByRole('banner').waitFor()
  return secret
}

/** Adds an operator for support, as the owner. */
async function addSupport(page: Page, { email, secret }: { email: string; secret: string }) {
  await page.goto(`${server.url}/console/operators`)
  await page.getByRole('button', { name: 'Add an operator' }).click()
  await page.getByLabel('Address').fill(email)
  await page.getByLabel('Workspace').fill('acme')
  await page.getByLabel('Role').selectOption('support')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByLabel('Code').fill(server.nextCode(secret))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('button', { name: 'I have stored it' }).click()
}

/** Takes pictures of a screen that docs/console.md shows. */
async function take(page: Page, name: string, ...schemes: ('light' | 'dark')[]) {
  if (wanted.length > 0 && !wanted.includes(name)) return
  await page.getByText('Loading…').first().waitFor({ state: 'detached' })
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}-1280.png` })
  }
}

try {
  mkdirSync(folder, { recursive: true })
  const email = 'ada@acme.example'
  const id = await addOwner(email)
  const { user } = await addPeople(server)
  await server.addDeliveries(user.slice(6))
  const page = await browser.newPage({
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 800 },
  })
  page.setDefaultTimeout(30_000)
  await page.goto(`${server.url}/console`)
  await page.getByLabel('Email').waitFor()
  const secret = await logIn(page, email)
  await addSupport(page, { email: 'grace@acme.example', secret })
  await addActions(server, { id, email }, user.slice(6))

  const open = async (path: string) => {
    await page.goto(`${server.url}/console${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  await addServers(server)
  await open('/acme/app')
  await page.getByRole('img').first().waitFor()
  await take(page, 'overview', 'light')
  await open('/acme/app/users')
  await page.getByRole('link', { name: 'hedy' }).waitFor()
  await take(page, 'users', 'light')
  await open(`/acme/app/${user}`)
  await page.getByText('Phone').waitFor()
  await take(page, 'user', 'light', 'dark')
  await page.getByRole('button', { name: 'Delete the user' }).click()
  await page.getByLabel('Type it').fill('ada@example.com')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the user' }).click()
  await page.getByLabel('Code').waitFor()
  await take(page, 'confirm', 'dark')
  await open('/acme/app/keys')
  await take(page, 'keys', 'light')
  await open('/acme/app/connections')
  await page.getByRole('button', { name: 'Add a connection' }).click()
  await page.getByLabel('Provider').selectOption('Apple')
  await take(page, 'add-connection', 'light')
  await open('/acme/app/connections/google')
  await page.getByText('Callback URL').waitFor()
  await take(page, 'connection', 'dark')
  await open('/acme/app/settings')
  await page.getByLabel('Session idle').fill('3600')
  await page.getByLabel('Sign-up', { exact: true }).selectOption('off')
  await page.getByRole('button', { name: 'Review' }).click()
  await take(page, 'difference', 'dark')
  const asked = { purpose: 'login', challenge: 'A'.repeat(43), state: 'A', name: 'ada@laptop' }
  await open(`/authorize#${new URLSearchParams(asked)}`)
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  await take(page, 'authorize', 'light', 'dark')
} finally {
  await browser.close()
  await server.stop()
}
