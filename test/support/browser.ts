import type { Browser } from 'playwright-core'
import { expect, inject } from 'vitest'
import { it as apiTest } from './api.js'
import { launchChromium } from './chromium.js'

/** Whether there is a browser to test in. */
export const hasBrowser = inject('chromium') !== ''

/**
 * `it` with Chromium. `open` gives a page in a profile of its own, which may ask these origins only. Each page is
 * closed after its test, which fails if the page had an error, asked another host, or got a refusal that the test
 * does not name.
 */
export const it = apiTest
  .extend('executable', { scope: 'file' }, inject('chromium'))
  .extend('browser', { scope: 'file' }, async ({ executable }, { onCleanup }) => {
    const browser = await launchChromium(executable)
    onCleanup(() => browser.close())
    return browser
  })
  .extend('open', ({ browser }, { onCleanup }) => {
    const visits: Visit[] = []
    onCleanup(async () => {
      await Promise.all(visits.map(({ page }) => page.context().close()))
      for (const { faults, refusals } of visits)
        expect({ faults, refusals }).toEqual({ faults: [], refusals: [] })
    })
    return async (origins: string[]) => {
      const visit = await openPage(browser, origins)
      visits.push(visit)
      return visit
    }
  })

type Visit = Awaited<ReturnType<typeof openPage>>

async function openPage(browser: Browser, origins: string[]) {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC' })
  context.setDefaultTimeout(15_000)
  const faults: string[] = []
  const refusals: string[] = []
  const asked = new Set<string>()

  const watch = (url: string) => {
    const { protocol, origin } = new URL(url.replace(/^ws/, 'http'))
    if (protocol === 'data:') return
    asked.add(origin)
    if (!origins.includes(origin)) faults.push(`asks ${url}`)
  }
  context.on('request', (request) => watch(request.url()))
  context.on('page', (page) => page.on('websocket', (socket) => watch(socket.url())))
  context.on('weberror', (error) => faults.push(String(error.error())))
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return
    // Chromium itself logs each answer of 400 and above, and each lack of one.
    const refusal = /^Failed to load resource: .*?(\d{3}|net::\w+)/.exec(message.text())?.[1]
    if (refusal) refusals.push(`${refusal} ${new URL(message.location().url).pathname.split('/').at(-1)}`)
    else faults.push(message.text())
  })

  /** Waits for these refusals, which the test expects; fails where there have been others. */
  async function expectRefusals(...expected: string[]) {
    await expect.poll(() => refusals).toEqual(expected)
    refusals.length = 0
  }
  const page = await context.newPage()
  return { page, faults, refusals, asked, expectRefusals }
}
