import { createVerifier } from '@usher/verify'
import { it as apiTest } from '../support/api.js'
import type { TestApi, TestDatabase } from '../support/app.js'
import { freePort } from '../support/postgres-server.js'

/** Options of a verifier that has the server's clock. */
export const optionsOf = ({ clock }: TestApi, baseUrl: string, database: TestDatabase) => ({
  baseUrl,
  workspace: database.workspaceSlug,
  database: database.databaseName,
  now: () => clock.now,
})

/** `it` with a server that listens at its BASE_URL, and a verifier of its database. */
export const it = apiTest
  .extend('settings', { scope: 'file' }, async () => {
    const port = await freePort()
    return { PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` } as Record<string, string>
  })
  .extend('origin', { scope: 'file' }, ({ usher }) =>
    usher.app.listen({ host: '127.0.0.1', port: usher.config.port }),
  )
  .extend('options', { scope: 'file' }, ({ usher, origin, database }) => optionsOf(usher, origin, database))
  .extend('verifier', { scope: 'file' }, ({ options }) => createVerifier(options))
