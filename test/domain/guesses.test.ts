import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { freeGuesses, mostFailures, secondsPerGuess, tryGuess } from '../../server/domain/factors/totp.js'
import { Problem } from '../../server/domain/problem.js'
import { it as apiTest } from '../support/api.js'

const day = 86_400

/** Returns the guesses of someone who always tries again immediately, who knows the password. Times are in seconds. */
const it = apiTest.extend(
  'guessesIn',
  ({ store, database }) =>
    async (seconds: number, { userLogsInEvery = Infinity } = {}) => {
      const { id: userId } = await database.signedUp()
      const at = { seconds: 0 }
      const context = { store, now: () => at.seconds * 1000 }
      const of = { databaseId: database.id, userId }
      const factor = { id: randomUUID(), ...of, kind: 'totp', sealedSecret: Buffer.alloc(1), lastStep: 0n }
      await store.prisma.factor.create({ data: { ...factor, createdAt: new Date(0) } })
      let step = 0
      const logIn = () => tryGuess(context, { ...of, isKnown: true }, { factorId: factor.id, step: ++step })
      const times: number[] = []
      let nextLogin = userLogsInEvery
      while (at.seconds < seconds) {
        for (; nextLogin <= at.seconds; nextLogin += userLogsInEvery)
          expect(await logIn()).toEqual({ failures: 0, isAccepted: true })
        try {
          await tryGuess(context, { ...of, isKnown: false })
          times.push(at.seconds)
        } catch (error) {
          if (!(error instanceof Problem)) throw error
          expect(error.code).toBe('too_many_attempts')
          at.seconds += error.retryAfterSeconds ?? Number.NaN
        }
      }
      return times
    },
)

it('permits ten guesses immediately and five a day, while the user logs in', async ({ guessesIn }) => {
  const seconds = 60 * day
  const guesses = await guessesIn(seconds, { userLogsInEvery: 14 * day })
  expect(guesses.filter((at) => at === 0)).toHaveLength(freeGuesses)
  expect(guesses.length).toBe(freeGuesses + Math.ceil(seconds / secondsPerGuess) - 1)
})

it('permits a hundred guesses if the user does not log in, in 18 days', async ({ guessesIn }) => {
  const guesses = await guessesIn(60 * day)
  expect([guesses.length, guesses.at(-1)]).toEqual([mostFailures, 18 * day])
})
