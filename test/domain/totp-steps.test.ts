import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { acceptStep, insertFactor } from '../../server/store/queries/factors.js'
import { it } from '../support/api.js'

/** Steps of codes that arrive at the same time. Some are old, some are repeated. */
const batch = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 8 })

it('accepts the code of a step once, and of steps that arrive together always the last one', async ({
  store,
  database,
}) => {
  const { id: userId } = await database.signedUp()
  const created = { databaseId: database.id, userId, kind: 'totp', name: null, createdAt: new Date(0) }
  const submitted = fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 5 }), async (batches) => {
    const factor = { ...created, id: randomUUID(), sealedSecret: new Uint8Array(1), lastStep: 0 }
    await insertFactor(store, factor)
    let last = 0
    for (const steps of batches) {
      const accepted = await Promise.all(
        steps.map(async (step) =>
          (await acceptStep(store, factor, { step, now: new Date(0) })) ? [step] : [],
        ),
      ).then((each) => each.flat())
      expect(new Set(accepted).size).toBe(accepted.length)
      for (const step of accepted) expect(step).toBeGreaterThan(last)
      const latest = Math.max(last, ...steps)
      if (latest > last) expect(accepted).toContain(latest)
      last = latest
    }
  })
  await fc.assert(submitted, { numRuns: 30 })
})
