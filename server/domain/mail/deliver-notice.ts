import { findEmail } from '../../store/queries/codes.js'
import type { Delivery, DueMessage } from '../../store/queries/deliveries.js'
import type { Notice } from '../notices/notice.js'
import type { CodeSender } from './deliver-code.js'
import { renderMail } from './templates.js'
import { shownTime } from './words.js'

/**
 * Sends a mail without a code. Does nothing if it is for the current address of a user who was deleted.
 *
 * @throws if the mail cannot be sent
 */
export async function deliverNotice(
  { store, mail, stopped }: CodeSender,
  { appUrl }: Pick<Delivery, 'appUrl'>,
  { databaseId, id, userId, payload, recipient, createdAt }: DueMessage & { databaseId: string },
) {
  const { type } = payload as { type: Notice | 'email_change_requested' }
  const address = recipient ?? (userId && (await findEmail(store, databaseId, userId)))
  if (!address) return
  const email = address.normalize('NFC')
  const fields = { email, time: shownTime(createdAt), app: appUrl ?? undefined }
  await mail.sendMail({ id, to: email, ...renderMail(mail.templates, type, fields) }, stopped)
}
