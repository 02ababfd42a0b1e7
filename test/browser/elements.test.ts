import { readFile } from 'node:fs/promises'
import { createClient } from '@usher/sdk'
import { startUsher } from '@usher/server/testing'
import { describe, expect } from 'vitest'
import { password } from '../support/app.js'
import { newGate } from '../support/gate.js'
import { totpAt } from '../support/second-factor.js'
import { snippetsOf } from '../support/snippets.js'
import { verifyAddress } from '../support/verified-address.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { it as browserTest, hasBrowser, overflowOf } from './browser.js'
import { servePage } from './elements.js'
import {
  confirm,
  expectAlert,
  expectFieldErrors,
  expectTexts,
  fieldOf,
  fill,
  formOf,
  isFocused,
  openMenu,
  press,
  send,
  sendLogin,
} from './forms.js'

const script = (place: object) => `
import { createSessionClient } from '@usher/sdk/session'
import { start } from '@usher/sdk/ui'
import { startAccount } from '@usher/sdk/ui/account'
import '@usher/sdk/ui.css'
import './sdk/example/looks.css'
import { en } from './sdk/ui/texts/en.ts'
import { enAccount } from './sdk/ui/texts/en-account.ts'

const stores = { tokenStore: () => localStorage, sessionStore: () => localStorage }
const client = createSessionClient({ ...${JSON.stringify(place)}, ...stores })
// As long as the English ones.
const ar = Object.fromEntries(
  Object.entries({ ...en, ...enAccount }).map(([key, text]) => [key, 'نص ' + (text.other ?? text)]),
)
const options = { client, languages: { ar } }
start(options)
startAccount(options)
Object.assign(globalThis, {
  client,
  heard: [],
  put(...elements) {
    const made = elements.map(([name, attributes = {}, properties = {}]) => {
      const node = Object.assign(document.createElement(name), properties)
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value)
      return node
    })
    document.querySelector('main').replaceChildren(...made)
  },
})
for (const type of ['usher-submit', 'usher-signed-in', 'usher-tenant', 'usher-screen'])
  addEventListener(type, ({ detail }) => heard.push([type, detail?.screen ?? detail?.tenantId]))
`

const it = browserTest
  .extend('server', { scope: 'file' }, async ({ executable: _ }, { onCleanup }) => {
    const server = await startUsher()
    onCleanup(server.stop)
    return server
  })
  .extend('served', { scope: 'file' }, async ({ server }, { onCleanup }) => {
    const { baseUrl, workspace, database } = server
    const page = await servePage({
      script: script({ baseUrl, workspace, database }),
      body: '<main></main>',
      server: baseUrl,
    })
    onCleanup(page.close)
    return page.url
  })
  /** Opens a page with elements, in a new browser. */
  .extend('visit', ({ open, server, served }) => async (...elements: Element[]) => {
    const visit = await open([server.baseUrl, served])
    await visit.page.goto(served)
    await put(visit.page, ...elements)
    return visit
  })
  /** Opens a page with the account and the team of a new user. */
  .extend('visitUser', ({ visit }) => async () => {
    const visited = await visit()
    await run(visited.page, `client.createUser(${JSON.stringify(newUser('Engines'))})`)
    await put(visited.page, ...everything)
    await formOf(visited.page, 'Devices').waitFor()
    return visited
  })

type Page = Parameters<typeof formOf>[0]
type Element = [name: string, attributes?: object, properties?: object]

const signIn: Element = ['usher-sign-in']
/** The form with a password, as where there is no other way. */
const withPassword: Element = ['usher-sign-in', { hide: 'passkeys' }]
const everything: Element[] = [
  ['h1', {}, { textContent: 'Account' }],
  ['usher-user-menu', { 'account-href': '/' }],
  ['usher-account'],
  ['usher-tenant'],
]

const run = <Value>(page: Page, code: string) => page.evaluate<Value>(code)
const put = (page: Page, ...elements: Element[]) => run(page, `put(...${JSON.stringify(elements)})`)

const names = ['<img src=x onerror=alert(1)>', 'x'.repeat(255), 'مرحبا \u202egnp.exe ‏שלום']

let users = 0
const newUser = (newTenant?: string) => ({ email: `user-${++users}@example.com`, password, newTenant })

/** Calls an operation of the client in the page. Returns its data. */
async function call<Data>(page: Page, operation: string, ...given: unknown[]) {
  const { data, error } = await run<{ data: Data; error: unknown }>(
    page,
    `client.${operation}(...${JSON.stringify(given)}).then(({ data, error }) => ({ data, error: error?.code }))`,
  )
  expect(error).toBeUndefined()
  return data
}

/** Expects that nothing is wider than the page, or cut off. */
async function expectFits(page: Page) {
  expect(await overflowOf(page)).toBe(0)
  const cut = `[...document.querySelectorAll('main :is(h1, h2, p, li, label, button, strong)')]
    .filter((node) => getComputedStyle(node).display !== 'inline' && node.scrollWidth > node.clientWidth + 1)
    .map((node) => node.outerHTML.slice(0, 120))`
  expect(await run(page, cut)).toEqual([])
}

const screens = [
  'log-in',
  'password',
  'sign-up',
  'forgot-password',
  'mail-login',
  'mail-sent',
  'prove-email',
  'reset-password',
  'verify-email',
  'change-email',
  'undo-email-change',
  'invitation',
  'enrol',
  'choose-tenant',
  'create-tenant',
  'expired-link',
  'closed',
  'unavailable',
  'signed-in',
]

const invitation = {
  tenantName: 'Engines',
  inviterName: 'Ada',
  role: 'member',
  email: 'grace@example.com',
  expiresAt: '2026-03-08T12:00:00.000Z',
}

/** Targets that are too small. */
const small = `[...document.querySelectorAll('main :is(a, button, input, select)')]
  .filter((node) => node.checkVisibility())
  .map((node) => [node.getBoundingClientRect(), node.outerHTML.slice(0, 120)])
  .filter(([{ width, height }]) => width < 24 || height < 24)
  .map(([{ width, height }, html]) => width + ' ' + height + ' ' + html)`

/** Where the eye of the password is in its field. */
const eyeIn = `(([field, eye]) => ({
  isWithin: eye.left >= field.left && eye.right <= field.right && eye.top >= field.top && eye.bottom <= field.bottom,
  isAtRight: eye.left > (field.left + field.right) / 2,
}))(['password', 'reveal'].map((name) =>
  document.querySelector('[name="' + name + '"], [data-part="' + name + '"]').getBoundingClientRect()))`

const accentOf = `getComputedStyle(document.querySelector('[data-part="submit"]')).backgroundColor`

/** Shows each screen of the login. */
async function eachScreen(page: Page, check: () => Promise<void>) {
  // What the code of a link says.
  await page.route('**/invitations/read', (route) =>
    route.fulfill({ headers: { 'access-control-allow-origin': '*' }, json: invitation }),
  )
  for (const screen of screens) {
    await put(page, ['usher-sign-in', { screen }])
    await page.locator(`form[data-screen="${screen}"]`).waitFor()
    await check()
  }
}

describe.skipIf(!hasBrowser)('the elements', () => {
  it('sign up with fields of the app and a tenant, and then leave', async ({ visit, served }) => {
    const { page, expectFailedLoads } = await visit()
    await run(
      page,
      `put(['usher-sign-in', { tenant: 'choose', hide: 'mail-login', 'redirect-to': '/welcome#team' },
        { signUpFields: [{ name: 'company', label: 'Company', required: true }] }])`,
    )
    const { email } = newUser()
    const refuse = (event: Event) => {
      const { detail } = event as CustomEvent
      if (detail.values.company === 'Rivals') detail.wait(Promise.reject({ fields: { company: 'Not you.' } }))
      if (detail.values.company === 'Ruins') detail.wait(Promise.reject(new Error('The backend is down.')))
    }
    await run(page, `addEventListener('usher-submit', ${refuse})`)
    await press(formOf(page, 'Log in'), 'Create an account')
    const form = formOf(page, 'Sign up')
    await send(form, { 'Email address': email, Password: password }, 'Sign up')
    await expectFieldErrors(form, { Company: 'This is required.' })
    await send(form, { Company: 'Rivals' }, 'Sign up')
    await expectFieldErrors(form, { Company: 'Not you.' })
    await send(form, { Company: 'Ruins' }, 'Sign up')
    await expectAlert(form, 'The backend is down.')
    await send(form, { Company: 'Acme' }, 'Sign up')
    const create = formOf(page, 'Create a team')
    await create.waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await send(create, { 'Name of the team': ' ' }, 'Create')
    await expectFieldErrors(create, { 'Name of the team': 'This is required.' })
    await expectFailedLoads('400 tenants')
    await send(create, { 'Name of the team': 'Engines' }, 'Create')
    await page.waitForURL(`${served}/welcome#team`)
    const user = await call<{ memberships: { id: string; name: string }[] }>(page, 'me')
    expect(user.memberships.map(({ name }) => name)).toEqual(['Engines'])
    await run(page, 'client.signOut()')
    await put(page, ['usher-sign-in', { tenant: 'choose' }])
    await sendLogin(page, email)
    // There is only one.
    await formOf(page, 'You are logged in').waitFor()
    await call(page, 'createTenant', { name: 'Looms' })
    await run(page, 'client.signOut()')
    await sendLogin(page, email)
    const choice = formOf(page, 'Choose a team')
    await choice.waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await press(choice, 'Choose Engines')
    await formOf(page, 'You are logged in').waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    const heard = await run<string[][]>(page, 'heard')
    expect(heard).toContainEqual(['usher-tenant', user.memberships[0]?.id])
    expect(heard.filter(([type]) => type === 'usher-signed-in')).toHaveLength(2)
  })

  it('move the focus to the title of a new screen, and remove a form that has succeeded', async ({
    visit,
  }) => {
    const { page } = await visit(signIn)
    await press(formOf(page, 'Log in'), 'Create an account')
    const form = formOf(page, 'Sign up')
    expect(await isFocused(form.getByRole('heading'))).toBe(true)
    await fill(form, { 'Email address': newUser().email, Password: password })
    const node = await form.elementHandle()
    const entries = await run<number>(page, 'history.length')
    await run(page, 'globalThis.replaced = 0, history.replaceState = () => void globalThis.replaced++')
    await press(form, 'Sign up')
    const done = formOf(page, 'You are logged in')
    await done.waitFor()
    expect(await node?.evaluate(({ isConnected }) => isConnected)).toBe(false)
    expect(await isFocused(done.getByRole('heading'))).toBe(true)
    // What lets password managers save the password. It adds no entry to the history.
    expect(await run(page, 'globalThis.replaced')).toBe(1)
    expect(await run(page, 'history.length')).toBe(entries)
  })

  it('have no accessibility errors on any screen of the login', async ({ visit }) => {
    const { page } = await visit()
    await eachScreen(page, async () => expect(await accessibilityErrorsOf(page)).toEqual([]))
  })

  it('accept a paste in every field', async ({ visit, visitUser, served }) => {
    const pasteEverywhere = async (page: Page, part = 'main') => {
      const inputs = page.locator(`${part} input:not([readonly])`)
      for (const input of await inputs.all()) {
        await input.focus()
        await page.keyboard.press('Control+a')
        await page.keyboard.press('Control+v')
        expect(await input.inputValue()).toBe('123456')
      }
      return inputs.count()
    }
    const { page } = await visit(signIn)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: served })
    await run(page, 'navigator.clipboard.writeText("123456")')
    let fields = 0
    await eachScreen(page, async () => {
      fields += await pasteEverywhere(page)
    })
    expect(fields).toBe(13)
    const user = await visitUser()
    await user.page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: served })
    await run(user.page, 'navigator.clipboard.writeText("123456")')
    expect(await pasteEverywhere(user.page)).toBeGreaterThan(2)
    const dialogs: [button: string, fields: number][] = [
      ['Change Email address', 1],
      ['Change Password', 1],
      ['Add Authenticator app', 1],
    ]
    for (const [button, fields] of dialogs) {
      await press(user.page, button)
      await user.page.getByRole('dialog').waitFor()
      expect(await pasteEverywhere(user.page, 'dialog')).toBe(fields)
      await press(user.page, 'Cancel')
      await user.page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await user.expectFailedLoads('400 totp')
  })

  it('show hostile and long names as text, without scrolling at 320 pixels', async ({ server, visit }) => {
    const { page } = await visit()
    await page.setViewportSize({ width: 320, height: 640 })
    const email = `${'a'.repeat(60)}@${'b'.repeat(60)}.example.com`
    await call(page, 'createUser', { email, password, newTenant: 'Engines' })
    await verifyAddress(server, email)
    const { challenge, secret } = await call<Record<'challenge' | 'secret', string>>(page, 'enrolTotp', {
      password,
    })
    const totp = totpAt(secret, server.now())
    const { factor, recoveryCodes } = await call<{ factor: { id: string }; recoveryCodes: string[] }>(
      page,
      'addTotp',
      { challenge, totp },
    )
    for (const name of names) {
      const other = createClient(server)
      const { error } = await other.login({ email, password })
      const first = error?.secondFactor?.challenge ?? ''
      await other.verifySecondFactor({ challenge: first, recoveryCode: recoveryCodes.pop() ?? '' })
      await other.openSession({ label: name.slice(0, 64) })
    }
    const { memberships } = await call<{ memberships: { id: string }[] }>(page, 'me')
    for (const name of names) {
      await call(page, 'updateMe', { preferredName: name })
      await call(page, 'updateTenant', memberships[0]?.id, { name })
      await call(page, 'renameFactor', factor.id, { name: name.slice(0, 64) })
      await put(page, ...everything)
      await formOf(page, 'Devices').getByText(name.slice(0, 64), { exact: true }).waitFor()
      await formOf(page, 'Members').getByText(name, { exact: true }).waitFor()
      await page.locator('usher-user-menu [data-part=menu]').click()
      await expectFits(page)
      expect(await page.locator('main img').count()).toBe(0)
      expect(await accessibilityErrorsOf(page)).toEqual([])
    }
    await press(formOf(page, 'Members'), `Leave ${names.at(-1)}`)
    await formOf(page, 'Are you sure?').waitFor()
    await expectFits(page)
    // One in the middle of a text does not turn it round.
    expect(await page.locator('bdi').count()).toBeGreaterThan(10)
  })

  it('sections that load at the same time have no accessibility errors', async ({ visitUser }) => {
    const { page } = await visitUser()
    const answer = newGate()
    await page.route(/\/(sessions|identities|members)\b/, async (route) => {
      await answer.opened
      await route.continue()
    })
    await put(page, ...everything)
    await expect.poll(() => page.locator('[data-screen=loading]').count()).toBeGreaterThan(1)
    expect(await accessibilityErrorsOf(page)).toEqual([])
    answer.open()
    await formOf(page, 'Devices').waitFor()
  })

  it('a menu that is drawn again stays open and keeps the focus, and closes once something is chosen', async ({
    visitUser,
  }) => {
    const { page } = await visitUser()
    const menu = page.locator('usher-user-menu [data-part=menu]')
    await openMenu(page)
    const team = page.getByRole('button', { name: 'Switch to Engines', exact: true })
    await team.focus()
    await call(page, 'updateMe', { preferredName: 'Ada' })
    await run(page, `document.dispatchEvent(new Event('usher-change'))`)
    await menu.getByText('Ada', { exact: true }).waitFor()
    expect(await isFocused(team)).toBe(true)
    await team.press('Enter')
    expect([await team.isVisible(), await isFocused(menu)]).toEqual([false, true])
  })

  it('a menu opens over the page, within the viewport, and closes by Escape and by a click elsewhere', async ({
    visitUser,
  }) => {
    const { page } = await visitUser()
    await call(page, 'createTenant', { name: 'x'.repeat(255) })
    const menu = page.locator('usher-user-menu')
    const toggle = menu.locator('[data-part=menu]')
    const list = menu.locator('[data-part=list]')
    await put(page, ['usher-user-menu', { 'account-href': '/' }], ['h1', {}, { textContent: 'Below' }])
    await toggle.waitFor()
    const below = page.getByText('Below')
    await page.setViewportSize({ width: 390, height: 480 })
    for (const dir of ['ltr', 'rtl'])
      for (const place of [
        'top: 0; left: 0',
        'top: 0; right: 0',
        'bottom: 0; left: 40%',
        'bottom: 0; right: 0',
      ]) {
        const style = `position: fixed; ${place}`
        await run(page, `document.documentElement.dir = '${dir}'`)
        await run(page, `document.querySelector('usher-user-menu').style.cssText = '${style}'`)
        const before = await below.boundingBox()
        await toggle.click()
        expect(await below.boundingBox()).toEqual(before)
        const { x = -1, y = -1, width = 0, height = 0 } = (await list.boundingBox()) ?? {}
        expect([x >= 0, x + width <= 390, y >= 0, y + height <= 480]).toEqual([true, true, true, true])
        expect(await overflowOf(page)).toBe(0)
        await page.keyboard.press('Escape')
        expect([await list.isVisible(), await isFocused(toggle)]).toEqual([false, true])
      }
    await run(page, `document.querySelector('usher-user-menu').style.cssText = ''`)
    await toggle.click()
    expect(await accessibilityErrorsOf(page)).toEqual([])
    await page.mouse.click(380, 470)
    expect(await list.isVisible()).toBe(false)
  })

  it('ask once for the user who has logged in, before and after the session is opened', async ({ visit }) => {
    const { page } = await visit(...everything)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'GET') asked.push(request.url().split('/users/')[1] ?? '')
    })
    await run(page, `client.createUser(${JSON.stringify(newUser('Engines'))})`)
    for (const title of ['Devices', 'Members']) await formOf(page, title).waitFor()
    await page.locator('usher-user-menu [data-part=menu]').waitFor()
    // The menu, the account and the team.
    expect(asked.filter((path) => path === 'me')).toHaveLength(3)
    await run(page, 'client.signOut()')
    await expect.poll(() => page.locator('main form').count()).toBe(0)
    await run(page, `client.createUser(${JSON.stringify(newUser())})`)
    await formOf(page, 'Devices').waitFor()
  })

  it('a team that is chosen while another one loads keeps what is typed', async ({ visitUser }) => {
    const { page } = await visitUser()
    const { id } = await call<{ id: string }>(page, 'createTenant', { name: 'Looms' })
    const [asked, answer] = [newGate(), newGate()]
    await page.route(
      '**/users/me',
      async (route) => {
        asked.open()
        await answer.opened
        await route.continue()
      },
      { times: 1 },
    )
    await put(page, ['usher-tenant'])
    await asked.opened
    await run(page, `document.querySelector('usher-tenant').setAttribute('tenant', '${id}')`)
    const address = fieldOf(formOf(page, 'Members'), 'Email address')
    await address.fill('grace@example.com')
    const late = page.waitForResponse('**/users/me')
    answer.open()
    await late
    expect(await fieldOf(formOf(page, 'Team'), 'Name of the team').inputValue()).toBe('Looms')
    expect(await address.inputValue()).toBe('grace@example.com')
  })

  it('are written from right to left in Arabic, but addresses and codes are not, and follow another language of the page', async ({
    visit,
    visitUser,
  }) => {
    const { page } = await visit()
    await run(page, 'document.documentElement.lang = "ar"')
    await put(page, withPassword)
    const form = page.locator('form[data-screen="log-in"]')
    await form.waitFor()
    const root = page.locator('[data-part="root"]')
    expect(await root.getAttribute('dir')).toBe('rtl')
    expect(await root.getAttribute('lang')).toBe('ar')
    expect(await form.getByRole('heading').textContent()).toBe('نص Log in')
    expect(await run(page, eyeIn)).toEqual({ isWithin: true, isAtRight: false })
    for (const name of ['email', 'password'])
      expect(
        await form.locator(`[name="${name}"]`).evaluate((node) => getComputedStyle(node).direction),
      ).toBe('ltr')
    expect(await accessibilityErrorsOf(page)).toEqual([])
    for (const [lang, title] of [
      ['en', 'Log in'],
      ['ar', 'نص Log in'],
    ]) {
      await run(page, `document.documentElement.lang = '${lang}'`)
      await expect.poll(() => form.getByRole('heading').textContent()).toBe(title)
    }

    const user = await visitUser()
    await user.page.setViewportSize({ width: 320, height: 640 })
    await run(user.page, 'document.documentElement.lang = "ar"')
    await put(user.page, ...everything)
    await user.page.locator('form[data-screen="members"]').waitFor()
    await user.page.locator('form[data-screen="sessions"]').waitFor()
    await expectFits(user.page)
    expect(await accessibilityErrorsOf(user.page)).toEqual([])
  })

  it('fit with text of 200 %, and with the text spacing of WCAG 1.4.12', async ({ visit, visitUser }) => {
    const { page } = await visit()
    const user = await visitUser()
    await user.page.locator('usher-user-menu [data-part=menu]').click()
    const fitBoth = async (width: number) => {
      await page.setViewportSize({ width, height: 640 })
      await user.page.setViewportSize({ width, height: 640 })
      await eachScreen(page, () => expectFits(page))
      await expectFits(user.page)
    }
    for (const each of [page, user.page]) await run(each, 'document.documentElement.style.fontSize = "32px"')
    await fitBoth(640)
    const spacing = `document.documentElement.style.fontSize = ''
      const sheet = new CSSStyleSheet()
      sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important;' +
        ' word-spacing: 0.16em !important } p { margin-bottom: 2em !important }')
      document.adoptedStyleSheets = [sheet]`
    for (const each of [page, user.page]) await run(each, spacing)
    await fitBoth(320)
  })

  it('show a password by an eye in its field, which says whether it is pressed', async ({ visit }) => {
    const { page } = await visit(withPassword)
    const form = formOf(page, 'Log in')
    const field = fieldOf(form, 'Password')
    const eye = form.getByRole('button', { name: 'Show password', exact: true })
    await fill(form, { Password: password })
    expect(await run(page, eyeIn)).toEqual({ isWithin: true, isAtRight: true })
    const path = eye.locator('path')
    const drawn = await path.getAttribute('d')
    for (const [pressed, type] of [
      ['true', 'text'],
      ['false', 'password'],
    ]) {
      await eye.focus()
      await page.keyboard.press('Space')
      expect(await eye.getAttribute('aria-pressed')).toBe(pressed)
      expect(await field.getAttribute('type')).toBe(type)
      expect((await path.getAttribute('d')) === drawn).toBe(pressed === 'false')
    }
    expect(await field.inputValue()).toBe(password)
    await page.emulateMedia({ forcedColors: 'active' })
    const [stroke, ground] = await run<string[]>(
      page,
      `[getComputedStyle(document.querySelector('[data-part="reveal"] path')).stroke,
        getComputedStyle(document.querySelector('[name="password"]')).backgroundColor]`,
    )
    expect(stroke).not.toBe(ground)
  })

  it('have the marks of providers, one main button, and a logo and terms of the product', async ({
    visit,
  }) => {
    const { page } = await visit()
    const presets = ['google', 'apple', 'microsoft', 'github', 'oidc']
    await page.route('**/connections', async (route) => {
      const connections = presets.map((preset) => ({ name: preset, title: preset, preset }))
      await route.fulfill({ response: await route.fetch(), json: { connections } })
    })
    await run(
      page,
      `{
        const node = document.createElement('usher-sign-in')
        const logo = Object.assign(new Image(), { alt: 'Engines', src: '/icon.svg', slot: 'logo' })
        const terms = Object.assign(document.createElement('p'), { textContent: 'Terms', slot: 'terms' })
        node.append(terms, logo)
        document.querySelector('main').replaceChildren(node)
      }`,
    )
    const order = `[...document.querySelector('usher-sign-in').children].map(({ slot, dataset }) => slot || dataset.part)`
    for (const title of ['Log in', 'Sign up']) {
      const form = formOf(page, title)
      await form.waitFor()
      expect(await run(page, order)).toEqual(['logo', 'root', 'terms'])
      const marked = form.locator('[data-part=provider]:has(> svg)')
      await expect
        .poll(() => marked.allTextContents())
        .toEqual(presets.slice(0, 4).map((name) => `Continue with ${name}`))
      expect(await form.locator('[data-part=submit]').count()).toBe(1)
      expect(await accessibilityErrorsOf(page)).toEqual([])
      if (title === 'Log in') await press(form, 'Create an account')
    }
    const colors = `[...document.querySelectorAll('[data-action="provider-microsoft"] path')].map((each) => each.getAttribute('fill'))`
    expect(await run(page, colors)).toEqual(['#f25022', '#7fba00', '#00a4ef', '#ffb900'])
  })

  it('are as light or dark as the page, whatever the system is, unless they have a theme', async ({
    visit,
  }) => {
    const { page } = await visit(signIn)
    const form = formOf(page, 'Log in')
    const scheme = async (given: string, theme?: string) => {
      await run(page, given)
      await put(page, ['usher-sign-in', theme ? { theme } : {}])
      await form.waitFor()
      const color = await form.evaluate((node) => getComputedStyle(node).backgroundColor)
      return color === 'rgb(255, 255, 255)' ? 'light' : 'dark'
    }
    const of = (value: string) => `document.documentElement.style.colorScheme = '${value}'`
    for (const system of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: system })
      expect(await scheme(of('light'))).toBe('light')
      expect(await scheme(of('dark'))).toBe('dark')
      expect(await scheme(of('light dark'))).toBe(system)
      expect(await scheme(of('light'), 'dark')).toBe('dark')
      expect(await scheme(of('dark'), 'light')).toBe('light')
    }
    // A page that says nothing is white.
    expect(await scheme(`${of('')}; document.querySelector('[name=color-scheme]').remove()`)).toBe('light')
  })

  it('have no accessibility errors and no small targets in the looks of the guide', async ({
    visit,
    visitUser,
  }) => {
    const css = (await snippetsOf('docs/guides/sign-in.md')).filter(({ language }) => language === 'css')
    expect(css.map(({ code }) => code)).toEqual([await readFile('sdk/example/looks.css', 'utf8')])
    const { page } = await visit(signIn)
    const user = await visitUser()
    for (const look of ['forest', 'paper', 'compact'])
      for (const each of [page, user.page]) {
        const before = await run(each, accentOf)
        await run(each, `document.documentElement.dataset.look = '${look}'`)
        expect(await run(each, accentOf)).not.toBe(before)
        expect(await accessibilityErrorsOf(each)).toEqual([])
        expect(await run(each, small)).toEqual([])
      }
  })

  it('have targets of 24 pixels at least (WCAG 2.5.8), and copy recovery codes', async ({
    visit,
    visitUser,
    server,
    served,
  }) => {
    const { page } = await visit()
    await eachScreen(page, async () => expect(await run(page, small)).toEqual([]))
    const user = await visitUser()
    await user.page.locator('usher-user-menu [data-part=menu]').click()
    expect(await run(user.page, small)).toEqual([])
    const { email } = await call<{ email: string }>(user.page, 'me')
    await verifyAddress(server, email)
    await press(formOf(user.page, 'Second factor'), 'Add Authenticator app')
    await confirm(user.page)
    const enrol = formOf(user.page, 'Add an authenticator app')
    const secret = (await enrol.getByRole('code').textContent())?.replaceAll(' ', '') ?? ''
    expect(await run(user.page, small)).toEqual([])
    await send(enrol, { 'Code from your app': totpAt(secret, server.now()) }, 'Verify')
    const codes = formOf(user.page, 'Store your recovery codes')
    await codes.waitFor()
    await user.expectFailedLoads('400 totp')
    expect(await run(user.page, small)).toEqual([])
    await user.page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: served })
    await press(codes, 'Copy')
    await codes.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await run<string>(user.page, 'navigator.clipboard.readText()')
    expect(copied.split('\n')).toEqual(await codes.getByRole('code').allTextContents())
  })

  it('show focus and errors in forced colors', async ({ visit, visitUser }) => {
    // axe reads the color of a text that the browser has replaced.
    const errorsOf = async (each: Page) =>
      (await accessibilityErrorsOf(each)).filter((error) => !error.includes(' color-contrast '))
    const { page, expectFailedLoads } = await visit(withPassword)
    await page.emulateMedia({ forcedColors: 'active' })
    const form = formOf(page, 'Log in')
    await send(form, { 'Email address': newUser().email, Password: 'wrong password' }, 'Log in')
    await expectTexts(form, 'Email or password is wrong.')
    await expectFailedLoads('401 login')
    expect(await errorsOf(page)).toEqual([])
    await fieldOf(form, 'Email address').focus()
    const outlineOf = `(({ outlineStyle, outlineWidth }) => outlineStyle + ' ' + outlineWidth)(
      getComputedStyle(document.activeElement))`
    for (let stops = 0; stops < 5; stops++) {
      expect(await run(page, outlineOf)).toBe('solid 2px')
      await page.keyboard.press('Tab')
    }
    const user = await visitUser()
    await user.page.emulateMedia({ forcedColors: 'active' })
    expect(await errorsOf(user.page)).toEqual([])
  })
})
