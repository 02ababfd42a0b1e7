import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const weakBorders = await readFile(new URL('weak-borders.js', import.meta.url), 'utf8')

/** Options of axe. Only the rules about colors depend on the scheme; `color-contrast-enhanced` is off by default. */
const optionsIn = {
  light: {},
  dark: { runOnly: ['cat.color'], rules: { 'color-contrast-enhanced': { enabled: false } } },
}

/** The callbacks of a frame run after the listeners of media queries, which may start transitions of colors. */
const settle = `new Promise(requestAnimationFrame).then(() => {
  for (const animation of document.getAnimations()) animation.finish()
})`

/**
 * Returns the violations of axe's rules in a page, in light and in dark colors, and the controls whose border is hard
 * to see. Leaves the page in the last colors.
 *
 * @param part selector of the part that axe looks at
 */
export async function accessibilityErrorsOf(
  page: Page,
  part = 'html',
  colorSchemes: readonly ('light' | 'dark')[] = ['light', 'dark'],
) {
  // Evaluating it takes a tenth of a second.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  const errors: string[] = []
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(settle)
    const { violations } = await page.evaluate<AxeResults>(
      `axe.run('${part}', ${JSON.stringify({ ...optionsIn[colorScheme], resultTypes: ['violations'] })})`,
    )
    for (const { id, nodes } of violations)
      errors.push(...nodes.map(({ html }) => `${colorScheme} ${id} ${html.slice(0, 120)}`))
    errors.push(...(await page.evaluate<string[]>(weakBorders)))
  }
  return errors
}
