import { expect, it } from 'vitest'
import { isLong, report } from '../form.js'
import { seed } from '../hostile/cases.js'
import { startFaults, startProcesses } from './processes.js'
import { runRound } from './round.js'

/** About a minute for each round, so that refresh tokens are repeated after half a minute. */
const options = { accounts: 8, clients: 3, operations: 120, think: 700 }

it.skipIf(!isLong)('histories of server processes under faults are linearizable', async () => {
  const { world, random, close, faults } = await startProcesses(seed)
  const total = { operations: 0, unknown: 0, checked: 0 }
  try {
    for (let rounds = 0; rounds < 5; rounds++) {
      const disturb = () => {
        const stop = startFaults(faults, random)
        return async () => report(JSON.stringify(await stop()))
      }
      const found = await runRound(world, random, { ...options, disturb })
      total.operations += found.operations
      total.unknown += found.unknown
      total.checked += found.checked
      expect(found.errors.join('\n\n')).toBe('')
    }
  } finally {
    await close()
    report(`${JSON.stringify(total)}, seed ${seed}`)
  }
})
