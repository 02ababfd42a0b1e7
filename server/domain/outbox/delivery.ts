import { setMaxListeners } from 'node:events'
import pLimit from 'p-limit'
import { v4 as uuidv4 } from 'uuid'
import { isStoreUnavailable } from '../../store/errors.js'
import {
  type ClaimedMessage,
  claimMessages,
  type Delivery,
  deleteMessage,
  failMessage,
  findDatabasesAfter,
  findDelivery,
  hasDueMessages,
  keepForTail,
} from '../../store/queries/outbox.js'
import type { ServerStore } from '../../store/store.js'
import type { Log } from '../../telemetry/audit.js'
import { untraced } from '../../telemetry/tracing.js'
import { codeExpiresAt } from '../codes/code.js'
import type { AppContext } from '../context.js'
import { openWebhookSecret } from '../keys/master-key.js'
import { deliverCode } from '../mail/deliver-code.js'
import type { SendMail } from '../mail/mailer.js'
import type { Templates } from '../mail/templates.js'
import { eventBody } from './events.js'
import { sendWebhook } from './webhook.js'

/** Messages of one kind and database that are delivered in parallel. */
const batch = 16
/** Kinds of messages of databases that are delivered in parallel, because the receivers of some may not respond. */
const maxChannels = 32
const kinds = ['mail', 'webhook']

/** Statements that run at a time, because the other connections are for requests. */
const maxStatements = 4

/** Longer than any delivery, with servers' clocks 30 s apart. */
const claimMilliseconds = 60_000

/** Waits after failures: 1 s, doubled each time, a day at most. After the failure that follows a day it rests. */
const dayMilliseconds = 86_400_000
const waitAfter = (attempts: number) => 1_000 * 2 ** (attempts - 1)

/** Messages of other processes are found by looking through all databases, so many at a time. */
const searchMilliseconds = 2_000
const searchedDatabases = 100
const firstId = '00000000-0000-0000-0000-000000000000'

export interface DeliveryWorker {
  /** Delivers what is due of the databases that have these messages. */
  deliver: AppContext['deliver']
  /** Aborts deliveries. Their messages are delivered again. */
  stop(): Promise<void>
}

/** Delivers messages of all databases until it is stopped, without keeping the process alive. */
export function startDelivery(
  { store: unlimited, findSecrets, now }: Pick<AppContext, 'store' | 'findSecrets' | 'now'>,
  mail: { templates: Templates; sendMail: SendMail },
  log: Log,
): DeliveryWorker {
  const limit = pLimit(maxStatements)
  const store: ServerStore = {
    ...unlimited,
    query: (text, values) => limit(() => unlimited.query(text, values)),
    transaction: (databaseId, work) => limit(() => unlimited.transaction(databaseId, work)),
  }
  const running = new Map<string, Promise<void>>()
  const waiting = new Map<string, { databaseId: string; kind: string }>()
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)

  const deliver: AppContext['deliver'] = (messages) => {
    for (const { databaseId, kind } of messages)
      for (const each of kind ? [kind] : kinds)
        waiting.set(`${databaseId} ${each}`, { databaseId, kind: each })
    startWaiting()
  }

  function startWaiting() {
    for (const [channel, { databaseId, kind }] of waiting) {
      if (stopping.signal.aborted || running.size >= maxChannels) return
      if (running.has(channel)) continue
      waiting.delete(channel)
      const work = untraced(() => deliverAll(databaseId, kind))
        .catch(logUnexpected)
        .finally(() => {
          running.delete(channel)
          startWaiting()
        })
      running.set(channel, work)
    }
  }

  /** Stops at a batch that fails as a whole: other channels may have a receiver that works. */
  async function deliverAll(databaseId: string, kind: string) {
    for (let hasDelivered = true; hasDelivered && !stopping.signal.aborted; ) {
      const claimedUntil = new Date(now() + claimMilliseconds)
      const messages = await claimMessages(store, databaseId, kind, new Date(now()), claimedUntil, batch)
      const delivery = messages.length > 0 && (await findDelivery(store, databaseId))
      if (!delivery) return
      const results = await Promise.all(messages.map((message) => deliverOne(databaseId, delivery, message)))
      hasDelivered = results.includes(true)
    }
  }

  async function deliverOne(databaseId: string, delivery: Delivery, message: ClaimedMessage) {
    try {
      await send(databaseId, delivery, message)
    } catch (error) {
      const wait = waitAfter(message.attempts)
      const dueAt = wait >= 2 * dayMilliseconds ? null : new Date(now() + Math.min(wait, dayMilliseconds))
      const reason = (error as Error).message
      await failMessage(store, databaseId, message, reason, dueAt)
      if (!dueAt || (message.kind === 'mail' && codeExpiresAt(message) <= dueAt))
        log.warn({ databaseId, message: message.id, reason }, 'a message is not tried again')
      else if (wait < dayMilliseconds) setTimeout(deliver, wait, [{ databaseId, kind: message.kind }]).unref()
      return false
    }
    const isTailed =
      message.kind === 'webhook' &&
      delivery.eventsTailedUntil !== null &&
      delivery.eventsTailedUntil.getTime() > now()
    await (isTailed ? keepForTail : deleteMessage)(store, databaseId, message.id)
    return true
  }

  async function send(databaseId: string, delivery: Delivery, message: ClaimedMessage) {
    if (message.kind === 'mail')
      await deliverCode({ store, findSecrets, now }, mail, databaseId, delivery, message, stopping.signal)
    else await postEvent(databaseId, delivery, message)
  }

  /** A message whose webhook was removed counts as delivered. */
  async function postEvent(
    databaseId: string,
    delivery: Delivery,
    { id, payload, createdAt }: ClaimedMessage,
  ) {
    const { webhookUrl: url, sealedWebhookSecret } = delivery
    if (!url || !sealedWebhookSecret) return
    const secret = openWebhookSecret(store, sealedWebhookSecret, { id: databaseId })
    const body = JSON.stringify(eventBody(databaseId, payload, createdAt))
    await sendWebhook({ url, secret, id, body }, new Date(now()), stopping.signal)
  }

  async function search(after: string) {
    const ids = await findDatabasesAfter(store, after, searchedDatabases)
    for (const databaseId of ids) if (await isDue(databaseId)) deliver([{ databaseId }])
    return ids.length < searchedDatabases ? firstId : (ids.at(-1) ?? firstId)
  }

  /** Returns false also if the database's node is unavailable, which must not hold back other databases. */
  const isDue = (databaseId: string) =>
    hasDueMessages(store, databaseId, new Date(now())).catch((error) => {
      logUnexpected(error)
      return false
    })

  let searching = Promise.resolve()
  let timer: NodeJS.Timeout
  function searchLater(after: string) {
    timer = setTimeout(() => {
      searching = untraced(() => search(after))
        .catch((error) => {
          logUnexpected(error)
          return after
        })
        .then(searchLater)
    }, searchMilliseconds).unref()
  }
  searchLater(uuidv4())

  function logUnexpected(err: unknown) {
    if (!isStoreUnavailable(err)) log.warn({ err }, 'messages not delivered')
  }

  return {
    deliver,
    async stop() {
      stopping.abort()
      await Promise.all([searching, ...running.values()])
      clearTimeout(timer)
    },
  }
}
