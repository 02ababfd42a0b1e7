import { managementDocument, openApiDocument } from '@usher/contract/openapi'
import type { Locator } from 'playwright-core'
import { describe, expect, vi } from 'vitest'
import { password, validUser } from '../support/app.js'
import { createApiKey } from '../support/operator-changes.js'
import { accessibilityErrorsOf } from './accessibility.js'
import { it as browserTest, hasBrowser, overflowOf } from './browser.js'

// For busy machines.
vi.setConfig({ testTimeout: 120_000 })

/** Opens the page to which / redirects. `tryOut` runs an operation on the database of the test. */
const it = browserTest.extend('visitDocs', ({ open, origin, database }) => async () => {
  const visit = await open([origin])
  const { page } = visit
  await page.goto(origin)

  async function tryOut(operation: string, body?: object) {
    const block = page.locator(`#operations-users-${operation}`)
    await block.locator('.opblock-summary-control').click()
    await block.getByPlaceholder('workspaceSlug').fill(database.workspaceSlug)
    await block.getByPlaceholder('databaseName').fill(database.databaseName)
    if (body) await block.locator('textarea').fill(JSON.stringify(body))
    await block.getByRole('button', { name: 'Execute' }).click()
    const response = block.locator('.live-responses-table .response')
    const status = await response.locator('.response-col_status').innerText()
    const responseBody = await response.locator('.highlight-code code').first().innerText()
    await block.getByRole('button', { name: 'Clear' }).click()
    await block.locator('.opblock-summary-control').click()
    return { status: Number.parseInt(status, 10), body: JSON.parse(responseBody) }
  }
  return { ...visit, tryOut }
})

describe.skipIf(!hasBrowser)('/docs', () => {
  // One test, because Chromium takes seconds to render the page.
  it('shows every operation, runs them on this server with the token of the last response that had one, and is accessible', async ({
    origin,
    visitDocs,
  }) => {
    const { page, usedOrigins, tryOut, expectFailedLoads } = await visitDocs()
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 390, height: 844 })
    const { paths = {} } = openApiDocument(origin, '0')
    await page.getByRole('heading', { name: 'Usher API' }).waitFor()
    const count = Object.values(paths).flatMap((path) => Object.keys(path)).length
    await expect.poll(() => page.locator('.opblock').count()).toBe(count)
    expect(new URL(page.url()).pathname).toBe('/docs')
    const other = page.getByRole('link', { name: 'Management API' })
    expect(await hrefOf(other)).toBe(`${origin}/management/docs`)
    expect(await page.locator('html.dark-mode').count()).toBe(0)
    // A list that a phone can scroll: every operation and schema is folded.
    expect(await page.locator('.opblock-body, .models article').count()).toBe(0)
    expect(await overflowOf(page)).toBe(0)

    expect(await tryOut('getMe')).toMatchObject({ status: 401, body: { code: 'token_missing' } })
    await expectFailedLoads('401 me')
    const { email } = validUser()
    const signedUp = await tryOut('createUser', { email, password })
    expect(signedUp).toMatchObject({ status: 201, body: { token: { type: 'ACCESS_TOKEN' } } })
    expect(await tryOut('getMe')).toMatchObject({ status: 200, body: { email } })

    await page.getByRole('button', { name: 'Authorize' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Authorize' })
    await dialog.getByText('Authorized').waitFor()
    expect(await accessibilityErrorsOf(page, '[role=dialog]')).toEqual([])
    expect(await page.locator('html.dark-mode').count()).toBe(1)
    await dialog.getByRole('button', { name: 'Logout' }).click()
    await dialog.getByRole('textbox').fill(signedUp.body.token.jwt)
    await dialog.getByRole('button', { name: 'Authorize' }).click()
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    expect(await tryOut('getMe')).toMatchObject({ status: 200, body: { email } })

    const operation = page.locator('#operations-users-createUser')
    await operation.locator('.opblock-summary-control').click()
    await operation.getByRole('button', { name: 'Execute' }).click()
    await expectFailedLoads('409 users')
    const errors = operation.locator('details')
    expect(await errors.getByRole('link').count()).toBe(0)
    // A table of its own for each error would be three times as high.
    const rows = operation.locator('.responses-table:not(.live-responses-table) tr.response')
    expect(await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-code')))).toEqual(['201'])
    await errors.getByText('Errors').click()
    expect(await errors.getByRole('link', { name: 'email_taken' }).getAttribute('href')).toBe(
      './problems/email_taken',
    )
    expect(await operation.getByText('Links').filter({ visible: true }).count()).toBe(0)
    expect(await overflowOf(page)).toBe(0)
    await page.getByRole('button', { name: 'Schemas' }).click()
    await page.getByText('Expand all').first().click()
    // Operations look alike, and so do schemas. All of them would take axe a quarter of a minute.
    await page.evaluate(`for (const each of document.querySelectorAll(
      '.opblock-tag-section:not(:has(#operations-users-createUser)), .models article:nth-of-type(n + 10)')) each.remove()`)
    // Not over a button, which would look as pointed at.
    await page.mouse.move(0, 0)
    for (const kind of ['.opblock', '.models article'])
      expect(await page.locator(kind).count(), kind).toBeGreaterThan(2)
    expect(await accessibilityErrorsOf(page)).toEqual([])
    expect([...usedOrigins]).toEqual([origin])
  })
})

describe.skipIf(!hasBrowser)('/management/docs', () => {
  it('shows every operation, and sends the API key to this server', async ({
    open,
    origin,
    store,
    database,
  }) => {
    const { page } = await open([origin])
    await page.goto(`${origin}/management/docs`)
    await page.getByRole('heading', { name: 'Usher management API' }).waitFor()
    const { paths = {} } = managementDocument(origin, '0')
    const count = Object.values(paths).flatMap((path) => Object.keys(path)).length
    await expect.poll(() => page.locator('.opblock').count()).toBe(count)

    const { key } = await createApiKey({ store, now: new Date() }, database, {
      name: 'reference',
      scopes: ['users:read'],
      expiresInSeconds: 60,
    })
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Authorize' })
    await dialog.getByRole('textbox').fill(key)
    await dialog.getByRole('button', { name: 'Authorize' }).click()
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    const block = page.locator('#operations-users-listUsers')
    await block.locator('.opblock-summary-control').click()
    await block.getByPlaceholder('workspaceSlug').fill(database.workspaceSlug)
    await block.getByPlaceholder('databaseName').fill(database.databaseName)
    await block.getByRole('button', { name: 'Execute' }).click()
    const status = block.locator('.live-responses-table .response .response-col_status')
    expect(Number.parseInt(await status.innerText(), 10)).toBe(200)
    await block.locator('details').getByText('Errors').click()
    const problem = block.locator('details').getByRole('link', { name: 'key_invalid' })
    expect(await hrefOf(problem)).toBe(`${origin}/problems/key_invalid`)
  })
})

const hrefOf = (link: Locator) => link.evaluate((node) => (node as HTMLAnchorElement).href)

describe.skipIf(!hasBrowser)('/problems/{code}', () => {
  it('is accessible in light and dark colors', async ({ open, origin }) => {
    const { page } = await open([origin])
    await page.goto(`${origin}/problems/email_taken`)
    await page.getByRole('heading').waitFor()
    expect(await accessibilityErrorsOf(page)).toEqual([])
  })
})
