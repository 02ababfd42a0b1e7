import type { Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Deliverer } from './deliver-messages.js'

/** Minimum time between two lines. */
const lineMilliseconds = 60_000

/**
 * Returns a function that logs that mails cannot be sent: the first failure, and then at most one in a minute, with the number of
 * failures since the line before.
 */
export function createMailFailureLog(
  log: Pick<Log, 'warn'>,
  now: AppContext['now'],
): Deliverer['logMailFailure'] {
  let failures = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  return (failure) => {
    failures += 1
    if (now() - loggedAt < lineMilliseconds) return
    log.warn({ ...failure, failures }, 'mails could not be sent')
    failures = 0
    loggedAt = now()
  }
}
