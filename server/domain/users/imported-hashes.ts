import { findLockedDummyHashes, recordDummyHash } from '../../store/queries/hash-parameters.js'
import type { AppContext } from '../context.js'
import type { Cost } from '../passwords/formats/password-hash.js'
import { readPasswordHash } from '../passwords/formats/read-hash.js'
import type { Hasher } from '../passwords/hasher.js'
import { LineError, lineError } from './line-error.js'

/** The highest estimated cost of verifying one imported hash. */
const maxCost: Cost = { milliseconds: 1_000, mebibytes: 256 }

/** The least time that counts for a set of parameters, because each hash of a failed login waits for its turn. */
const minMilliseconds = 10

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
  const counted = ({ milliseconds }: Cost) => Math.max(milliseconds, minMilliseconds)
  for (const dummyHash of dummyHashes) {
    const read = readPasswordHash(dummyHash)
    if (read) totalMilliseconds += counted(read.cost)
  }

  return (hash: string): string => {
    const read = readPasswordHash(hash)
    if (!read) throw lineError('passwordHash', 'has an unknown format')
    const { dummyHash, cost } = read
    if (known.has(dummyHash)) return dummyHash
    if (cost.milliseconds > maxCost.milliseconds || cost.mebibytes > maxCost.mebibytes) {
      throw lineError('passwordHash', `takes ${text(cost)} to verify. The maximum is ${text(maxCost)}`)
    }
    if (totalMilliseconds + counted(cost) > maxTotalMilliseconds) {
      const most = text({ milliseconds: maxTotalMilliseconds, mebibytes: 0 })
      throw lineError(
        'passwordHash',
        `has one set of hash parameters too many. A failed login verifies one hash of each, in ${most} at most`,
      )
    }
    totalMilliseconds += counted(cost)
    known.add(dummyHash)
    return dummyHash
  }
}

/**
 * Records the parameters of hashes that will be stored. Compares them with those of the database in the transaction that
 * records them, because the list that a process has read may be older than other requests.
 *
 * @returns the errors of those that are too expensive, by dummy hash
 */
export async function recordImportedParameters(
  { store, hashing }: Pick<AppContext, 'store'> & { hashing: Pick<Hasher, 'dummyHash'> },
  databaseId: string,
  dummyHashes: readonly string[],
): Promise<ReadonlyMap<string, LineError>> {
  const refused = new Map<string, LineError>()
  if (dummyHashes.length === 0) return refused
  await store.transaction(databaseId, async (query) => {
    const check = createHashFilter(hashing, await findLockedDummyHashes({ query }, databaseId))
    for (const dummyHash of dummyHashes) {
      try {
        await recordDummyHash({ query }, databaseId, check(dummyHash))
      } catch (error) {
        if (!(error instanceof LineError)) throw error
        refused.set(dummyHash, error)
      }
    }
  })
  return refused
}

const text = ({ milliseconds, mebibytes }: Cost) =>
  `${(milliseconds / 1000).toFixed(1)} s${mebibytes ? ` and ${Math.ceil(mebibytes)} MiB` : ''}`
