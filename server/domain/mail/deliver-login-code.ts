import { findLoginMail, type LoginMailTarget } from '../../store/queries/login-attempts.js'
import { lifetimeMilliseconds } from '../codes/code.js'
import { signedText } from '../keys/signed-text.js'
import { digitsOf } from '../login/mail.js'
import { type MailDelivery, type MailMessage, type MailSender, sendMail } from './send-mail.js'
import { harmlessName } from './words.js'

/**
 * Sends the link and the digits of a login. Does nothing if the login has expired or was finished, or if nobody may log in or sign
 * up with the address: if sign-up is closed, only accounts and invited addresses get a mail.
 *
 * @throws if the mail cannot be sent
 */
export async function deliverLoginCode(
  sender: MailSender,
  { appUrl, signUp, loginMail }: MailDelivery,
  message: MailMessage,
) {
  const { databaseId, id } = message
  const target = await findLoginMail(sender.store, { databaseId, id }, new Date(sender.now()))
  if (!target || loginMail === 'off' || !isWelcome(target, signUp)) return
  if (!appUrl) throw new Error('the database has no app URL')
  const { canonicalEmail } = target
  const secrets = await sender.findSecrets(databaseId)
  const name = 'login_code'
  const code = signedText(secrets, { purpose: name, id, canonicalEmail })
  const digits = digitsOf(secrets.sign('login_digits', id, canonicalEmail))
  const email = target.email.normalize('NFC')
  const fields = {
    email,
    name: target.hasAccount ? (harmlessName(target.preferredName) ?? email) : undefined,
    link: loginMail === 'code' ? undefined : `${appUrl}/login#code=${code}`,
    digits: loginMail === 'link' ? undefined : digits,
    validFor: lifetimeMilliseconds[name],
  }
  await sendMail(sender, { ...message, appUrl }, { name, locale: target.locale, fields })
}

/** Returns whether a login with the address can succeed: by an enabled account, or by a sign-up. */
const isWelcome = ({ hasAccount, isHeld, isInvited }: LoginMailTarget, signUp: boolean) =>
  hasAccount || (!isHeld && (signUp || isInvited))
