import { expect } from 'vitest'
import { it as stormTest } from '../../support/login-storm-servers.js'
import { createStorm } from '../../support/storm-round.js'
import { report, times } from '../form.js'
import { seed } from '../hostile/cases.js'
import { randomOf } from './random.js'
import { createScheduler } from './scheduler.js'

const random = randomOf(seed)

/** `it` with servers whose statements are held at random points. */
const it = stormTest
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  .extend('store', { scope: 'file' }, ({ sharedStore }) => createScheduler(random)(sharedStore))

it('nobody shares an account with a thief, is without a way to log in, or gets two sessions of one login', async ({
  servers,
  app,
}) => {
  const storm = createStorm({ servers, database: app, random })
  const rounds = times(5, 400)
  for (let round = 0; round < rounds; round++) await storm.round()
  await storm.expectCalm()
  report(`${rounds} rounds, ${JSON.stringify(storm.counts)}, seed ${seed}`)
  expect(storm.counts['provider succeeded']).toBeGreaterThan(rounds / 2)
})
