import { deliverCode } from './deliver-code.js'
import { deliverEmailChange, deliverEmailChangeUndo } from './deliver-email-change.js'
import { deliverInvitation } from './deliver-invitation.js'
import { deliverLoginCode } from './deliver-login-code.js'
import { deliverNotice } from './deliver-notice.js'
import type { MailDelivery, MailMessage, MailSender } from './send-mail.js'
import type { MailName } from './templates.js'

type Deliver = (sender: MailSender, delivery: MailDelivery, message: MailMessage) => Promise<void>

/** What sends each mail, by the type of its message. */
const deliveries: Record<Exclude<MailName, 'email_taken' | 'email_change_undone'>, Deliver> = {
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
  factor_added: deliverNotice,
  factor_removed: deliverNotice,
  recovery_codes_created: deliverNotice,
  second_step_failed: deliverNotice,
  identity_linked: deliverNotice,
  identity_removed: deliverNotice,
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
