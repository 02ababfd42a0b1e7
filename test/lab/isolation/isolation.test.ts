import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isLong, report, times } from '../form.js'
import { cases, seed } from '../hostile/cases.js'
import type { Choice } from './operation.js'
import { operations } from './operations.js'
import { paths, startWorld, type World } from './world.js'

const emails = ['ada@example.com', 'grace@example.com', 'alan@example.com', 'édith@example.com']
const passwords = ['correct horse battery', 'incorrect horse battery', 'staple of all horses']

const choices: fc.Arbitrary<Choice> = fc.record({
  path: fc.constantFrom(...paths),
  other: fc.constantFrom(...paths),
  email: fc.constantFrom(...emails),
  password: fc.constantFrom(...passwords),
  newTenant: fc.constantFrom(undefined, 'Engines', 'Compilers'),
  idempotencyKey: fc.constantFrom(undefined, undefined, 'a key of many', 'another key'),
  pick: fc.nat(),
})

/** Relative frequencies. The default is 1. */
const weights: Record<string, number> = {
  signUp: 12,
  logIn: 8,
  openSession: 8,
  meEverywhere: 4,
  refreshEverywhere: 4,
  changePassword: 2,
  requestPasswordReset: 8,
  requestEmailVerification: 6,
  useCodeEverywhere: 8,
  join: 3,
  move: 2,
}
const names = fc.oneof(
  ...Object.keys(operations).map((name) => ({ weight: weights[name] ?? 1, arbitrary: fc.constant(name) })),
)

it('random operations of clients and operators in one database never affect another database', async () => {
  const length = times(100, 250)
  const steps = fc.array(fc.tuple(names, choices), { minLength: 1, maxLength: length, size: 'max' })
  let done = 0
  const property = fc.asyncProperty(steps, async (all) => {
    const world = await startWorld()
    try {
      for (const [name, choice] of all) await operations[name]?.(world, choice)
      await expectIsolated(world)
      done += all.length
    } finally {
      await world.close()
    }
  })
  await fc.assert(property, { ...cases(times(1, 40), 20), endOnFailure: !isLong, timeout: 300_000 })
  report(`operations ${done}, seed ${seed}`)
})

/**
 * Tries every code, token and refresh token and every email with every password at every database, and compares all
 * listings. No mail may have been sent without a request.
 */
async function expectIsolated(world: World) {
  const choice: Choice = {
    path: '',
    other: '',
    email: '',
    password: passwords[0] ?? '',
    newTenant: undefined,
    idempotencyKey: undefined,
    pick: 0,
  }
  const sent = world.model.codes.length
  for (let pick = 0; pick < sent; pick++) await operations.useCodeEverywhere?.(world, { ...choice, pick })
  const issued = world.model.tokens.length
  for (let pick = 0; pick < issued; pick++) await operations.meEverywhere?.(world, { ...choice, pick })
  const { length } = world.model.sessions
  for (let pick = 0; pick < length; pick++) await operations.refreshEverywhere?.(world, { ...choice, pick })
  for (const path of paths) {
    await operations.inspect?.(world, { ...choice, path })
    for (const email of emails) {
      for (const password of passwords) await operations.logIn?.(world, { ...choice, path, email, password })
    }
  }
  for (const database of world.model.databases.values())
    expect(await world.receivedMails(database)).toEqual([])
  const kids = [...world.model.databases.values()].flatMap((database) => [...database.kids])
  expect(new Set(kids).size).toBe(kids.length)
}
