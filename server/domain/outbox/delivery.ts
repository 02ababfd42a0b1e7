import { setMaxListeners } from 'node:events'
import pLimit from 'p-limit'
import { isStoreUnavailable } from '../../store/errors.js'
import type { Store } from '../../store/store.js'
import type { Log } from '../../telemetry/audit.js'
import { untraced } from '../../telemetry/tracing.js'
import type { AppContext } from '../context.js'
import type { MailSender } from '../mail/send-mail.js'
import { type Deliverer, type MailCounts, mailPass, webhookPass } from './deliver-messages.js'
import { type DeliveryIntervals, usualIntervals } from './intervals.js'
import { createLane, type LaneSettings, type Pass } from './lane.js'
import { startSearch } from './search.js'
import { type Channel, channels, createStatistics, type DeliveryStatistics } from './statistics.js'
import type { SendWebhook } from './webhook.js'

/** Mails and events have separate limits, so that neither delays the other. */
const laneSettings: Record<Channel, LaneSettings> = {
  mail: { capacity: 64, slowCapacity: 64, batch: 16, quickMilliseconds: 5_000 },
  webhook: { capacity: 1_024, slowCapacity: 1_024, batch: 16, quickMilliseconds: 1_000 },
}

/** Concurrent statements of each channel. The other connections are for requests. */
const maxStatements = 2

export interface DeliveryWorker {
  /** Delivers the due messages of the databases that have these messages. */
  deliver: AppContext['deliver']
  /** Aborts deliveries. Their messages are delivered again. */
  stop(): Promise<void>
}

export interface DeliveryOptions {
  mail: MailSender['mail']
  sendWebhook: SendWebhook
  log: Log
  statistics?: DeliveryStatistics
  /** Counts the mails of each database. */
  counts?: MailCounts
  intervals?: DeliveryIntervals | undefined
}

/** Delivers messages of all databases until it is stopped, without keeping the process alive. */
export function startDelivery(
  { store, findSecrets, now }: Pick<AppContext, 'store' | 'findSecrets' | 'now'>,
  {
    mail,
    sendWebhook,
    log,
    statistics = createStatistics(),
    counts,
    intervals = usualIntervals,
  }: DeliveryOptions,
): DeliveryWorker {
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const stopped = stopping.signal

  const stores = { mail: withFewStatements(store), webhook: withFewStatements(store) }
  const logMailFailure = createMailFailureLog(log, now)
  const shared = {
    logMailFailure,
    findSecrets,
    now,
    mail,
    sendWebhook,
    log,
    statistics,
    counts,
    intervals,
    stopped,
    retry,
  }
  const laneOf = (channel: Channel, pass: Pass) =>
    createLane(
      laneSettings[channel],
      (...parameters) => untraced(() => pass(...parameters)).catch(logUnexpected),
      stopped,
    )
  const lanes = {
    mail: laneOf('mail', mailPass({ ...shared, store: stores.mail })),
    webhook: laneOf('webhook', webhookPass({ ...shared, store: stores.webhook })),
  }

  function retry(databaseId: string, channel: Channel, milliseconds: number) {
    if (milliseconds <= intervals.retry)
      setTimeout(() => lanes[channel].add(databaseId), milliseconds).unref()
  }

  function logUnexpected(err: unknown) {
    if (!isStoreUnavailable(err)) log.warn({ err }, 'messages were not delivered')
    return false
  }

  const found = (databaseId: string, channel: Channel) => lanes[channel].add(databaseId)
  const searchesEnd = startSearch({ store, now, log, statistics, intervals, found, stopped })
  return {
    deliver(messages) {
      for (const { databaseId, kind } of messages)
        for (const channel of channels)
          if (kind === undefined || kind === channel) lanes[channel].add(databaseId)
    },
    async stop() {
      stopping.abort()
      await Promise.all([searchesEnd(), lanes.mail.settled(), lanes.webhook.settled()])
    },
  }
}

function withFewStatements(store: Store): Store {
  const limit = pLimit(maxStatements)
  return {
    ...store,
    query: (...parameters) => limit(() => store.query<never>(...parameters)),
    transaction: (...parameters) => limit(() => store.transaction(...parameters)),
  }
}

/** Minimum time between two lines. */
const lineMilliseconds = 60_000

/**
 * Returns a function that logs that mails cannot be sent: the first failure, and then at most one in a minute, with the number of
 * failures since the line before.
 */
export function createMailFailureLog(
  log: Pick<Log, 'warn'>,
  now: AppContext['now'],
): Deliverer['logMailFailure'] {
  let failures = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  return (failure) => {
    failures += 1
    if (now() - loggedAt < lineMilliseconds) return
    log.warn({ ...failure, failures }, 'mails could not be sent')
    failures = 0
    loggedAt = now()
  }
}
