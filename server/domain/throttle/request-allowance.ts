import type { CreateUserBody } from '@usher/contract'
import { LRUCache } from 'lru-cache'
import { entryLimit } from '../../store/entry-limit.js'
import { type CountedRequest, countRequest } from '../../store/queries/code-requests.js'
import type { Queries, Store } from '../../store/store.js'
import { clockSkewSeconds } from '../clock.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import {
  createRequestLimits,
  type LimitedRequest,
  type LimitName,
  type LimitSettings,
  type RequestLimit,
} from './request-limits.js'

const cacheEntries = 10_000

/** Counts a request against all of its limits, in a transaction. Throws if one is reached. */
export type CountRequest = (transaction: Queries) => Promise<void>

/** Limits requests for mails, and sign-ups. */
export interface RequestAllowance {
  /**
   * Runs a change unless a limit was reached when this process last read it. The change calls its parameter in its
   * transaction, to count the request against all limits.
   *
   * @returns the result of the change, or why it was rolled back
   */
  count<Result>(
    database: LimitSettings,
    request: LimitedRequest,
    change: (count: CountRequest) => Promise<Result>,
  ): Promise<Result | Refusal>
  /**
   * Returns whether the client network of a request, or its site, has used half of an allowance when this process last read it. Runs no
   * statement.
   */
  isHalfUsed(database: LimitSettings, request: LimitedRequest): boolean
}

/** A limit that has been reached, and when it allows the next request. */
export interface Refusal {
  limit: LimitName
  retryAfterSeconds: number
}

/** Rolls back a change that exceeds a limit. */
class LimitReached extends Error {
  constructor(readonly limit: RequestLimit) {
    super('a limit of requests has been reached')
  }
}

/**
 * Creates the allowance of all limited requests (generic cell rate algorithm: one timestamp per limit). All processes share the
 * timestamps in the store. A process remembers those it has read, so that a request beyond a limit needs no statement.
 */
export function createRequestAllowance(
  { masterKey }: Pick<Store, 'masterKey'>,
  now: () => number,
): RequestAllowance {
  const limitsOf = createRequestLimits(masterKey)
  const seen = new LRUCache<string, { fullAt: number; at: number }>(entryLimit(cacheEntries))
  const keyOf = ({ source, purpose = '' }: RequestLimit) => purpose + Buffer.from(source).toString('latin1')

  function fullAtOf(limit: RequestLimit) {
    const { fullAt, at } = seen.get(keyOf(limit)) ?? { fullAt: 0, at: 0 }
    // If this clock was set back since then, the remembered timestamp is not used.
    return now() >= at - clockSkewSeconds * 1000 ? fullAt + limit.requestMilliseconds : 0
  }
  const isUsedUp = (limit: RequestLimit) => exceeds(limit, fullAtOf(limit), now())

  /** Remembers what the store has counted. @param isStored false if the count was rolled back */
  function remember(
    limits: RequestLimit[],
    { fullAt, at }: { fullAt: number[]; at: number },
    isStored: boolean,
  ) {
    for (const [index, limit] of limits.entries()) {
      const counted = fullAt[index] ?? 0
      seen.set(keyOf(limit), { fullAt: isStored ? counted : counted - limit.requestMilliseconds, at })
    }
  }

  const refusal = (limit: RequestLimit): Refusal => {
    const milliseconds = fullAtOf(limit) - limit.windowMilliseconds - now()
    return { limit: limit.name, retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / 1000)) }
  }

  return {
    isHalfUsed: (database, request) =>
      limitsOf(database, request).some(
        (limit) =>
          ['network', 'site'].includes(limit.name) && fullAtOf(limit) - now() > limit.windowMilliseconds / 2,
      ),
    async count(database, request, change) {
      const limits = limitsOf(database, request)
      const usedUp = limits.find(isUsedUp)
      if (usedUp) return refusal(usedUp)
      const { at, counted, findRefusal } = counting(database.id, limits, now())
      let fullAt: number[] | undefined
      const count: CountRequest = async (transaction) => {
        fullAt = await countRequest(transaction, counted)
        const limit = findRefusal(fullAt)
        if (limit) throw new LimitReached(limit)
      }
      try {
        const result = await change(count)
        if (fullAt) remember(limits, { fullAt, at }, true)
        return result
      } catch (error) {
        if (!(error instanceof LimitReached) || !fullAt) throw error
        remember(limits, { fullAt, at }, false)
        return refusal(error.limit)
      }
    },
  }
}

/** Returns what to count at an instant, and a function that finds the limit that it exceeds. */
function counting(databaseId: string, limits: readonly RequestLimit[], at: number) {
  const counted: CountedRequest = {
    databaseId,
    counts: limits.map(({ purpose, source, requestMilliseconds }) => ({
      purpose,
      source,
      firstFullAt: new Date(at + requestMilliseconds),
    })),
    now: new Date(at),
    impossible: new Date(at + clockSkewSeconds * 1000),
  }
  const findRefusal = (fullAt: number[]) =>
    limits.find((limit, index) => exceeds(limit, fullAt[index] ?? 0, at))
  return { at, counted, findRefusal }
}

/** @param fullAt when the allowance is full again after one more request */
const exceeds = ({ windowMilliseconds }: RequestLimit, fullAt: number, now: number) =>
  fullAt - now > windowMilliseconds

/**
 * Signs a user up, and counts that in the same transaction unless there is an invitation: these have limits of their own.
 *
 * @param signUp calls `count`, if there is one, in its transaction
 * @throws {Problem} `too_many_sign_ups`
 */
export async function signUpWithinLimit<Result extends object>(
  context: AppContext,
  { database, body, caller }: DatabaseRequest<Pick<CreateUserBody, 'invitationCode'>>,
  signUp: (count?: CountRequest) => Promise<Result>,
): Promise<Result> {
  if (database.signUpsPerHour === 0 || body.invitationCode) return signUp()
  const limited = { purpose: 'sign_up', clientAddress: caller.clientAddress } as const
  const signedUp = await context.requestAllowance.count(database, limited, signUp)
  if ('limit' in signedUp)
    throw new Problem('too_many_sign_ups', { retryAfterSeconds: signedUp.retryAfterSeconds })
  return signedUp
}
