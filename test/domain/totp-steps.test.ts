import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { tryGuess } from '../../server/domain/factors/totp.js'
import { it } from '../support/api.js'

/** Steps of codes that arrive at the same time. Some are old, some are repeated. */
const batch = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 8 })

it('accepts the code of a step once, and of steps that arrive together always the last one', async ({
  store,
  database,
}) => {
  const { id: userId } = await database.signedUp()
  const of = { databaseId: database.id, userId }
  const created = { ...of, kind: 'totp', sealedSecret: Buffer.alloc(1), lastStep: 0n, createdAt: new Date(0) }
  const context = { store, now: () => 0 }
  const submitted = fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 5 }), async (batches) => {
    const factor = { ...created, id: randomUUID() }
    await store.prisma.factor.create({ data: factor })
    const isAccepted = async (step: number) =>
      (await tryGuess(context, { ...of, isKnown: true }, { factorId: factor.id, step })).isAccepted
    let last = 0
    for (const steps of batches) {
      const answers = await Promise.all(steps.map(isAccepted))
      const accepted = steps.filter((_, index) => answers[index])
      expect(new Set(accepted).size).toBe(accepted.length)
      for (const step of accepted) expect(step).toBeGreaterThan(last)
      const latest = Math.max(last, ...steps)
      if (latest > last) expect(accepted).toContain(latest)
      last = latest
    }
  })
  await fc.assert(submitted, { numRuns: 30 })
})
