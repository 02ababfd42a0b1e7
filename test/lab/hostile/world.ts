import type { DatabasePath } from '@usher/contract'
import { expect } from 'vitest'
import { createDatabase } from '../../../server/domain/admin/databases.js'
import { createWorkspace } from '../../../server/domain/admin/workspaces.js'
import { withStore } from '../../support/api.js'
import { startApp } from '../../support/app.js'
import { openTestStore, type TestStore } from '../../support/store.js'
import type { World } from './requests.js'
import { knownEmail, knownPassword, mark } from './values.js'

const paths: DatabasePath[] = [
  { workspaceSlug: 'one', databaseName: 'app' },
  { workspaceSlug: 'one', databaseName: 'web' },
  { workspaceSlug: 'two', databaseName: 'app' },
]
const settings = [
  {},
  { passwordPolicy: 'none', signingAlgorithm: 'EdDSA' },
  { passwordPolicy: 'nist', signingAlgorithm: 'RS256' },
] as const

/** Starts a server with three databases that have the same ten accounts, each with a token. */
async function startWorld(store: TestStore) {
  const usher = await startApp(store, { TRUST_PROXY: '1', TOKEN_MAX_AGE: '86400' })
  const now = new Date(usher.clock.now)
  for (const slug of ['one', 'two']) await createWorkspace(store, slug, now)
  const tokens: World['tokens'] = []
  const refreshTokens: string[] = []
  for (const [index, path] of paths.entries()) {
    await createDatabase(store, path, { ...settings[index] }, now)
    const { signedUp, openSession } = usher.client(path.workspaceSlug, path.databaseName)
    for (let number = 0; number < 10; number++) {
      const body = { email: knownEmail(number), password: knownPassword(number) }
      const { jwt } = (await signedUp(body)).token
      tokens.push({ path, jwt })
      if (number > 2) continue
      const session = (await openSession(jwt)).json()
      tokens.push({ path, jwt: session.token.jwt })
      refreshTokens.push(session.refreshToken.value)
    }
  }
  const world: World = { paths, tokens, refreshTokens }

  /** Fails if a text of a client or an internal error was logged. Clears the log. */
  function expectCleanLog() {
    const log = usher.logged()
    usher.forgetLog()
    expect(log.match(new RegExp(`.*(${mark('')}|internal error|eyJ[\\w-]{20,}).*`))?.[0]).toBeUndefined()
  }

  const close = async () => {
    expectCleanLog()
    await usher.close()
  }
  return { ...usher, world, expectCleanLog, close }
}

/** `it` with such a server per test. */
export const it = withStore.extend('usher', async ({ storeKind }, { onCleanup }) => {
  const store = await openTestStore(storeKind)
  const usher = await startWorld(store)
  onCleanup(() => usher.close().then(store.close))
  return usher
})
