import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createGuardedRequest } from './public-address.js'

// Requests to backends of the product: webhooks and hooks, with the headers of Standard Webhooks
// (https://www.standardwebhooks.com).

const prefix = 'whsec_'

/** Returns a secret of Standard Webhooks: 32 random bytes. */
export const newWebhookSecret = () => prefix + randomBytes(32).toString('base64')

export interface WebhookSettings {
  /** Origins of webhooks and hooks that may have a private address. `*`: all. */
  privateWebhooks: readonly string[]
}

export interface SignedRequest {
  url: string
  secret: string
  /** The same for each attempt, so that receivers recognize a repeated message. */
  id: string
  body: string
}

/** An idle connection is closed after this time. */
const kept = { keepAlive: true, timeout: 10_000 }

const remedy = 'If it is right, add the origin to PRIVATE_WEBHOOKS'
const notPublic = () => new Error(`the address is not public. ${remedy}`)

/**
 * Creates a function that posts signed JSON texts: only to public addresses, unless the operator has exempted the origin. It follows
 * no redirect.
 *
 * @param onlyHttps whether the origin must be exempt for http, too
 * @returns a function that throws an error with the code that says why no response arrived: a message may contain an address.
 *   `now` is the time of the attempt, which receivers compare with their clocks
 */
export function createSignedPost({ privateWebhooks }: WebhookSettings, { onlyHttps = false } = {}) {
  const start = createGuardedRequest(kept, notPublic)
  return async (
    { url: text, secret, id, body }: SignedRequest,
    { now, signal }: { now: Date; signal: AbortSignal },
  ): Promise<IncomingMessage> => {
    const url = new URL(text)
    const isExempt = privateWebhooks.includes('*') || privateWebhooks.includes(url.origin)
    if (onlyHttps && !isExempt && url.protocol !== 'https:')
      throw new Error(`the URL must begin with https. ${remedy}`)
    const timestamp = Math.floor(now.getTime() / 1000)
    const signature = createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64')
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Usher',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    }
    const request = start(url, isExempt, { method: 'POST', headers, signal })
    return new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).on('error', reject).end(body)
    }).catch(({ code, message }: NodeJS.ErrnoException) => {
      throw new Error(code ?? message)
    })
  }
}
