import { LRUCache } from 'lru-cache'
import { entryLimit } from '../../store/entry-limit.js'
import type { Attempt, Failures, LoginFailures } from '../../store/queries/login-failures.js'

/** Maximum number of accounts and networks. */
const maxEntries = 100_000

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/** An attempt on an account. */
export interface Guess {
  databaseId: string
  attempt: Attempt
  /** Whether the user has logged in from this network before. If so, only failures of this network count. */
  isKnown: boolean
}

/** Creates the counts of failures that could not be stored. They are added to the stored ones. */
export function createUnstoredFailures(now: () => number) {
  const counts = new LRUCache<string, Failures>(entryLimit(maxEntries))
  const keysOf = ({ attempt: { address, network } }: Guess) => ({
    network: latin1(address) + latin1(network),
    account: latin1(address),
  })
  function add(key: string, number: number) {
    const count = (counts.get(key)?.count ?? 0) + number
    if (count > 0) counts.set(key, { count, lastAt: new Date(now()) })
    else counts.delete(key)
  }
  function sum(stored: Failures | undefined, key: string): Failures | undefined {
    const own = counts.get(key)
    if (!own || !stored) return own ?? stored
    const lastAt = own.lastAt > stored.lastAt ? own.lastAt : stored.lastAt
    return { count: own.count + stored.count, lastAt }
  }
  return {
    /** @param number of failures; -1 removes one */
    count(guess: Guess, number: 1 | -1) {
      const keys = keysOf(guess)
      add(keys.network, number)
      if (!guess.isKnown) add(keys.account, number)
    },
    clear(guess: Guess) {
      for (const key of Object.values(keysOf(guess))) counts.delete(key)
    },
    addTo(stored: LoginFailures, guess: Guess): LoginFailures {
      const keys = keysOf(guess)
      return {
        network: sum(stored.network, keys.network),
        account: guess.isKnown ? undefined : sum(stored.account, keys.account),
      }
    },
  }
}
