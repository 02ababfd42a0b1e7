import { randomBytes } from 'node:crypto'
import { test } from 'vitest'
import { cheapHashes } from '../../server/testing/cheap-hashes.js'
import { createDatabase } from '../support/command-line.js'
import { startInstance } from '../support/instances.js'
import { openPostgres } from '../support/open-store.js'
import { startProxy } from '../support/proxy.js'
import { createPostgresDatabase } from '../support/store.js'

/** Starts servers on one store with the database `acme/app`, behind a proxy that uses only ready servers. */
async function startDeployment(count: number) {
  const database = await createPostgresDatabase()
  const masterKey = randomBytes(32)
  const store = await openPostgres(database.url, masterKey)
  const env = {
    DATABASE_URL: database.url,
    USHER_MASTER_KEY: masterKey.toString('base64'),
    BASE_URL: 'https://id.example.com',
    TRUST_PROXY: '1',
    SHUTDOWN_DELAY_SECONDS: '1',
    // For busy machines.
    HASH_QUEUE_SECONDS: '60',
    ...cheapHashes,
  }
  await createDatabase('acme', 'app', env)
  const instances = await Promise.all(Array.from({ length: count }, () => startInstance(env)))
  const proxy = await startProxy(
    instances.map(({ origin }) => origin),
    50,
  )
  return {
    env,
    store,
    proxy,
    base: `${proxy.origin}/workspaces/acme/databases/app`,

    /** Restarts servers one after the other, and calls `between` before and after each. */
    async replace(servers: number, between: () => Promise<void>, file?: string) {
      for (const [index, { port, origin, stop }] of instances.slice(0, servers).entries()) {
        await between()
        await stop()
        instances[index] = await startInstance(env, port, file)
        while (!proxy.ready.has(origin)) await between()
      }
      await between()
    },

    async close() {
      await proxy.close()
      await Promise.all(instances.map(({ stop }) => stop()))
      await store.close()
      await database.drop()
    },
  }
}

/** `it` with a deployment of three servers per file. */
export const it = test
  .extend('servers', { scope: 'file' }, 3)
  .extend('deployment', { scope: 'file' }, async ({ servers }, { onCleanup }) => {
    const deployment = await startDeployment(servers)
    onCleanup(deployment.close)
    return deployment
  })
