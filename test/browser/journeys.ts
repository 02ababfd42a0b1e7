import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { type TestDatabase, validUser } from '../support/app.js'
import { setDatabase } from '../support/operator-changes.js'
import { writtenMails } from '../support/written-mails.js'
import { it as browserTest } from './browser.js'
import { serveExample } from './elements.js'
import { logIn } from './forms.js'

/** `it` with the example of the SDK, and the mails of its database. */
export const it = browserTest
  .extend('folder', { scope: 'file' }, async ({ storeKind: _ }, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-example-'))
    onCleanup(() => rm(folder, { recursive: true }))
    return folder
  })
  .extend('settings', { scope: 'file' }, ({ folder }) => ({ DATA_DIR: folder }))
  .extend('place', { scope: 'file' }, ({ origin, database }) => ({
    baseUrl: origin,
    workspace: database.workspaceSlug,
    database: database.databaseName,
  }))
  .extend('example', { scope: 'file' }, async ({ place, usher, database }, { onCleanup }) => {
    const page = await serveExample(place)
    onCleanup(page.close)
    await setDatabase(usher.store, database, { appUrl: page.url, loginMail: 'both' })
    return page.url
  })
  /** Returns a line in the mail to an address, with a text if there are several. */
  .extend(
    'lineTo',
    ({ usher }) =>
      (email: string, line: RegExp, content = '') =>
        vi.waitFor(async () => {
          const lines = (await writtenMails(usher, email))
            .filter((text) => text.includes(content))
            .flatMap((text) => text.match(line)?.[0] ?? [])
          return lines[0] ?? expect.fail(`no mail to ${email} with ${line}`)
        }, 10_000),
  )
  .extend(
    'linkTo',
    ({ lineTo }) =>
      (email: string, content?: string) =>
        lineTo(email, /^http\S+$/m, content),
  )
  /** Opens the example in a new browser. */
  .extend('visit', ({ open, origin, example }) => async (path = '/') => {
    const visit = await open([origin, example])
    await visit.page.goto(path.startsWith('/') ? example + path : path)
    return visit
  })
  /** Opens the example in a new browser, and logs in a new user. */
  .extend('visitLoggedIn', ({ visit, database }) => async (body: object = {}) => {
    const opened = await visit()
    const { email } = await newUser(database, body)
    await logIn(opened.page, email)
    return { ...opened, email }
  })

/** Signs a user up. */
export async function newUser(database: TestDatabase, body: object = {}) {
  const user = validUser(body)
  await database.signedUp(user)
  return user
}
