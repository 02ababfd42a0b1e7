import { openApiDocument } from '@usher/contract/openapi'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi, validUser } from '../support/app.js'
import { describeInBrowser, useBrowser } from '../support/browser.js'

describeInBrowser('the reference page', () => {
  const open = useBrowser()
  let usher: TestApi
  let origin: string

  beforeAll(async () => {
    usher = await startApi()
    origin = await usher.app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => usher.close())

  /** The page, as / leads there, and a way to try its operations on the test's database. */
  async function visitDocs() {
    const visit = await open([origin])
    await visit.page.goto(origin)
    async function tryOut(operation: string, body?: object) {
      const block = visit.page.locator(`#operations-users-${operation}`)
      if (!(await block.locator('.execute').isVisible())) {
        await block.locator('.opblock-summary-control').click()
      }
      const parameter = (name: string) => block.locator(`[data-param-name="${name}"] input`)
      await parameter('workspaceSlug').fill(usher.database.workspaceSlug)
      await parameter('databaseName').fill(usher.database.databaseName)
      if (body) await block.locator('textarea').fill(JSON.stringify(body))
      const answered = visit.page.waitForResponse(({ url }) => true)
      await block.getByRole('button', { name: 'Execute' }).click()
      const answer = block.locator('.live-responses-table')
      await answer.waitFor()
      return { status: await answer.locator('.response-col_status').last().innerText() }
    }
    return { ...visit, tryOut }
  }
})
