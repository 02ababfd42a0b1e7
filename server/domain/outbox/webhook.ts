import { createHmac, randomBytes } from 'node:crypto'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { createGuardedRequest } from '../public-address.js'
import { withTimeLimit } from '../time-limit.js'

const prefix = 'whsec_'

/** Returns a secret of Standard Webhooks: 32 random bytes. */
export const newWebhookSecret = () => prefix + randomBytes(32).toString('base64')

export interface WebhookSettings {
  /** Origins of webhooks and hooks that may have a private address. `*`: all. */
  privateWebhooks: readonly string[]
}

export interface WebhookRequest {
  url: string
  secret: string
  /** The same for each attempt, so that receivers recognize a repeated message. */
  id: string
  body: string
  /** Time limit of the request, including its response. */
  timeLimitMilliseconds: number
}

/**
 * Sends a message with the headers of Standard Webhooks (https://www.standardwebhooks.com).
 *
 * @param now time of the attempt, which receivers compare with their clocks
 * @param stopped aborts the request
 * @throws if the status is not 2xx. The message contains no part of the URL, the secret or the response
 */
export type SendWebhook = (request: WebhookRequest, now: Date, stopped: AbortSignal) => Promise<void>

/** Returns the headers of a signed JSON text. */
export function signedHeaders(
  { secret, id, body }: Pick<WebhookRequest, 'secret' | 'id' | 'body'>,
  now: Date,
) {
  const timestamp = Math.floor(now.getTime() / 1000)
  const signature = createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'Usher',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}

/** Creates a function that sends messages only to public addresses. It follows no redirect, and reads only the status. */
export function createWebhookSender({ privateWebhooks }: WebhookSettings): SendWebhook {
  const start = createGuardedRequest(kept, notPublic)
  return async ({ url: text, secret, id, body, timeLimitMilliseconds }, now, stopped) => {
    const url = new URL(text)
    const isPrivate = isPrivateOrigin(privateWebhooks, url)
    const headers = signedHeaders({ secret, id, body }, now)
    await withTimeLimit(timeLimitMilliseconds, stopped, (signal) =>
      send(start(url, isPrivate, { method: 'POST', headers, signal }), body),
    )
  }
}

/** Returns whether the operator lets webhooks and hooks have an origin that is not public. */
export const isPrivateOrigin = (origins: WebhookSettings['privateWebhooks'], { origin }: URL) =>
  origins.includes('*') || origins.includes(origin)

/** An idle connection is closed after this time. */
export const kept = { keepAlive: true, timeout: 10_000 }

export const notPublic = () =>
  new Error('the address is not public. If it is right, add the origin to PRIVATE_WEBHOOKS')

/** Sends a text. Throws an error with the code that says why no response arrived: a message may contain an address. */
async function send(request: ClientRequest, body: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).on('error', reject).end(body)
  }).catch(({ code, message }: NodeJS.ErrnoException) => {
    throw new Error(code ?? message)
  })
  const { statusCode: status = 0 } = response
  if (status === 204 || response.headers['content-length'] === '0') response.resume()
  else response.destroy()
  if (status < 200 || status > 299) throw new Error(`status ${status}`)
}
