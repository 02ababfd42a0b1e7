import { isStatementTimeout, isStoreUnavailable } from '../../store/errors.js'
import {
  type Claim,
  claimMessage,
  type Delivery,
  type DueMessage,
  deleteMessage,
  failMessage,
  findDelivery,
  findDueMails,
} from '../../store/queries/deliveries.js'
import { claimStreams, completeEvent, endStream } from '../../store/queries/streams.js'
import type { Log } from '../../telemetry/audit.js'
import { codeExpiresAt } from '../codes/code.js'
import { eventBody } from '../events/events.js'
import { openRequestSecret } from '../keys/master-key.js'
import { deliverMail } from '../mail/deliver-mail.js'
import type { MailSender } from '../mail/send-mail.js'
import type { DeliveryIntervals } from './intervals.js'
import type { Pass } from './lane.js'
import type { Channel, DeliveryStatistics } from './statistics.js'
import type { SendWebhook } from './webhook.js'

/** Longer than any delivery, even if the clocks of servers differ by 30 s. */
const claimMilliseconds = 60_000

/**
 * The longest wait after a failure. The first is 1 s, and each one doubles it. After a wait of a day there is no
 * retry.
 */
const dayMilliseconds = 86_400_000
const waitAfter = (attempts: number) => 1_000 * 2 ** (attempts - 1)

/** Counts the mails of a database. */
export interface MailCounts {
  add(databaseId: string, name: 'mails' | 'mailsFailed'): void
}

/** What is needed to deliver messages. */
export interface Deliverer extends MailSender {
  log: Log
  /** Logs that a mail could not be sent. */
  logMailFailure: (failure: { databaseId: string; message: string; reason: string }) => void
  statistics: DeliveryStatistics
  counts?: MailCounts | undefined
  intervals: Pick<DeliveryIntervals, 'webhook'>
  sendWebhook: SendWebhook
  /** Called when a message has failed, with the milliseconds until it is due again. */
  retry(databaseId: string, channel: Channel, milliseconds: number): void
}

/** Returns a function that delivers the mails of a database that are due. */
export const mailPass =
  (deliverer: Deliverer): Pass =>
  async (databaseId, limit, setSize) => {
    const claim = newClaim(deliverer, databaseId)
    const find = () => findDueMails(deliverer.store, claim, limit)
    const messages = (await counted(deliverer, { databaseId, channel: 'mail' }, find)) ?? []
    setSize(messages.length)
    return deliverAll(deliverer, claim, messages)
  }

/** Returns a function that delivers the first event of each stream of a database that is due. */
export const webhookPass =
  (deliverer: Deliverer): Pass =>
  async (databaseId, limit, setSize) => {
    const { store } = deliverer
    const claim = newClaim(deliverer, databaseId)
    const lookAgain = new Date(claim.now.getTime() + dayMilliseconds)
    const claimFirst = () => claimStreams(store, { ...claim, lookAgain }, limit)
    const claimed = (await counted(deliverer, { databaseId, channel: 'webhook' }, claimFirst)) ?? []
    const messages: DueMessage[] = []
    for (const first of claimed) {
      const stream = { id: first.streamId, version: first.version }
      if (first.isDue) messages.push({ ...first, stream })
      else if (first.isEmpty) await endStream(store, { databaseId, ...stream }, new Date(deliverer.now()))
    }
    setSize(messages.length)
    const hasDelivered = await deliverAll(deliverer, claim, messages)
    return hasDelivered || (messages.length === 0 && claimed.length > 0)
  }

const newClaim = ({ now }: Deliverer, databaseId: string): Claim => ({
  databaseId,
  now: new Date(now()),
  until: new Date(now() + claimMilliseconds),
})

/** Runs a claim. If it fails, counts that and returns undefined. Logs a claim that exceeds its time limit. */
async function counted<Result>(
  { log, statistics }: Deliverer,
  { databaseId, channel }: { databaseId: string; channel: Channel },
  run: () => Promise<Result>,
) {
  try {
    return await run()
  } catch (err) {
    statistics[channel].claimsFailed += 1
    if (isStatementTimeout(err) || !isStoreUnavailable(err))
      log.warn({ err, databaseId, channel }, 'messages were not claimed')
    return undefined
  }
}

/** Returns whether any message was delivered. If none was, the lane serves other databases first. */
async function deliverAll(deliverer: Deliverer, claim: Claim, messages: readonly DueMessage[]) {
  if (messages.length === 0) return false
  const delivery = await findDelivery(deliverer.store, claim.databaseId)
  if (!delivery) return false
  const results = await Promise.all(
    messages.map((message) =>
      deliverOne(deliverer, claim, { delivery, due: message }).catch((err) => {
        if (!isStoreUnavailable(err)) deliverer.log.warn({ err }, 'the result of a delivery was not stored')
        return false
      }),
    ),
  )
  return results.includes(true)
}

async function deliverOne(
  deliverer: Deliverer,
  claim: Claim,
  { delivery, due }: { delivery: Delivery; due: DueMessage },
) {
  const { store, statistics, counts } = deliverer
  const { databaseId } = claim
  const channel = due.stream ? 'webhook' : 'mail'
  const isClaimed = await counted(deliverer, { databaseId, channel }, () => claimMessage(store, due, claim))
  if (!isClaimed) return false
  const message = { ...due, attempts: due.attempts + 1 }
  try {
    const send = channel === 'mail' ? sendMail : postEvent
    if (await send(deliverer, { databaseId, delivery, message })) {
      statistics[channel].delivered += 1
      if (channel === 'mail') counts?.add(databaseId, 'mails')
    } else statistics[channel].expired += 1
  } catch (error) {
    statistics[channel].failed += 1
    const { message: reason } = error as Error
    if (channel === 'mail') {
      counts?.add(databaseId, 'mailsFailed')
      if (!deliverer.stopped.aborted) deliverer.logMailFailure({ databaseId, message: message.id, reason })
    }
    await recordFailure(deliverer, { databaseId, message }, reason)
    return false
  }
  const { id, stream } = message
  if (!stream) await deleteMessage(store, databaseId, id)
  else await completeEvent(store, { databaseId, id, stream }, new Date(deliverer.now()))
  return true
}

async function recordFailure(
  { store, now, log, retry }: Deliverer,
  { databaseId, message }: Omit<Sending, 'delivery'>,
  reason: string,
) {
  const wait = waitAfter(message.attempts)
  const tomorrow = new Date(now() + dayMilliseconds)
  const dueAt = wait >= 2 * dayMilliseconds ? null : new Date(now() + Math.min(wait, dayMilliseconds))
  await failMessage(store, { databaseId, ...message }, { lastError: reason, dueAt, lookAgain: tomorrow })
  const expiresAt = message.stream ? undefined : codeExpiresAt(message)
  if (!dueAt || (expiresAt && expiresAt <= dueAt))
    log.warn({ databaseId, message: message.id, reason }, 'a message is not retried')
  else retry(databaseId, message.stream ? 'webhook' : 'mail', wait)
}

/** A claimed message, and where its database sends messages. */
interface Sending {
  databaseId: string
  delivery: Delivery
  message: DueMessage
}

/** Sends a mail. Returns false if it was not sent because its code has expired. */
async function sendMail(deliverer: Deliverer, { databaseId, delivery, message }: Sending) {
  const { now, log } = deliverer
  const isInvitation = (message.payload as { type: string }).type === 'invitation'
  const expiresAt = codeExpiresAt(message)
  if ((message.userId || isInvitation) && expiresAt && expiresAt.getTime() <= now()) {
    log.warn({ databaseId, message: message.id }, 'a mail was not sent because its code has expired')
    return false
  }
  await deliverMail(deliverer, delivery, { databaseId, ...message })
  return true
}

/** Sends an event to the webhook. An event whose webhook was removed counts as delivered. */
async function postEvent(
  { store, now, stopped, intervals, sendWebhook }: Deliverer,
  { databaseId, delivery, message: { id, payload, createdAt } }: Sending,
) {
  const { webhookUrl: url, sealedWebhookSecret } = delivery
  if (!url || !sealedWebhookSecret) return true
  const row = { id: databaseId, field: 'sealedWebhookSecret' } as const
  const secret = openRequestSecret(store, sealedWebhookSecret, row)
  const body = JSON.stringify(eventBody(databaseId, payload, createdAt))
  const request = { url, secret, id, body, timeLimitMilliseconds: intervals.webhook }
  await sendWebhook(request, new Date(now()), stopped)
  return true
}
