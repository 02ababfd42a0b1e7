import { LRUCache } from 'lru-cache'
import { entryLimit } from '../../store/entry-limit.js'
import { HookError } from './ask-hook.js'

/** Requests to a hook of a process at the same time, so that a slow one holds few requests of users. */
const maxRunning = 16
/** After so many failures in a row, the hook is not asked for a while. */
const maxFailures = 5
const pauseMilliseconds = 10_000
const maxHooks = 10_000

interface State {
  running: number
  failures: number
  pausedUntil: number
}

/** Too many people sign up at the same time for the hook. */
export class HookBusy extends Error {
  override name = 'HookBusy'
}

/**
 * Creates a function that runs requests to hooks, and spares those that fail.
 *
 * @returns a function that throws {@link HookBusy}, {@link HookError} during a pause, or the error of the request
 */
export function createBreaker(now: () => number) {
  const states = new LRUCache<string, State>(entryLimit(maxHooks))
  return async <Result>(hook: string, request: () => Promise<Result>): Promise<Result> => {
    const state = states.get(hook) ?? { running: 0, failures: 0, pausedUntil: 0 }
    states.set(hook, state)
    if (state.pausedUntil > now()) throw new HookError('it is not asked, because it has failed several times')
    if (state.running >= maxRunning) throw new HookBusy()
    state.running++
    try {
      const result = await request()
      state.failures = 0
      return result
    } catch (error) {
      if (++state.failures >= maxFailures) state.pausedUntil = now() + pauseMilliseconds
      throw error
    } finally {
      state.running--
    }
  }
}
