import { z } from 'zod'
import { setting, wholeNumber } from './setting.js'

/**
 * At least 300 s: longer than the 120 s in which a login can open its session. At most 400 days, as cookies of
 * browsers.
 */
const sessionSeconds = wholeNumber(300, 34_560_000)

/** How long sessions last, and how many a user has. */
export const sessionSettings = {
  /** Seconds without a refresh after which a session ends. */
  sessionIdle: setting({
    ...sessionSeconds,
    default: 1_209_600,
    placeholder: '<seconds>',
    description: 'time without a refresh after which a session ends',
  }),
  /** Seconds after its login at which a session ends. 0 for no sessions. */
  sessionMax: setting({
    ...sessionSeconds,
    schema: z.literal(0).or(sessionSeconds.schema),
    default: 7_776_000,
    placeholder: '<seconds>',
    description: 'time after its login at which a session ends; 0 for no sessions',
    label: 'sessions',
    show: (max, { sessionIdle, sessionsPerUser }) =>
      max === 0
        ? 'none'
        : `end after ${sessionIdle} s unused, or ${max} s; at most ${sessionsPerUser} a user`,
  }),
  /** Maximum sessions of a user. Opening one more ends the longest unused one. The list of sessions shows 100. */
  sessionsPerUser: setting({
    ...wholeNumber(1, 100),
    default: 100,
    placeholder: '<number>',
    description: 'maximum sessions per user; opening another one ends the longest unused one',
  }),
}
