import { expect } from 'vitest'
import { isStoreUnavailable } from '../../../server/store/errors.js'
import { withOwnStore } from '../../support/api.js'
import { startApp } from '../../support/app.js'
import { importAll, linesOf } from '../../support/lines.js'
import { openPostgres } from '../../support/open-store.js'
import { report, times } from '../form.js'
import { startProxy } from './proxy.js'

const it = withOwnStore
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  .extend('proxy', { scope: 'file' }, async ({ store }, { onCleanup }) => {
    const proxy = await startProxy(store.settings?.DATABASE_URL ?? '')
    onCleanup(proxy.close)
    return proxy
  })
  /** Connects through the proxy, which the test bypasses. */
  .extend('usher', { scope: 'file' }, async ({ store, proxy }, { onCleanup }) => {
    const proxied = await openPostgres(proxy.url, store.masterKey)
    const usher = await startApp(proxied)
    onCleanup(() => usher.close().then(proxied.close))
    return usher
  })

// A sign-up is one statement. An import is a transaction with several statements.
it.for(['toStore', 'toUsher'] as const)(
  'an import whose connection is cut after each byte %s adds all users or none',
  async (direction, { store, proxy, usher }) => {
    const { id } = await usher.newDatabase()
    const outcomes = { cut: 0, nothing: 0, all: 0 }
    let isDone = () => true
    for (let bytes = 1; isDone(); bytes += times(71, 1)) {
      const names = ['one', 'two'].map((name) => `${name}-${bytes}`)
      const emails = names.map((name) => `${name}@example.com`)
      const lines = linesOf(...names.map((name, index) => ({ email: emails[index], tenants: [{ name }] })))
      isDone = proxy.cut({ direction, bytes, resets: bytes % 2 === 0 })
      await importAll(usher, id, lines).catch((error) => {
        if (!isStoreUnavailable(error)) throw error
        outcomes.cut += 1
      })
      proxy.callOff()
      const where = { databaseId: id, canonicalEmail: { in: emails }, memberships: { some: {} } }
      const written = await store.prisma.user.count({ where })
      outcomes[written ? 'all' : 'nothing'] += 1
      // A second run completes the import. A connection cut after its last response fails at its next use.
      const run = () => importAll(usher, id, lines)
      const again = await run().catch(run)
      expect({ written, ...again }).toEqual({
        written,
        added: 2 - written,
        alreadyThere: written,
        rejected: [],
      })
      expect([0, 2]).toContain(written)
    }
    expect(outcomes.cut).toBeGreaterThan(5)
    expect(outcomes.nothing).toBeGreaterThan(5)
    expect(await store.prisma.tenant.count({ where: { memberships: { none: {} } } })).toBe(0)
    report(`An import cut after each byte ${direction}: ${JSON.stringify(outcomes)}`)
  },
)
