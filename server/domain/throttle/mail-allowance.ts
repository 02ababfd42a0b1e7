import { LRUCache } from 'lru-cache'
import { storeCountedMail } from '../../store/queries/code-requests.js'
import type { NewMessage } from '../../store/queries/outbox.js'
import type { Store } from '../../store/store.js'
import { clockSkewSeconds } from '../clock.js'
import {
  createMailLimits,
  type LimitName,
  type MailLimit,
  type MailRequest,
  type MailSettings,
} from './mail-limits.js'

const cacheEntries = 10_000

/** Limits requests for mails. */
export interface MailAllowance {
  /**
   * Counts a request against all of its limits and stores its message. Does neither if a limit is reached.
   *
   * @returns the message, or the first limit that has been reached
   */
  store<Stored extends NewMessage>(
    database: MailSettings,
    request: MailRequest,
    messageOf: (store: Pick<Store, 'query'>) => Promise<Stored>,
  ): Promise<Stored | LimitName>
}

/**
 * Creates the allowance of all mails (generic cell rate algorithm: one timestamp per limit). All processes share the
 * timestamps in the store. A process remembers those it has read, so that a request beyond a limit needs no statement.
 */
export function createMailAllowance(
  store: Pick<Store, 'masterKey' | 'query' | 'transaction'>,
  now: () => number,
): MailAllowance {
  const limitsOf = createMailLimits(store.masterKey)
  const seen = new LRUCache<string, { fullAt: number; at: number }>({ max: cacheEntries })
  const keyOf = ({ source, purpose = '' }: MailLimit) => purpose + Buffer.from(source).toString('latin1')

  function isUsedUp(limit: MailLimit) {
    const { fullAt, at } = seen.get(keyOf(limit)) ?? { fullAt: 0, at: 0 }
    // If this clock was set back since then, the remembered timestamp is not used.
    return now() >= at - clockSkewSeconds * 1000 && exceeds(limit, fullAt + limit.mailMilliseconds, now())
  }

  return {
    async store(database, request, messageOf) {
      const limits = limitsOf(database, request)
      const usedUp = limits.find(isUsedUp)
      if (usedUp) return usedUp.name
      const at = now()
      const counts = limits.map(({ purpose, source, mailMilliseconds }) => ({
        purpose,
        source,
        firstFullAt: new Date(at + mailMilliseconds),
      }))
      const times = {
        now: new Date(at),
        impossible: new Date(at + clockSkewSeconds * 1000),
      }
      const findRefusal = (fullAt: number[]) =>
        limits.find((limit, index) => exceeds(limit, fullAt[index] ?? 0, at))
      const stored = await storeCountedMail(
        store,
        { databaseId: database.id, counts, ...times },
        { findRefusal, messageOf },
      )
      for (const [index, limit] of limits.entries()) {
        const counted = stored.fullAt[index] ?? 0
        const fullAt = stored.refusedBy ? counted - limit.mailMilliseconds : counted
        seen.set(keyOf(limit), { fullAt, at })
      }
      return stored.refusedBy ? stored.refusedBy.name : stored.message
    },
  }
}

/** @param fullAt when the allowance is full again after one more mail */
const exceeds = ({ windowMilliseconds }: MailLimit, fullAt: number, now: number) =>
  fullAt - now > windowMilliseconds
