import { LRUCache } from 'lru-cache'
import { isStoreUnavailable } from '../../store/errors.js'
import { recordNetworkFailure } from '../../store/queries/networks.js'
import type { Store } from '../../store/store.js'
import { clockSkewSeconds } from '../clock.js'
import { tooManyAttempts } from './rules.js'

const hourMilliseconds = 3_600_000
const cacheEntries = 10_000

export interface AllowanceSettings {
  id: string
  /** 0: no limit. */
  networkFailuresPerHour: number
}

/** Limits failed logins and sign-ups of one client network over all accounts of a database. */
export interface NetworkAllowance {
  /** @throws {Problem} `too_many_attempts` if the allowance was used up when this process last read it */
  assertLeft(database: AllowanceSettings, network: Uint8Array): void
  countFailure(database: AllowanceSettings, network: Uint8Array): Promise<void>
}

/**
 * Creates the allowance of all networks (generic cell rate algorithm: one timestamp per network). All processes share
 * the timestamps in the store. A process reads one with each failure that it counts, so other requests need no
 * statement.
 */
export function createNetworkAllowance(store: Pick<Store, 'query'>, now: () => number): NetworkAllowance {
  const seen = new LRUCache<string, { fullAt: number; at: number }>({ max: cacheEntries })
  const keyOf = (id: string, network: Uint8Array) => id + Buffer.from(network).toString('latin1')
  const millisecondsPerFailure = (limit: number) => Math.max(1, Math.round(hourMilliseconds / limit))

  async function record(database: AllowanceSettings, network: Uint8Array, known: number) {
    const milliseconds = millisecondsPerFailure(database.networkFailuresPerHour)
    const latest = now() + hourMilliseconds + milliseconds
    const failure = {
      now: new Date(now()),
      milliseconds,
      latest: new Date(latest),
      impossible: new Date(latest + clockSkewSeconds * 1000),
    }
    try {
      const fullAt = await recordNetworkFailure(store, { databaseId: database.id, network }, failure)
      return fullAt.getTime()
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error
      return Math.min(Math.max(known, now()) + milliseconds, latest)
    }
  }

  return {
    assertLeft({ id, networkFailuresPerHour: limit }, network) {
      if (limit === 0) return
      const { fullAt, at } = seen.get(keyOf(id, network)) ?? { fullAt: 0, at: 0 }
      // If this clock was set back since then, the remembered timestamp is not used.
      if (now() < at - clockSkewSeconds * 1000) return
      const milliseconds = fullAt - now() - hourMilliseconds + millisecondsPerFailure(limit)
      if (milliseconds > 0) throw tooManyAttempts(Math.ceil(milliseconds / 1000))
    },
    async countFailure(database, network) {
      if (database.networkFailuresPerHour === 0) return
      const key = keyOf(database.id, network)
      const fullAt = await record(database, network, seen.get(key)?.fullAt ?? 0)
      seen.set(key, { fullAt, at: now() })
    },
  }
}
