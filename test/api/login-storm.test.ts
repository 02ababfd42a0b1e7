import { expect } from 'vitest'
import { randomOf } from '../lab/histories/random.js'
import { it } from '../support/login-storm-servers.js'
import { createStorm } from '../support/storm-round.js'

// The long form is in test/lab/histories.

it('people who log in, link, reset, change and delete accounts at the same time share none with a thief', async ({
  servers,
  app,
}) => {
  const storm = createStorm({ servers, database: app, random: randomOf(1) })
  for (let round = 0; round < 10; round++) await storm.round()
  await storm.expectCalm()
  expect(storm.counts['provider succeeded']).toBeGreaterThan(10)
})
