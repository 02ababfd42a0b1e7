import { expect } from 'vitest'
import {
  countGuess,
  freeGuesses,
  mostFailures,
  secondsPerGuess,
} from '../../server/domain/factors/guesses.js'
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
      const count = (isKnown: boolean) => countGuess(context, { databaseId: database.id, userId, isKnown })
      const times: number[] = []
      let nextLogin = userLogsInEvery
      while (at.seconds < seconds) {
        for (; nextLogin <= at.seconds; nextLogin += userLogsInEvery) await (await count(true)).release()
        try {
          await count(false)
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
