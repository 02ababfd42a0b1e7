import { findGuesses, type GuessLimits, type RightCode, tryCode } from '../../store/queries/factor-guesses.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import { tooManyAttempts } from '../throttle/rules.js'

// Six digits can be guessed by a program that has the password, so tries are counted per user, over all challenges, networks and
// servers, by the statement that accepts a right one. Known networks have an allowance of their own: a stranger cannot lock the user out.

/** Wrong codes that an allowance permits at any time. */
export const freeGuesses = 10
/** An allowance gains a try in this time: five a day. */
export const secondsPerGuess = 17_280
/** Wrong codes in a row after which an allowance ends, until a recovery code or a right code by the other one. */
export const mostFailures = 100

/** A user, and whether the request comes from a network from which the user has logged in. */
interface Guesser {
  databaseId: string
  userId: string
  isKnown: boolean
}

/**
 * Counts a wrong code, or accepts a right one.
 *
 * @returns the wrong codes in a row, including this one, and whether the code was accepted
 * @throws {Problem} `too_many_attempts`, whatever the code
 */
export async function tryGuess(
  { store, now }: Pick<AppContext, 'store' | 'now'>,
  guesser: Guesser,
  right?: RightCode,
) {
  const at = now()
  const limits: GuessLimits = {
    now: new Date(at),
    seconds: secondsPerGuess,
    latest: new Date(at + (freeGuesses - 1) * secondsPerGuess * 1000),
    mostFailures,
  }
  const tried = await tryCode(store, guesser, { ...limits, right })
  if (!tried) throw await refusal(store, guesser, limits)
  return tried
}

async function refusal(store: AppContext['store'], guesser: Guesser, { latest }: GuessLimits) {
  const guesses = await findGuesses(store, guesser)
  if (guesses && guesses.failures >= mostFailures)
    return new Problem('too_many_attempts', {
      detail: 'Too many wrong codes. Use a recovery code, or ask the operator of the app.',
      retryAfterSeconds: 86_400,
    })
  const milliseconds = (guesses?.fullAt.getTime() ?? 0) - latest.getTime()
  return tooManyAttempts(Math.max(1, Math.ceil(milliseconds / 1000)))
}
