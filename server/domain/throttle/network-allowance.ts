import { LRUCache } from 'lru-cache'
import { entryLimit } from '../../store/entry-limit.js'
import { isStoreUnavailable } from '../../store/errors.js'
import { recordNetworkFailure } from '../../store/queries/networks.js'
import type { Queries } from '../../store/store.js'
import { clockSkewSeconds } from '../clock.js'
import type { Problem } from '../problem.js'
import type { Sources } from './attempt-keys.js'
import { tooManyAttempts } from './rules.js'

const hourMilliseconds = 3_600_000
const cacheEntries = 10_000

/** The allowance of a site (the /48 of an IPv6 address, with thousands of networks), in allowances of one network. */
export const networksPerSite = 2

export interface AllowanceSettings {
  id: string
  /** 0: no limit. */
  networkFailuresPerHour: number
}

/** Limits failed logins and sign-ups of one client network, and of its site, over all accounts of a database. */
export interface NetworkAllowance {
  /** Returns `too_many_attempts` if the allowance was used up when this process last read it. */
  refusal(database: AllowanceSettings, sources: Sources): Problem | undefined
  countFailure(database: AllowanceSettings, sources: Sources): Promise<void>
}

/**
 * Creates the allowance of all networks (generic cell rate algorithm: one timestamp per network). All processes share
 * the timestamps in the store. A process reads one with each failure that it counts, so other requests need no
 * statement.
 */
export function createNetworkAllowance(store: Queries, now: () => number): NetworkAllowance {
  const seen = new LRUCache<string, { fullAt: number; at: number }>(entryLimit(cacheEntries))
  const keyOf = (id: string, network: Uint8Array) => id + Buffer.from(network).toString('latin1')
  const millisecondsPerFailure = (limit: number) => Math.max(1, Math.round(hourMilliseconds / limit))

  async function record({ databaseId, source, limit }: Allowance, known: number) {
    const milliseconds = millisecondsPerFailure(limit)
    const latest = now() + hourMilliseconds + milliseconds
    const failure = {
      now: new Date(now()),
      milliseconds,
      latest: new Date(latest),
      impossible: new Date(latest + clockSkewSeconds * 1000),
    }
    try {
      const fullAt = await recordNetworkFailure(store, { databaseId, network: source }, failure)
      return fullAt.getTime()
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error
      return Math.min(Math.max(known, now()) + milliseconds, latest)
    }
  }

  return {
    refusal(database, sources) {
      for (const { databaseId, source, limit } of allowancesOf(database, sources)) {
        const { fullAt, at } = seen.get(keyOf(databaseId, source)) ?? { fullAt: 0, at: 0 }
        // If this clock was set back since then, the remembered timestamp is not used.
        if (now() < at - clockSkewSeconds * 1000) continue
        const milliseconds = fullAt - now() - hourMilliseconds + millisecondsPerFailure(limit)
        if (milliseconds > 0) return tooManyAttempts(Math.ceil(milliseconds / 1000))
      }
      return undefined
    },
    async countFailure(database, sources) {
      for (const allowance of allowancesOf(database, sources)) {
        const key = keyOf(allowance.databaseId, allowance.source)
        const fullAt = await record(allowance, seen.get(key)?.fullAt ?? 0)
        seen.set(key, { fullAt, at: now() })
      }
    },
  }
}

interface Allowance {
  databaseId: string
  source: Uint8Array
  /** Failures per hour. */
  limit: number
}

function allowancesOf(
  { id: databaseId, networkFailuresPerHour: limit }: AllowanceSettings,
  { network, site }: Sources,
): Allowance[] {
  if (limit === 0) return []
  const ofNetwork = { databaseId, source: network, limit }
  return site ? [ofNetwork, { databaseId, source: site, limit: limit * networksPerSite }] : [ofNetwork]
}
