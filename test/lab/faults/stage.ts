import { expect, vi } from 'vitest'
import { createDatabase } from '../../../server/domain/management/databases.js'
import { createWorkspace } from '../../../server/domain/management/workspaces.js'
import { migrate } from '../../../server/store/migrate.js'
import { type OpenStore, openEmbedded, openPostgres } from '../../support/open-store.js'
import { auditLogins, auditRows } from './audit.js'
import { type LoadOptions, startLoad } from './load.js'
import { report } from './report.js'
import { startServer } from './server.js'

const masterKey = Buffer.alloc(32, 1)

/** How the test opens a store, and the settings with which Usher opens it. */
export interface StorePlace {
  open(): Promise<OpenStore>
  env: Record<string, string>
}

/** @param through URL that Usher uses, such as that of a proxy */
export const onPostgres = (url: string, through = url): StorePlace => ({
  open: () => openPostgres(url, masterKey),
  env: { DATABASE_URL: through, USHER_MASTER_KEY: masterKey.toString('base64') },
})

export const inFolder = (folder: string): StorePlace => ({
  open: () => openEmbedded(folder, masterKey),
  env: { DATA_DIR: folder, USHER_MASTER_KEY: masterKey.toString('base64') },
})

/** Starts Usher under load on a store with the database acme/app, and measures its outages. */
export async function openStage({ open, env }: StorePlace, options: LoadOptions = {}) {
  const store = await open()
  await migrate(store)
  await createWorkspace(store, 'acme', new Date())
  // All clients have one network, and log in with many wrong passwords.
  const settings = { networkFailuresPerHour: 0, signUpsPerHour: 0 }
  await createDatabase({ store, now: new Date() }, { workspaceSlug: 'acme', databaseName: 'app' }, settings)
  await store.close()
  const server = await startServer(env)
  const load = startLoad(server, options)
  const noted = {
    outages: 0,
    /** Number of correct responses of /readyz. */
    readiness: 0,
    /** Milliseconds from the end of an outage until Usher was ready and served requests. */
    recoveries: [] as number[],
  }

  /** Checks the statuses of /readyz and /healthz. */
  async function expectReadiness(status: 200 | 503) {
    const statuses = await Promise.all(['/readyz', '/readyz', '/healthz'].map(server.get))
    expect(statuses).toEqual([status, status, 200])
    noted.readiness += 2
  }

  /** Waits until Usher is ready and serves requests, and records how long that took. */
  async function expectBack(returned = performance.now()) {
    await load.until(async () => expect(await server.get('/readyz')).toBe(200))
    const ready = performance.now()
    await load.until(() => expect(load.lastSuccess()).toBeGreaterThan(returned))
    noted.recoveries.push(Math.max(ready, load.lastSuccess()) - returned)
  }

  /**
   * Makes the store unavailable under load, and restores it after Usher has noticed.
   *
   * @param interrupt makes the store unavailable and returns a function that restores it
   */
  async function outage(interrupt: () => Promise<() => Promise<unknown>>) {
    await load.sees(201)
    noted.outages += 1
    const restore = await interrupt()
    try {
      await Promise.all([load.sees(503), vi.waitFor(() => expectReadiness(503), 60_000)])
    } finally {
      await restore()
    }
    await expectBack()
  }

  /** Ends the load, and checks Usher and its store against the ledger. */
  async function close(title: string) {
    await load.stop()
    await auditLogins(server, load.ledger)
    await server.stop()
    const left = await open()
    report(title, load, noted, await auditRows(left, load.ledger))
    await left.close()
  }
  return { server, load, noted, expectReadiness, expectBack, outage, close }
}
