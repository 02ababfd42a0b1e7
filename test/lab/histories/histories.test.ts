import { afterAll, beforeAll, expect, it } from 'vitest'
import { isLong, report, times } from '../form.js'
import { seed } from '../hostile/cases.js'
import { addressPlants } from './address-plants.js'
import { runAddressRound } from './addresses.js'
import { startServers } from './in-process.js'
import { plants } from './plants.js'
import { runRound } from './round.js'
import { runTenantRound } from './tenants.js'

const options = { accounts: 4, clients: 3, operations: 25 }
const short = { accounts: 6, clients: 3, operations: 10 }

let servers: Awaited<ReturnType<typeof startServers>>
beforeAll(async () => {
  servers = await startServers(seed)
})
afterAll(() => servers.close())

it('the histories of accounts are linearizable, and their events are those of the changes', async () => {
  const { world, random } = servers
  const total = { operations: 0, reclaimed: 0, checked: 0 }
  const rounds = times(1, 100)
  for (let round = 0; round < rounds; round++) {
    const found = await runRound(world, random, options)
    for (const name of ['operations', 'reclaimed', 'checked'] as const) total[name] += found[name]
    expect(found.errors.join('\n\n')).toBe('')
  }
  report(`${JSON.stringify(total)}, seed ${seed}`)
  if (isLong) expect(total.reclaimed).toBeGreaterThan(rounds / 2)
})

it('the histories of tenants are linearizable, also when owners demote each other, leave or delete accounts, and invited users join', async () => {
  const { world, random } = servers
  let operations = 0
  let accepted = 0
  const rounds = times(3, 300)
  for (let round = 0; round < rounds; round++) {
    const found = await runTenantRound(world, random, 8)
    operations += found.operations
    accepted += found.accepted
    expect(found.errors).toBe('')
  }
  report(`operations on tenants ${operations}, invitations accepted ${accepted}, seed ${seed}`)
  if (isLong) expect(accepted).toBeGreaterThan(rounds / 10)
})

it('the histories of changed addresses are linearizable, also when two users want one, and changes are undone', async () => {
  const { world, random } = servers
  const total = { operations: 0, changed: 0, undone: 0 }
  const rounds = times(3, 100)
  for (let round = 0; round < rounds; round++) {
    const { errors, ...found } = await runAddressRound(world, random, 12)
    for (const name of ['operations', 'changed', 'undone'] as const) total[name] += found[name]
    expect(errors).toBe('')
  }
  report(
    `operations on addresses ${total.operations}, changes ${total.changed}, undone ${total.undone}, seed ${seed}`,
  )
  if (isLong) expect(Math.min(total.changed, total.undone)).toBeGreaterThan(rounds)
})

/** Defects are searched for only in the long form. */
const itLong = it.skipIf(!isLong)

itLong.for(Object.entries(addressPlants))('finds %s', async ([, defect]) => {
  const { world, random, plant } = servers
  plant(defect)
  let errors = ''
  try {
    for (let rounds = 0; errors === '' && rounds < 200; rounds++) {
      errors = (await runAddressRound(world, random, 12)).errors
    }
    expect(errors).toMatch(defect.found)
  } finally {
    plant()
  }
})

itLong('finds changes of members that lock nothing', async () => {
  const { world, random, plant } = servers
  plant({
    create:
      () =>
      ({ text, values, run }) =>
        run(
          text.includes('AS tenants FROM locked_tenant') ? text.replace(/FOR (NO KEY )?UPDATE/g, '') : text,
          values,
        ),
  })
  let errors = ''
  try {
    for (let rounds = 0; errors === '' && rounds < 40; rounds++)
      errors = (await runTenantRound(world, random, 8)).errors
    expect(errors).toMatch(/^impossible/)
  } finally {
    plant()
  }
})

itLong.for(Object.entries(plants))('finds %s', async ([, defect]) => {
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
