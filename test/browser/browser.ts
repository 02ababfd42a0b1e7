import type { Browser, Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { launchChromium } from '../support/chromium.js'

/** Whether Chromium is installed. */
export const hasBrowser = inject('chromium') !== ''

/**
 * `it` with Chromium. `open` opens a page in a new profile that may send requests only to the given origins. After the
 * test each page is closed. The test fails if a page had an error, used another origin or had an unexpected failed
 * load.
 */
export const it = apiTest
  .extend('executable', { scope: 'worker' }, inject('chromium'))
  // The files of a worker share it: each page is in a profile of its own.
  .extend('browser', { scope: 'worker' }, async ({ executable }, { onCleanup }) => {
    const browser = await launchChromium(executable)
    onCleanup(() => browser.close())
    return browser
  })
  .extend('open', ({ browser }, { onCleanup }) => {
    const visits: Visit[] = []
    onCleanup(async () => {
      await Promise.all(visits.map(({ page }) => page.context().close()))
      for (const { errors, failedLoads } of visits)
        expect({ errors, failedLoads }).toEqual({ errors: [], failedLoads: [] })
    })
    return async (origins: string[]) => {
      const visit = await openPage(browser, origins)
      visits.push(visit)
      return visit
    }
  })

/** Returns by how many pixels a page is wider than its viewport. */
export const overflowOf = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

export type Visit = Awaited<ReturnType<typeof openPage>>

/** Opens a page in a new profile. The caller closes its context. */
export async function openPage(browser: Browser, origins: string[]) {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC' })
  context.setDefaultTimeout(15_000)
  const errors: string[] = []
  const failedLoads: string[] = []
  const usedOrigins = new Set<string>()

  const watch = (url: string) => {
    const { protocol, origin } = new URL(url.replace(/^ws/, 'http'))
    if (protocol === 'data:') return
    usedOrigins.add(origin)
    if (!origins.includes(origin)) errors.push(`request to ${url}`)
  }
  context.on('request', (request) => watch(request.url()))
  context.on('page', (page) => page.on('websocket', (socket) => watch(socket.url())))
  context.on('weberror', (error) => errors.push(String(error.error())))
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return
    // Chromium logs each response with a status of 400 or above, and each failed request.
    const failedLoad = /^Failed to load resource: .*?(\d{3}|net::\w+)/.exec(message.text())?.[1]
    if (failedLoad)
      failedLoads.push(`${failedLoad} ${new URL(message.location().url).pathname.split('/').at(-1)}`)
    else errors.push(message.text())
  })

  /** Waits for exactly these failed loads, in any order, because a page loads several at once. */
  async function expectFailedLoads(...expected: string[]) {
    await expect.poll(() => failedLoads.toSorted()).toEqual(expected.toSorted())
    failedLoads.length = 0
  }

  /** Waits for failed loads, which all have this form. How many there are depends on what the parts of a page load at once. */
  async function expectFailedLoadsLike(form: RegExp) {
    await expect.poll(() => failedLoads).not.toEqual([])
    expect(failedLoads.filter((load) => !form.test(load))).toEqual([])
    failedLoads.length = 0
  }
  const page = await context.newPage()
  return { page, errors, failedLoads, usedOrigins, expectFailedLoads, expectFailedLoadsLike }
}
