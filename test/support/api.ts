import { inject, test } from 'vitest'
import { start, startApp } from './app.js'
import { stopInstances } from './instances.js'
import { openTestStore, type TestStore } from './store.js'

/** Stores by kind, because vitest would open another one for each file that extends `it`. */
const shared = new Map<string, Promise<TestStore>>()

/** `it` with a store that all files of a worker share, so a test may only count and list rows of its own database. */
export const withStore = test
  .extend('storeKind', { scope: 'worker' }, inject('storeKind'))
  .extend('sharedStore', { scope: 'worker' }, ({ storeKind }, { onCleanup }) => {
    const open = shared.get(storeKind)
    if (open) return open
    const opening = openTestStore(storeKind)
    shared.set(storeKind, opening)
    onCleanup(async () => {
      await stopInstances()
      await (await opening).close()
    })
    return opening
  })
  .extend('store', { scope: 'file' }, ({ sharedStore }) => sharedStore)

/** `it` with a store per file. */
export const withOwnStore = withStore.extend(
  'store',
  { scope: 'file' },
  async ({ storeKind }, { onCleanup }) => {
    const store = await openTestStore(storeKind)
    onCleanup(store.close)
    return store
  },
)

/** `it` with an app and a database per file. */
export const it = withStore
  .extend('settings', { scope: 'file' }, {} as Record<string, string>)
  .extend('usher', { scope: 'file' }, async ({ store, settings }, { onCleanup }) => {
    const usher = await startApp(store, settings, { instances: inject('instances') })
    onCleanup(usher.close)
    return usher
  })
  .extend('database', { scope: 'file' }, ({ usher }) => usher.newDatabase())
  // Makes the app listen on a port.
  .extend('origin', { scope: 'file' }, ({ usher }) => usher.app.listen({ host: '127.0.0.1', port: 0 }))
  .extend('port', { scope: 'file' }, ({ origin }) => Number(new URL(origin).port))
  // The clock of the app, reset after each test.
  .extend('clock', ({ usher }, { onCleanup }) => {
    onCleanup(() => {
      usher.clock.now = start
    })
    return usher.clock
  })
