import { withOwnStore } from '../support/api.js'
import { useEveryOperation } from '../support/every-operation.js'

const it = withOwnStore.extend('storeKind', { scope: 'worker' }, 'embedded')

// The assertions are in useEveryOperation, on the status of each response.
it('every operation works on the embedded store', async ({ store }) => {
  await useEveryOperation(store)
})
