import { findRecipient } from '../../store/queries/codes.js'
import type { Notice } from '../notices/notice.js'
import { type MailDelivery, type MailMessage, type MailSender, sendMail } from './send-mail.js'
import { harmlessName } from './words.js'

/**
 * Sends a mail without a code. Does nothing if it is for the current address of a user who was deleted.
 *
 * @throws if the mail cannot be sent
 */
export async function deliverNotice(
  sender: MailSender,
  delivery: Pick<MailDelivery, 'appUrl'>,
  message: MailMessage,
) {
  const { databaseId, userId, payload, recipient, createdAt } = message
  const { type: name, provider } = payload as { type: Notice | 'email_change_requested'; provider?: string }
  const user = userId ? await findRecipient(sender.store, databaseId, userId) : undefined
  const address = recipient ?? user?.email
  if (!address) return
  const email = address.normalize('NFC')
  const fields = {
    email,
    name: harmlessName(user?.preferredName ?? null) ?? email,
    provider,
    time: createdAt,
  }
  await sendMail(sender, { ...message, ...delivery }, { name, locale: user?.locale, fields })
}
