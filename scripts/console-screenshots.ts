// Takes the pictures of the console for docs/console.md, with people who do not exist. Starts its own server.
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { createSessionClient } from '../sdk/session.js'
import { startConsole } from '../test/browser/console/server.js'
import { findChromium, launchChromium } from '../test/support/chromium.js'
import { withPalette } from './palette-png.js'

const folder = 'docs/images/console'
const people = [
  ['Ada Lovelace', 'ada'],
  ['Grace Hopper', 'grace'],
  ['Alan Turing', 'alan'],
  ['Joan Clarke', 'joan'],
  ['Margaret Hamilton', 'margaret'],
  ['Edsger Dijkstra', 'edsger'],
  ['Barbara Liskov', 'barbara'],
  ['Tony Hoare', 'tony'],
  ['Katherine Johnson', 'katherine'],
  ['نادية السيد', 'nadia'],
  ['Donald Knuth', 'donald'],
  ['Hedy Lamarr', 'hedy'],
] as const

const server = await startConsole()
const browser = await launchChromium(findChromium())

/** Adds people and customers, and returns the paths of the first ones. */
async function fill() {
  const names = ['Analytical Engines', 'Compilers & Co.', 'Bletchley Ltd.', 'Apollo Software']
  const tenants = await Promise.all(
    names.map((name, index) =>
      server.manage('POST', '/tenants', {
        name,
        externalId: `account-${101 + index}`,
        ...(index && { seats: 25 * index }),
      }),
    ),
  )
  const lines = people.map(([preferredName, name], index) => ({
    email: `${name}@example.com`,
    preferredName,
    externalId: `customer-${17 + index}`,
    emailVerifiedAt: index % 4 === 3 ? null : new Date(Date.now() - index * 80_000_000).toISOString(),
    disabledAt: index === 5 ? new Date().toISOString() : null,
    createdAt: new Date(Date.now() - (14 - index) * 86_400_000).toISOString(),
    metadata: { plan: index % 3 ? 'free' : 'pro' },
    tenants: [{ id: tenants[index % 4].id, name: names[index % 4], role: index < 4 ? 'owner' : 'member' }],
  }))
  // The first one has a password and sessions, and is a member of two tenants.
  const password = server.password
  const [first] = lines
  const { email, preferredName, externalId, metadata } = { ...first }
  const added = await server.manage('POST', '/users', {
    ...{ email, preferredName, externalId, metadata, password, emailVerified: true },
    tenants: [{ id: tenants[0].id, role: 'owner' }, { id: tenants[1].id }],
  })
  await server.manage(
    'POST',
    '/users/import',
    lines
      .slice(1)
      .map((line) => JSON.stringify(line))
      .join('\n'),
  )
  for (const label of ['Firefox on Linux', 'Phone']) {
    const client = createSessionClient({ ...server.app, label })
    await client.login({ email: String(email), password })
  }
  return { user: `users/${added.id}`, tenant: `tenants/${tenants[0].id}` }
}

async function logIn(page: Page, email: string) {
  await page.goto(`${server.url}/console`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(server.password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByLabel('Code').fill(server.nextCode())
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByRole('banner').waitFor()
}

/** Takes four pictures of a screen: light and dark, of a desk and of a phone. */
async function take(page: Page, name: string) {
  await page.getByText('Loading…').first().waitFor({ state: 'detached' })
  for (const colorScheme of ['light', 'dark'] as const)
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height })
      writeFileSync(`${folder}/${name}-${colorScheme}-${width}.png`, withPalette(await page.screenshot()))
    }
  await page.setViewportSize({ width: 1280, height: 800 })
}

try {
  mkdirSync(folder, { recursive: true })
  const { id, email } = await server.addOperator('owner', { email: 'ada@acme.example' })
  const support = await server.addOperator('support', { email: 'grace@acme.example', workspace: 'acme' })
  const { user, tenant } = await fill()
  const done = [
    ['changeUser', user.slice(6), 'done'],
    ['createUserCode', user.slice(6), 'done'],
    ['changeSettings', null, 'done'],
    ['createApiKey', null, 'step_up_required'],
    ['createApiKey', null, 'done'],
    ['retryDeliveries', null, null],
  ] as const
  done.forEach(([action, target, outcome], index) => {
    const at = new Date(Date.now() - (20 - index * 3) * 3_400_000).toISOString()
    const operator = {
      operatorId: index % 3 ? id : support.id,
      operatorEmail: index % 3 ? email : support.email,
    }
    const where = { workspace: 'acme', database: 'app', requestId: randomUUID() }
    server.memory.actions.push({ id: randomUUID(), at, ...operator, ...where, action, target, outcome })
  })
  const page = await browser.newPage({
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 800 },
  })
  page.setDefaultTimeout(30_000)
  await page.goto(`${server.url}/console`)
  await page.getByLabel('Email').waitFor()
  await take(page, 'login')
  await logIn(page, email)

  const open = async (path: string) => {
    await page.goto(`${server.url}/console${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  await take(page, 'installation')
  await open('/acme')
  await take(page, 'workspace')
  await open('/acme/app')
  await page.getByRole('img').first().waitFor()
  await take(page, 'overview')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('acme/')
  await page.getByRole('link', { name: 'acme/staging' }).waitFor()
  await take(page, 'jump')
  await open('/acme/app/users')
  await page.getByRole('link', { name: 'hedy' }).waitFor()
  await take(page, 'users')
  await open(`/acme/app/${user}`)
  await page.getByText('Phone').waitFor()
  await take(page, 'user')
  await page.getByRole('button', { name: 'Delete the user' }).click()
  await page.getByLabel('Type it').fill('ada@example.com')
  await take(page, 'delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the user' }).click()
  await page.getByLabel('Code').waitFor()
  await take(page, 'confirm')
  for (const name of ['tenants', 'connections', 'keys', 'deliveries', 'import']) {
    await open(`/acme/app/${name}`)
    await take(page, name)
  }
  await open(`/acme/app/${tenant}`)
  await page.getByRole('table').waitFor()
  await take(page, 'tenant')
  await open('/acme/app/settings')
  await page.getByLabel('session idle time').fill('30')
  await page.getByLabel('sign-up', { exact: true }).selectOption('off')
  await take(page, 'settings')
  await page.getByRole('button', { name: 'Review' }).click()
  await take(page, 'difference')
  await open('/operators')
  await page.getByRole('rowheader', { name: 'grace@acme.example' }).waitFor()
  await take(page, 'operators')
  await open('/actions')
  await take(page, 'actions')
  await open('/account')
  await page.getByRole('form', { name: 'Profile' }).waitFor()
  await take(page, 'account')
} finally {
  await browser.close()
  await server.stop()
}
