import { findRecipient } from '../../store/queries/codes.js'
import { findChangeMail } from '../../store/queries/email-changes.js'
import { findReserved } from '../../store/queries/reserved-addresses.js'
import { issueCode, lifetimeMilliseconds } from '../codes/code.js'
import { type MailDelivery, type MailMessage, type MailSender, sendMail } from './send-mail.js'

/**
 * Sends the code of a requested change to the new address, or says there that the address is taken. Does nothing if the
 * change was made or cancelled, or if a newer one was requested.
 *
 * @throws if the mail cannot be sent
 */
export async function deliverEmailChange(
  sender: MailSender,
  { appUrl }: Pick<MailDelivery, 'appUrl'>,
  message: MailMessage,
) {
  const { databaseId, id } = message
  const change = await findChangeMail(sender.store, { databaseId, id })
  if (!change) return
  if (!appUrl) throw new Error('the database has no app URL')
  const { email, canonicalEmail, isTaken, locale } = change
  // Its reader need not be the user, so the mail contains nothing that the user has chosen.
  if (isTaken)
    return sendMail(sender, { ...message, appUrl }, { name: 'email_taken', locale, fields: { email } })
  const purpose = 'email_change'
  const code = await issueCode(sender, { databaseId, id, purpose, canonicalEmail })
  const link = `${appUrl}/change-email#code=${code}`
  const fields = { email, link, validFor: lifetimeMilliseconds[purpose] }
  await sendMail(sender, { ...message, appUrl }, { name: purpose, locale, fields })
}

/**
 * Notifies a former address that the user has a new one. The mail has a code to undo the change while the address is reserved.
 *
 * @throws if the mail cannot be sent
 */
export async function deliverEmailChangeUndo(
  sender: MailSender,
  { appUrl }: Pick<MailDelivery, 'appUrl'>,
  message: MailMessage,
) {
  const { databaseId, id, recipient, userId } = message
  const { store } = sender
  if (!recipient) return
  if (!appUrl) throw new Error('the database has no app URL')
  const purpose = 'email_change_undo'
  const reserved = await findReserved(store, { databaseId, id })
  const code =
    reserved &&
    (await issueCode(sender, { databaseId, id, purpose, canonicalEmail: reserved.canonicalEmail }))
  const user = userId ? await findRecipient(store, databaseId, userId) : undefined
  const fields = {
    email: recipient.normalize('NFC'),
    link: code && `${appUrl}/undo-email-change#code=${code}`,
    validFor: lifetimeMilliseconds[purpose],
  }
  await sendMail(sender, { ...message, appUrl }, { name: purpose, locale: user?.locale, fields })
}
