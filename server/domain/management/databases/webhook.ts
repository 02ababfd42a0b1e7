import type { Database } from '../../../store/generated/client.js'
import { newWebhookSecret } from '../../outbox/webhook.js'
import { OperatorError } from '../operator-error.js'

/** What `usher database set` changes of a webhook. */
interface WebhookChange {
  /** Null removes the webhook; undefined keeps its URL. */
  webhookUrl?: string | null
  newWebhookSecret?: true
}

/**
 * Returns the settings of a changed webhook, with a secret if a new one is created: with the first URL, and when the
 * operator asks for it.
 *
 * @throws {OperatorError} if a webhook without URL would get a secret
 */
export function webhookSettings(
  database: Pick<Database, 'webhookUrl'>,
  { webhookUrl = database.webhookUrl, newWebhookSecret: isNew }: WebhookChange,
): { webhookUrl: string | null; webhookSecret?: string | null } {
  if (webhookUrl === null) {
    if (isNew)
      throw new OperatorError('webhook_missing', 'the database has no webhook. Set --webhook-url too')
    return { webhookUrl, webhookSecret: null }
  }
  if (database.webhookUrl !== null && !isNew) return { webhookUrl }
  return { webhookUrl, webhookSecret: newWebhookSecret() }
}
