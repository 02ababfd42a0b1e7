import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const weakBorders = await readFile(new URL('weak-borders.js', import.meta.url), 'utf8')

/** Returns the violations that axe finds in a page, in all its rules, and the controls whose border is hard to see. */
export async function accessibilityErrorsOf(page: Page) {
  await page.evaluate(axe)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  const errors = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html.slice(0, 120)}`))
  return [...errors, ...(await page.evaluate<string[]>(weakBorders))]
}
