import type { Cost } from '../../passwords/formats/password-hash.js'
import { readPasswordHash } from '../../passwords/formats/read-hash.js'
import type { Hasher } from '../../passwords/hasher.js'
import { lineError } from './user-line.js'

/** The highest estimated cost of verifying one imported hash. */
const maxCost: Cost = { milliseconds: 1_000, mebibytes: 256 }

/** The highest estimated time of a failed login, which verifies one hash per set of parameters in its database. */
const maxTotalMilliseconds = 2_000

/**
 * Limits the cost of hashes imported into one database, so that no line of a file can overload the servers.
 *
 * @param dummyHashes of the database. Hashes with the parameters of one of them, or the current ones, are always
 * accepted
 * @returns a function that returns the dummy hash of a hash, or throws a `LineError`
 */
export function createHashFilter(hashing: Pick<Hasher, 'dummyHash'>, dummyHashes: readonly string[]) {
  const known = new Set([hashing.dummyHash, ...dummyHashes])
  let totalMilliseconds = 0
  for (const dummyHash of dummyHashes)
    totalMilliseconds += readPasswordHash(dummyHash)?.cost.milliseconds ?? 0

  return (hash: string): string => {
    const read = readPasswordHash(hash)
    if (!read) throw lineError('passwordHash', 'has an unknown format')
    const { dummyHash, cost } = read
    if (known.has(dummyHash)) return dummyHash
    if (cost.milliseconds > maxCost.milliseconds || cost.mebibytes > maxCost.mebibytes) {
      throw lineError('passwordHash', `takes ${text(cost)} to verify. The maximum is ${text(maxCost)}`)
    }
    if (totalMilliseconds + cost.milliseconds > maxTotalMilliseconds) {
      const most = text({ milliseconds: maxTotalMilliseconds, mebibytes: 0 })
      throw lineError(
        'passwordHash',
        `has one set of hash parameters too many. A failed login verifies one hash of each, in ${most} at most`,
      )
    }
    totalMilliseconds += cost.milliseconds
    known.add(dummyHash)
    return dummyHash
  }
}

const text = ({ milliseconds, mebibytes }: Cost) =>
  `${(milliseconds / 1000).toFixed(1)} s${mebibytes ? ` and ${Math.ceil(mebibytes)} MiB` : ''}`
