import { withOwnStore } from '../support/api.js'
import { useEveryOperation } from './every-operation.js'

const it = withOwnStore.extend('storeKind', { scope: 'worker' }, 'embedded')

// The assertions are in useEveryOperation.
it('every operation works on the embedded store', { timeout: 180_000 }, async ({ store }) => {
  await useEveryOperation(store)
})
