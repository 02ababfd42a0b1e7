import type { Claims } from './user.js'

/** What a token must say about how and when its user logged in, for a sensitive action. */
export interface Requirement {
  /** `aal2`: the user has proven two factors. A token without `acr` is `aal1`. */
  acr?: 'aal1' | 'aal2' | undefined
  /** Ways in which the user must have logged in (RFC 8176), each of them: `otp`, `mfa`. */
  amr?: readonly string[] | undefined
  /** Maximum seconds since the user last proved to be that user. Clocks of servers may differ by 30 s. */
  maxAuthAgeSeconds?: number | undefined
}

const names: readonly string[] = ['acr', 'amr', 'maxAuthAgeSeconds']

/** @throws {TypeError} that names an option if it is unknown or invalid: a misspelt one would require nothing */
export function assertRequirement(caller: string, requirement: Requirement | undefined) {
  if (requirement === undefined) return
  const assert = (isValid: boolean, problem: string) => {
    if (!isValid) throw new TypeError(`${caller}: ${problem}`)
  }
  assert(
    typeof requirement === 'object' && requirement !== null && !Array.isArray(requirement),
    'the options must be an object',
  )
  for (const name of Object.keys(requirement))
    assert(names.includes(name), `${name} must be acr, amr or maxAuthAgeSeconds`)
  const { acr, amr, maxAuthAgeSeconds: seconds } = requirement
  assert(acr === undefined || acr === 'aal1' || acr === 'aal2', "acr must be 'aal1' or 'aal2'")
  assert(
    amr === undefined || (Array.isArray(amr) && amr.length > 0 && amr.every(isWay)),
    "amr must be a list of ways to log in, such as ['otp']",
  )
  assert(
    seconds === undefined || (Number.isInteger(seconds) && seconds > 0),
    'maxAuthAgeSeconds must be a positive integer',
  )
}

const isWay = (way: unknown) => typeof way === 'string' && way !== ''

/** Returns whether claims meet a valid requirement. */
export function isMet(requirement: Requirement, claims: Claims, nowMs: number) {
  const { acr = 'aal1', amr = [], maxAuthAgeSeconds = Infinity } = requirement
  const { acr: level = 'aal1', amr: ways = [], auth_time: provenAt = -Infinity } = claims
  return (
    (acr === 'aal1' || level === 'aal2') &&
    amr.every((way) => ways.includes(way)) &&
    nowMs / 1000 - provenAt <= maxAuthAgeSeconds
  )
}
