import { afterAll, beforeAll, expect, it } from 'vitest'
import { isLong, report, times } from '../form.js'
import { seed } from '../hostile/cases.js'
import { startServers } from './in-process.js'
import { plants } from './plants.js'
import { runRound } from './round.js'

const options = { accounts: 4, clients: 3, operations: 25 }
const short = { accounts: 6, clients: 3, operations: 10 }

let servers: Awaited<ReturnType<typeof startServers>>
beforeAll(async () => {
  servers = await startServers(seed)
})
afterAll(() => servers.close())

it('the histories of accounts are linearizable, and their events are those of the changes', async () => {
  const { world, random } = servers
  const total = { operations: 0, checked: 0 }
  for (let rounds = 0; rounds < times(1, 100); rounds++) {
    const found = await runRound(world, random, options)
    total.operations += found.operations
    total.checked += found.checked
    expect(found.errors.join('\n\n')).toBe('')
  }
  report(`operations ${total.operations}, searched in ${total.checked.toFixed()} ms, seed ${seed}`)
})

const searched = Object.entries(plants).filter(([, { isRare }]) => isLong || !isRare)

it.for(searched)('finds %s', async ([, defect]) => {
  const { world, random, plant } = servers
  const { focus, found } = defect
  plant(defect)
  let errors = ''
  try {
    for (let rounds = 0; !found.test(errors) && rounds < 20; rounds++)
      errors += (await runRound(world, random, { ...short, focus })).errors.join('\n')
    expect(errors).toMatch(found)
  } finally {
    plant()
  }
})
