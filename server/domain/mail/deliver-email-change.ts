import type { Delivery, DueMessage } from '../../store/queries/deliveries.js'
import { findChangeMail } from '../../store/queries/email-changes.js'
import { findReserved } from '../../store/queries/reserved-addresses.js'
import { issueCode } from '../codes/code.js'
import type { CodeSender } from './deliver-code.js'
import { renderMail } from './templates.js'

type ChangeMessage = DueMessage & { databaseId: string }

/**
 * Sends the code of a requested change to the new address, or says there that the address is taken. Does nothing if the
 * change was made or cancelled, or if a newer one was requested.
 *
 * @throws if the mail cannot be sent
 */
export async function deliverEmailChange(
  sender: CodeSender,
  { appUrl }: Pick<Delivery, 'appUrl'>,
  { databaseId, id }: ChangeMessage,
) {
  const { store, mail, stopped } = sender
  const change = await findChangeMail(store, { databaseId, id })
  if (!change) return
  if (!appUrl) throw new Error('the database has no app URL')
  const { email, canonicalEmail, isTaken } = change
  const code = await issueCode(sender, { databaseId, id, purpose: 'email_change', canonicalEmail })
  const content = isTaken
    ? renderMail(mail.templates, 'email_taken', { email })
    : renderMail(mail.templates, 'email_change', { link: `${appUrl}/change-email#code=${code}`, email })
  await mail.sendMail({ id, to: email, ...content }, stopped)
}

/**
 * Notifies a former address that the user has a new one. The mail has a code to undo the change while the address is reserved.
 *
 * @throws if the mail cannot be sent
 */
export async function deliverEmailChangeUndo(
  sender: CodeSender,
  { appUrl }: Pick<Delivery, 'appUrl'>,
  { databaseId, id, recipient }: ChangeMessage,
) {
  const { store, mail, stopped } = sender
  if (!recipient) return
  if (!appUrl) throw new Error('the database has no app URL')
  const reserved = await findReserved(store, { databaseId, id })
  const code =
    reserved &&
    (await issueCode(sender, {
      databaseId,
      id,
      purpose: 'email_change_undo',
      canonicalEmail: reserved.canonicalEmail,
    }))
  const link = code && `${appUrl}/undo-email-change#code=${code}`
  const email = recipient.normalize('NFC')
  await mail.sendMail(
    { id, to: email, ...renderMail(mail.templates, 'email_change_undo', { link, email }) },
    stopped,
  )
}
