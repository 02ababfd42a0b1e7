import { cheapHashes } from '../../server/testing/cheap-hashes.js'
import { withOwnStore } from './api.js'
import { createDatabase } from './command-line.js'

/** `it` with a Postgres store per file that has the database `demo/app`, and the settings of a server on it. */
export const it = withOwnStore
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  .extend('env', { scope: 'file' }, async ({ store }) => {
    const env: Record<string, string> = { ...store.settings, ...cheapHashes }
    await createDatabase('demo', 'app', env)
    return env
  })
