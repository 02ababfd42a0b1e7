import type { Cost } from '../../passwords/formats/password-hash.js'
import { readPasswordHash } from '../../passwords/formats/read-hash.js'
import type { Hasher } from '../../passwords/hasher.js'
import { LineError } from './user-line.js'

/** The most that verifying one hash from elsewhere may take of a server, about. */
const ceiling: Cost = { milliseconds: 1_000, mebibytes: 256 }

/** A failed login verifies a dummy hash of each shape that its database has: the most that all of them may take. */
const togetherMilliseconds = 2_000

/**
 * Judges hashes from elsewhere for one database, so that no line of a file can occupy the servers.
 *
 * @param dummyHashes the shapes that the database has; hashes of these and of the server's own are always taken
 * @returns a function that gives the dummy hash of a hash, or throws {@link LineError}
 */
export function createHashFilter(hashing: Pick<Hasher, 'dummyHash'>, dummyHashes: readonly string[]) {
  const known = new Set([hashing.dummyHash, ...dummyHashes])
  let together = 0
  for (const dummyHash of dummyHashes) together += readPasswordHash(dummyHash)?.cost.milliseconds ?? 0

  return (hash: string): string => {
    const read = readPasswordHash(hash)
    if (!read) throw new LineError('passwordHash: is of no known format')
    const { dummyHash, cost } = read
    if (known.has(dummyHash)) return dummyHash
    if (cost.milliseconds > ceiling.milliseconds || cost.mebibytes > ceiling.mebibytes) {
      throw new LineError(`passwordHash: takes ${text(cost)} to verify; at most ${text(ceiling)} are taken`)
    }
    if (together + cost.milliseconds > togetherMilliseconds) {
      const most = text({ milliseconds: togetherMilliseconds, mebibytes: 0 })
      throw new LineError(
        `passwordHash: is of a kind too many: a failed login tries one hash of each, for ${most} at most in all`,
      )
    }
    together += cost.milliseconds
    known.add(dummyHash)
    return dummyHash
  }
}

const text = ({ milliseconds, mebibytes }: Cost) =>
  `${(milliseconds / 1000).toFixed(1)} s${mebibytes ? ` and ${Math.ceil(mebibytes)} MiB` : ''}`
