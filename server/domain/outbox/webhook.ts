import { createSignedPost, type SignedRequest, type WebhookSettings } from '../signed-request.js'
import { withTimeLimit } from '../time-limit.js'

export interface WebhookRequest extends SignedRequest {
  /** Time limit of the request, including its response. */
  timeLimitMilliseconds: number
}

/**
 * Sends an event.
 *
 * @param now time of the attempt
 * @param stopped aborts the request
 * @throws if the status is not 2xx. The message contains no part of the URL, the secret or the response
 */
export type SendWebhook = (request: WebhookRequest, now: Date, stopped: AbortSignal) => Promise<void>

/** Creates a function that sends events. It reads only the status of a response. */
export function createWebhookSender(settings: WebhookSettings): SendWebhook {
  const post = createSignedPost(settings)
  return ({ timeLimitMilliseconds, ...request }, now, stopped) =>
    withTimeLimit(timeLimitMilliseconds, stopped, async (signal) => {
      const response = await post(request, { now, signal })
      const { statusCode: status = 0 } = response
      if (status === 204 || response.headers['content-length'] === '0') response.resume()
      else response.destroy()
      if (status < 200 || status > 299) throw new Error(`status ${status}`)
    })
}
