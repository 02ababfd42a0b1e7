import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { headingOf, it } from '../../browser/console.js'
import { median, percentile, table } from '../bench/figures.js'
import { report, times } from '../form.js'

// How long an operator waits until a screen can be used, with a quarter of the speed of this machine and 40 ms to the server.

const rounds = times(1, 15)

/** Slows a page down, and empties its cache before each load. */
async function slowDown(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 40,
    downloadThroughput: 1_250_000,
    uploadThroughput: 1_250_000,
  })
  return () => session.send('Network.clearBrowserCache')
}

async function waitsOf(page: Page, open: () => Promise<unknown>, isUsable: () => Promise<unknown>) {
  const clearCache = await slowDown(page)
  const milliseconds: number[] = []
  for (let round = 0; round <= rounds; round++) {
    await page.goto('about:blank')
    await clearCache()
    const startedAt = performance.now()
    await open()
    await isUsable()
    // The first round warms up.
    if (round > 0) milliseconds.push(performance.now() - startedAt)
  }
  return [median(milliseconds), percentile(milliseconds, 0.95)]
}

it('a screen can be used soon', { timeout: times(60_000, 600_000) }, async ({ owner, server, open }) => {
  const visitor = await open([server.url])
  const login = visitor.page.getByRole('form', { name: 'Log in' }).getByLabel('Email')
  const address = (path: string) => `${server.url}${path}`
  const goTo = (page: Page, path: string) => page.goto(address(path), { waitUntil: 'commit' })
  const rows = [
    [
      'the login',
      ...(await waitsOf(
        visitor.page,
        () => goTo(visitor.page, '/console'),
        () => login.fill('ada@example.com'),
      )),
    ],
    [
      'the workspaces',
      ...(await waitsOf(
        owner.page,
        () => goTo(owner.page, '/console'),
        () => headingOf(owner.page, 'Workspaces').waitFor(),
      )),
    ],
    [
      'the users of a database',
      ...(await waitsOf(
        owner.page,
        () => goTo(owner.page, '/console/acme/app/users'),
        () => owner.page.getByRole('button', { name: 'Find' }).waitFor(),
      )),
    ],
  ]
  report(table(['with an empty cache', 'p50 ms', 'p95 ms'], rows))
  expect(rows).toHaveLength(3)
})
