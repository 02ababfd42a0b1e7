// Takes the pictures of the elements for the documentation: each screen in English and Arabic, light and dark, at 320 and 1280 pixels,
// and forms of the set-up of single sign-on for its administrators.
import { mkdir, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { servePage } from '../test/browser/elements.js'
import { findChromium, launchChromium } from '../test/support/chromium.js'

const folder = 'docs/guides/elements'

/** A page whose client has a stub of the server, so that each screen can be reached. */
const script = `
import { start } from '@usher/sdk/ui'
import { startAccount } from '@usher/sdk/ui/account'
import { startSsoSetup } from '@usher/sdk/ui/sso'
import { ar } from '@usher/sdk/ui/texts/ar'
import '@usher/sdk/ui.css'
import { createStubClient, problemReply } from './test/support/ui-client.js'
const { replies = {}, isLoggedIn = false } = JSON.parse(sessionStorage.getItem('scene') ?? '{}')
const { client } = createStubClient({ isLoggedIn }, (operation) =>
  replies[operation] && problemReply(replies[operation].code, replies[operation]))
const options = { client, languages: { ar } }
start(options)
startAccount(options)
startSsoSetup(options)
`

const secondFactor = { challenge: 'c', expiresIn: 300, methods: ['totp', 'recoveryCode'] }
const tooShort = [
  { path: 'email', code: 'email_invalid', detail: '' },
  { path: 'password', code: 'too_short', min: 8, detail: '' },
]

interface Scene {
  body: string
  replies?: Record<string, object>
  isLoggedIn?: boolean
  steps?: (page: Page) => Promise<void>
}

const act = (page: Page, action: string) => page.locator(`[data-action="${action}"]`).click()
const shows = (page: Page, screen: string) => page.locator(`[data-screen="${screen}"]`).waitFor()
const logIn = async (page: Page) => {
  await page.locator('[name=email]').fill('ada@example.com')
  await act(page, 'next')
  await page.locator('[name=password]').fill('correct horse')
  await act(page, 'logIn')
}
const signIn = '<usher-sign-in></usher-sign-in>'
const account = (sections: string): Scene => ({
  body: `<usher-account sections="${sections}"></usher-account>`,
  isLoggedIn: true,
  steps: (page) => shows(page, sections.split(' ').at(-1) ?? ''),
})

const scenes: Record<string, Scene> = {
  'log-in': { body: signIn, steps: (page) => shows(page, 'log-in') },
  'sign-up': {
    body: '<usher-sign-in screen="sign-up"></usher-sign-in>',
    replies: { createUser: { code: 'validation_failed', errors: tooShort } },
    async steps(page) {
      await page.locator('[name=email]').fill('ada@example')
      await page.locator('[name=password]').fill('ada')
      await act(page, 'signUp')
      await page.locator('[aria-invalid]').first().waitFor()
    },
  },
  'second-factor': {
    body: signIn,
    replies: { login: { code: 'second_factor_required', secondFactor } },
    async steps(page) {
      await logIn(page)
      await shows(page, 'second-factor')
    },
  },
  invitation: { body: '<usher-sign-in screen="invitation"></usher-sign-in>' },
  account: account('profile email password sessions'),
  tenant: {
    body: '<usher-user-menu></usher-user-menu><usher-tenant></usher-tenant>',
    isLoggedIn: true,
    steps: (page) => shows(page, 'members'),
  },
}

const setup: Scene = { body: '<usher-sso-setup tenant="engines"></usher-sso-setup>', isLoggedIn: true }

/** Scenes of which one form is shown. */
const forms: Record<string, Scene & { form: string }> = {
  'sso-connection': {
    ...setup,
    form: 'sso-client',
    async steps(page) {
      await act(page, 'ssoAdd')
      await page.locator('[name=preset]').selectOption('okta')
      await act(page, 'next')
    },
  },
  'sso-domain': { ...setup, form: 'sso-domains' },
  'sso-settings': { ...setup, form: 'sso-overview' },
}

const looks = (['en', 'ar'] as const).flatMap((lang) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ lang, colorScheme })),
)
const browser = await launchChromium(findChromium())

type Look = (typeof looks)[number] & { width: number }

/** Opens the page of a scene. */
async function opened(scene: Scene, url: string, { width, lang, colorScheme }: Look) {
  const page = await browser.newPage({ viewport: { width, height: 400 }, colorScheme, locale: lang })
  await page.addInitScript((given) => sessionStorage.setItem('scene', given), JSON.stringify(scene))
  await page.route(url, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace('lang="en"', `lang="${lang}"`) })
  })
  await page.goto(url)
  await page.locator('[data-part="form"]').first().waitFor()
  await scene.steps?.(page)
  return page
}

/** Returns a picture of a scene as a URL. */
async function picture(scene: Scene, url: string, look: Look) {
  const page = await opened(scene, url, look)
  const image = await page.screenshot({ fullPage: true })
  await page.close()
  return `data:image/png;base64,${image.toString('base64')}`
}

try {
  await mkdir(folder, { recursive: true })
  for (const [name, scene] of Object.entries(scenes)) {
    const served = await servePage({ script, body: scene.body, server: 'http://localhost:3000' })
    const rows: string[] = []
    for (const width of [320, 1280]) {
      const images = await Promise.all(
        looks.map((look) => picture(scene, `${served.url}/`, { ...look, width })),
      )
      rows.push(`<p>${images.map((src) => `<img width="312" src="${src}">`).join('')}</p>`)
    }
    const sheet = await browser.newPage({ viewport: { width: 1296, height: 100 } })
    await sheet.setContent(
      `<style>body{margin:8px;background:#ccc}p{margin:0 0 8px;display:flex;gap:8px;align-items:start}</style>${rows.join('')}`,
    )
    await writeFile(`${folder}/${name}.png`, await sheet.screenshot({ fullPage: true }))
    await sheet.close()
    await served.close()
  }
  for (const [name, { form, ...scene }] of Object.entries(forms)) {
    const served = await servePage({ script, body: scene.body, server: 'http://localhost:3000' })
    const page = await opened(scene, `${served.url}/`, { width: 560, lang: 'en', colorScheme: 'light' })
    // A dialog is as high as the page at most.
    await page.setViewportSize({ width: 560, height: 900 })
    await page.locator(`[data-screen="${form}"]`).screenshot({ path: `${folder}/${name}.png` })
    await page.close()
    await served.close()
  }
} finally {
  await browser.close()
}
