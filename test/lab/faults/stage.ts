import { expect } from 'vitest'
import { createDatabase } from '../../../server/domain/admin/databases.js'
import { createWorkspace } from '../../../server/domain/admin/workspaces.js'
import { openEmbedded } from '../../../server/store/embedded.js'
import { migrate } from '../../../server/store/migrate.js'
import { openPostgres } from '../../../server/store/postgres.js'
import type { Store } from '../../../server/store/store.js'
import { auditLogins, auditRows } from './audit.js'
import { type LoadOptions, startLoad } from './load.js'
import { report } from './report.js'
import { startServer } from './server.js'

const masterKey = Buffer.alloc(32, 1)

/** A store as the test opens it, and as the settings of Usher name it. */
export interface StorePlace {
  open(): Promise<Store> | Store
  env: Record<string, string>
}

/** @param through where Usher finds the store, if not at its own address */
export const onPostgres = (url: string, through = url): StorePlace => ({
  open: () => openPostgres(url, masterKey, () => undefined),
  env: { DATABASE_URL: through, USHER_MASTER_KEY: masterKey.toString('base64') },
})

export const inFolder = (folder: string): StorePlace => ({
  open: () => openEmbedded(folder, masterKey),
  env: { DATA_DIR: folder, USHER_MASTER_KEY: masterKey.toString('base64') },
})

/** A store with database acme/app, Usher over it under load, and what is noted of its outages. */
export async function openStage({ open, env }: StorePlace, options: LoadOptions = {}) {
  const store = await open()
  await migrate(store.prisma)
  await createWorkspace(store, 'acme', new Date())
  await createDatabase(store, { workspaceSlug: 'acme', databaseName: 'app' }, {}, new Date())
  await store.close()
  const server = await startServer(env)
  const load = startLoad(server, options)
  const noted = {
    outages: 0,
    /** How often readiness was asked while the store was away; it was right each time. */
    readiness: 0,
    /** Milliseconds from the return of the store until Usher was ready and served. */
    recoveries: [] as number[],
  }

  /** Sees to it that Usher says whether it is ready, and that it lives. */
  async function expectReadiness(status: 200 | 503) {
    const answers = await Promise.all(['/readyz', '/readyz', '/healthz'].map(server.get))
    expect(answers).toEqual([status, status, 200])
    noted.readiness += 2
  }

  /** Waits until Usher is ready and serves, and notes how long that took from the store's return. */
  async function expectBack(returned = performance.now()) {
    await load.until(async () => expect(await server.get('/readyz')).toBe(200))
    const ready = performance.now()
    await load.until(() => expect(load.lastSuccess()).toBeGreaterThan(returned))
    noted.recoveries.push(Math.max(ready, load.lastSuccess()) - returned)
  }

  /**
   * Takes the store away under load, and gives it back once that has been noticed.
   *
   * @param away returns what gives it back
   */
  async function outage(away: () => Promise<() => Promise<unknown>>) {
    await load.sees(201)
    noted.outages += 1
    const back = await away()
    try {
      await Promise.all([load.sees(503), expectReadiness(503)])
    } finally {
      await back()
    }
    await expectBack()
  }

  /** Ends the load and holds Usher and its store to what the clients were told. */
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
