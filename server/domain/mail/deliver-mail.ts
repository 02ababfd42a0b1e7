import type { Delivery, DueMessage } from '../../store/queries/deliveries.js'
import { type CodeSender, deliverCode } from './deliver-code.js'
import { deliverEmailChange, deliverEmailChangeUndo } from './deliver-email-change.js'
import { deliverInvitation } from './deliver-invitation.js'
import { deliverLoginCode } from './deliver-login-code.js'
import { deliverNotice } from './deliver-notice.js'
import type { MailFields } from './templates.js'

/** What decides about the mails of a database. */
export type MailDelivery = Pick<Delivery, 'appUrl' | 'signUp' | 'loginMail'>

type Deliver = (
  sender: CodeSender,
  delivery: MailDelivery,
  message: DueMessage & { databaseId: string },
) => Promise<void>

/** What sends each mail, by the type of its message. */
const deliveries: Record<Exclude<keyof MailFields, 'email_taken' | 'email_change_undone'>, Deliver> = {
  password_reset: deliverCode,
  email_verification: deliverCode,
  login_code: deliverLoginCode,
  invitation: deliverInvitation,
  email_change: deliverEmailChange,
  email_change_undo: deliverEmailChangeUndo,
  email_change_requested: deliverNotice,
  email_changed: deliverNotice,
  password_changed: deliverNotice,
  new_network: deliverNotice,
  session_reused: deliverNotice,
  account_deleted: deliverNotice,
}

/**
 * Sends the mail of a message.
 *
 * @throws if the mail cannot be sent, also if a later version has stored it: a server of that version will send it
 */
export const deliverMail: Deliver = (sender, delivery, message) => {
  const { type } = message.payload as { type: string }
  if (!Object.hasOwn(deliveries, type)) throw new Error(`this version does not know the mail ${type}`)
  return deliveries[type as keyof typeof deliveries](sender, delivery, message)
}
