import { createHmac, randomBytes } from 'node:crypto'
import { withTimeLimit } from '../time-limit.js'

const prefix = 'whsec_'

/** Returns a secret of Standard Webhooks: 32 random bytes. */
export const newWebhookSecret = () => prefix + randomBytes(32).toString('base64')

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
 * Sends a message with the headers of Standard Webhooks (https://www.standardwebhooks.com). Follows no redirect, and
 * reads only the status of the response.
 *
 * @param now time of the attempt, which receivers compare with their clocks
 * @param stopped aborts the request
 * @throws if the status is not 2xx. The message contains no part of the URL, the secret or the response
 */
export async function sendWebhook(
  { url, secret, id, body, timeLimitMilliseconds }: WebhookRequest,
  now: Date,
  stopped: AbortSignal,
) {
  const timestamp = Math.floor(now.getTime() / 1000)
  const signature = createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')
  await withTimeLimit(timeLimitMilliseconds, stopped, async (signal) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Usher',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `v1,${signature}`,
      },
      body,
      redirect: 'manual',
      signal,
    }).catch(failWithCode)
    await response.body?.cancel()
    if (!response.ok) throw new Error(`status ${response.status}`)
  })
}

/** Throws an error with the code that says why no response arrived. The message may contain an address. */
function failWithCode({ cause }: { cause?: NodeJS.ErrnoException }): never {
  throw new Error(cause?.code ?? cause?.message ?? 'connection failed')
}
